package record

import "slices"

// CanaryParam is the parameter that the key of a canary, or of a control, begins
// with: its repetitions show the power of the run, and say nothing of its subject.
const CanaryParam = "canary"

// Canary is the name of the canary, and empty for any other key.
func (k Key) Canary() string {
	if len(k.Params) > 0 && k.Params[0].Name == CanaryParam {
		return k.Params[0].Value
	}
	return ""
}

// Caught reports whether a repetition has caught its canary: for a reason that the
// fault of the canary breaks. What dies of something else has not been understood. A
// control has no killers, and anything but a clean repetition takes it for bad.
func Caught(killers []Reason, v Verdict, r Reason) bool {
	if len(killers) == 0 {
		return v != Certified
	}
	return v == Failed && slices.Contains(killers, r)
}
