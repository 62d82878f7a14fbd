package campaign

import (
	"bytes"
	"strings"
	"testing"

	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/soak"
	"github.com/exactlyonce/certify/soak/explore/survey"
)

func encodedPlan(t testing.TB, p Plan) []byte {
	t.Helper()
	data, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// FuzzPlan: what is taken for a plan is valid and is written again as the same
// bytes, its keys can be read back, and an error names what is wrong.
func FuzzPlan(f *testing.F) {
	p := plan(3, goroutines(2, 1000), workStealing("mutex", "mutex"))
	f.Add(encodedPlan(f, p))
	p.Race, p.KeepGoing, p.Fault, p.WithFloors = true, true, &Fault{"kill", 2}, true
	f.Add(encodedPlan(f, p))
	p.Explorations, p.Skipped = Explorations(p.Cells, survey.Quick), []Skip{{"a", soak.ExactlyOnce, "why"}}
	f.Add(encodedPlan(f, p))
	f.Add([]byte(`{"schema":"certify/plan/1","cells":[{"drill":"explore","subject":{}}],"first":1,"reps":1,"seed":"1"}`))
	f.Add([]byte(`{"schema":"certify/plan/1","schema":"certify/plan/1"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := DecodePlan(data)
		if err != nil {
			if len(err.Error()) < len("campaign: ") {
				t.Errorf("an error that names nothing: %v", err)
			}
			return
		}
		if err := p.Validate(); err != nil {
			t.Errorf("taken: %v", err)
		}
		if again := encodedPlan(t, p); !bytes.Equal(again, data) {
			t.Errorf("written again:\n%s\nwas\n%s", again, data)
		}
		for s := range p.steps {
			key := p.Key(s.cell)
			var back record.Key
			if err := back.UnmarshalText([]byte(key.String())); err != nil || back.String() != key.String() {
				t.Errorf("key %q is read as %q, %v", key, back, err)
			}
			break // the first is as good as all
		}
	})
}

// TestHostilePlans: what is read in one way by this package and in another by the
// reports, or by another version, is no plan.
func TestHostilePlans(t *testing.T) {
	good := string(encodedPlan(t, plan(3, goroutines(2, 1000))))
	if _, err := DecodePlan([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for what, row := range map[string][2]string{
		"a field twice":          {`"reps": 3`, `"reps": 3, "reps": 1`},
		"a field twice inside":   {`"workers": 2`, `"workers": 2, "workers": 2`},
		"another case":           {`"reps": 3`, `"reps": 3, "Reps": 1`},
		"in another case only":   {`"reps": 3`, `"REPS": 3`},
		"a field that is none":   {`"reps": 3`, `"reps": 3, "more": 1`},
		"keys of other cells":    {`tasks=1000/`, `tasks=9000/`},
		"no keys":                {`"keys":`, `"clefs":`},
		"other spelling":         {`"reps": 3`, `"reps": 3.0`},
		"other blanks":           {`"reps": 3`, `"reps":3`},
		"not UTF-8":              {`"certify/plan/1"`, "\"certify/plan/1\xff\""},
		"deep":                   {`"reps": 3`, `"reps": ` + strings.Repeat("[", 100_000)},
		"a number that is large": {`"reps": 3`, `"reps": 99999999999999999999`},
		"a negative number":      {`"first": 1`, `"first": -1`},
		"a seed that is none":    {`"seed": "42"`, `"seed": "042"`},
		"a schema in colours":    {`"certify/plan/1"`, `"\u001b[31mcertify/plan/1"`},
	} {
		bad := strings.Replace(good, row[0], row[1], 1)
		if bad == good {
			t.Fatalf("%s: nothing to replace", what)
		}
		if _, err := DecodePlan([]byte(bad)); err == nil {
			t.Errorf("%s: taken", what)
		} else if strings.Contains(err.Error(), "\x1b") || len(err.Error()) > 1000 {
			t.Errorf("%s: the error says it raw: %q", what, err)
		}
	}
	for _, behind := range []string{" ", "\n", "{}", good} {
		if _, err := DecodePlan([]byte(good + behind)); err == nil {
			t.Errorf("with %.10q behind it: taken", behind)
		}
	}
}
