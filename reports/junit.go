package reports

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/exactlyonce/certify/reports/record"
)

// The elements of the JUnit format that its readers agree on; there is no
// standard. One test case is one key: its repetitions are samples of one thing.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string          `xml:"name,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Time       string          `xml:"time,attr"`
		Properties []junitProperty `xml:"properties>property,omitempty"`
		Cases      []junitCase     `xml:"testcase"`
		seconds    float64
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Name       string          `xml:"name,attr"`
		Class      string          `xml:"classname,attr"`
		Time       string          `xml:"time,attr"`
		Properties []junitProperty `xml:"properties>property,omitempty"`
		Failure    *junitFault     `xml:"failure,omitempty"`
		Error      *junitFault     `xml:"error,omitempty"`
	}
	junitFault struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes the run as JUnit XML, a test case a key: FAILED is a failure, and
// INCONCLUSIVE an error, since nothing was shown either way.
func (r *Run) JUnit(w io.Writer) error {
	suite := junitSuite{Name: "certify " + r.ID, Properties: []junitProperty{
		{"seed", fmt.Sprint(r.Plan.Seed)}, {"race", fmt.Sprint(r.Plan.Race)},
	}}
	for _, f := range r.Env {
		suite.Properties = append(suite.Properties, junitProperty{printable(f.Name), printable(f.Value)})
	}
	for _, g := range r.Groups {
		suite.add(junitCaseOf(g))
	}
	suites := []junitSuite{suite}
	if len(r.Canaries) > 0 {
		canaries := junitSuite{Name: "canaries of " + r.ID}
		for _, c := range r.Canaries {
			canaries.add(junitCanary(c))
		}
		suites = append(suites, canaries)
	}
	all := junitSuites{Name: "certify", Suites: suites}
	for i, s := range suites {
		suites[i].Time = fmt.Sprintf("%.3f", s.seconds)
		all.Tests, all.Failures, all.Errors = all.Tests+s.Tests, all.Failures+s.Failures, all.Errors+s.Errors
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return fmt.Errorf("reports: junit: %w", err)
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(all); err != nil {
		return fmt.Errorf("reports: junit: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (s *junitSuite) add(c junitCase, seconds float64) {
	s.Cases = append(s.Cases, c)
	s.Tests++
	s.seconds += seconds
	if c.Failure != nil {
		s.Failures++
	}
	if c.Error != nil {
		s.Errors++
	}
}

// junitCanary passes when the canary was caught, or the control was not: what else
// came of it is no failure of a subject, but an error of the run.
func junitCanary(c Canary) (junitCase, float64) {
	j, seconds := junitCaseOf(c.Group)
	j.Class = "certify.canary." + c.Key.Drill
	j.Properties = append(j.Properties, junitProperty{"fault", printable(c.Fault)}, junitProperty{"caught", fmt.Sprint(c.Caught)})
	j.Failure, j.Error = nil, nil
	if verdict, reason := c.Verdict(); verdict != record.Certified {
		j.Error = &junitFault{Type: string(reason), Message: c.word(verdict), Text: "seen: " + c.seen() + "\n"}
	}
	return j, seconds
}

func junitCaseOf(g Group) (c junitCase, seconds float64) {
	c = junitCase{Name: g.Key.String(), Class: "certify." + g.Key.Drill}
	for _, p := range g.Key.Params {
		c.Properties = append(c.Properties, junitProperty{p.Name, p.Value})
	}
	c.Properties = append(c.Properties,
		junitProperty{"repetitions", fmt.Sprint(g.Planned)}, junitProperty{"clean", fmt.Sprint(g.Clean)},
		junitProperty{"bound", fmt.Sprintf("%.6f", record.Bound(g.Clean))})
	for _, r := range g.Records {
		seconds += float64(r.ElapsedNs) / 1e9
	}
	c.Time = fmt.Sprintf("%.3f", seconds)
	switch verdict, reason := g.Verdict(); verdict {
	case record.Failed:
		c.Failure = junitFaultOf(g, verdict, reason)
	case record.Inconclusive:
		c.Error = junitFaultOf(g, verdict, reason)
	}
	return c, seconds
}

// junitFaultOf tells of the first repetition that has the reason, if one has, and
// else of what grows over all of them.
func junitFaultOf(g Group, verdict record.Verdict, reason record.Reason) *junitFault {
	f := &junitFault{Type: string(reason), Message: fmt.Sprintf("%s (%s): %d of %d repetitions clean", verdict, reason, g.Clean, g.Planned)}
	for _, r := range g.Records {
		if r.Reason == reason {
			f.Text = printable(fmt.Sprintf("repetition %d, seed %d\n%s\nlog: %s\nrepeat: %s\n", r.Rep, r.Seed, r.Detail, r.Log, r.Repeat))
			return f
		}
	}
	if grown, grows := g.Grown(); grows && reason == record.Memory {
		f.Text = fmt.Sprintf("%s %s, in bytes a repetition\n%s\n", grown.Unit, grown.Growth, growthLaw)
	}
	return f
}

// printable replaces what XML 1.0 cannot hold, and what a terminal obeys or turns the
// text around it.
func printable(s string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == '\n' || c == '\t':
			return c
		case unicode.IsControl(c) || unicode.Is(unicode.Cf, c) || c == '\u2028' || c == '\u2029' || c == 0xFFFE || c == 0xFFFF:
			return '\uFFFD'
		}
		return c
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
