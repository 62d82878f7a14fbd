package record

import (
	"strings"
	"testing"
)

func TestJudge(t *testing.T) {
	rec := func(reasons ...Reason) (all []Record) {
		for _, r := range reasons {
			v := Certified
			if r != "" {
				v = r.Verdict()
			}
			all = append(all, Record{Verdict: v, Reason: r})
		}
		return all
	}
	for _, row := range []struct {
		records []Record
		want    Reason
	}{
		{rec("", "", ""), ""},
		{rec(), Samples},
		{rec("", ""), Samples},
		{rec("", Lost), Lost},
		{rec("", Lost, Race), Lost},
		{rec(Floor, Race), Race},
		{rec("", Guard), Guard},
		{rec(Floor, "", Guard), Floor},
	} {
		verdict, reason := Judge(row.records, 3)
		if reason != row.want || (verdict == Certified) != (reason == "") || reason != "" && verdict != reason.Verdict() {
			t.Errorf("%v: got %v (%s), want (%s)", row.records, verdict, reason, row.want)
		}
	}
}

func TestBound(t *testing.T) {
	for n, want := range map[int]string{0: "100.00%", 1: "95.00%", 3: "63.16%", 100: "2.95%", 300: "0.99%"} {
		if got := BoundText(n); !strings.Contains(got, want) {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
}
