package subjects_test

import "testing"

// What is right in all that it returns, and has a data race beside it, fails for that,
// with the report; and nothing else can tell.
func TestRace(t *testing.T) {
	flags := []string{"soak", "--import", here + "hostile/counts", "--drill", "exactly-once", "--tasks", "3000"}
	for _, c := range []struct {
		name string
		flag string
		code int
		says []string
	}{
		{"counts", "--race", 1, []string{"FAILED (race)", "data race", "counts.go", "law: "}},
		{"counts, and nobody looks", "--race=false", 0, []string{"CERTIFIED"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			certify(t, append(flags, c.flag)...).comesTo(t, c.code, c.says...)
		})
	}
}
