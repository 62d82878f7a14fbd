package compare_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/exactlyonce/certify/reports/compare"
)

const before = `
pkg: example.com/queue
BenchmarkPush-8  1000  52.1 ns/op
BenchmarkPush-8  1000  52.4 ns/op
BenchmarkPush-8  1000  51.9 ns/op
BenchmarkPush-8  1000  52.0 ns/op
BenchmarkPush-8  1000  53.3 ns/op
BenchmarkPush-8  1000  52.2 ns/op
BenchmarkPop-8   1000  30.1 ns/op
BenchmarkPop-8   1000  30.4 ns/op
BenchmarkPop-8   1000  29.8 ns/op
BenchmarkPop-8   1000  30.0 ns/op
BenchmarkPop-8   1000  30.3 ns/op
BenchmarkPop-8   1000  30.2 ns/op
`

// Two files of results, the second with a slower Push and a Pop as before.
func Example() {
	after := strings.NewReplacer("52.", "57.", "51.", "56.", "53.", "58.").Replace(before)

	old, err := compare.Read("before", strings.NewReader(before))
	if err != nil {
		fmt.Println(err) // names file and line
		return
	}
	now, err := compare.Read("after", strings.NewReader(after))
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := compare.Compare(compare.Options{}, old, now)
	if err != nil {
		fmt.Println(err)
		return
	}
	result.WriteText(os.Stdout)

	decision, err := compare.Gate(result, compare.GateOptions{Threshold: 0.05, Floor: compare.Noise(result)})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println()
	fmt.Print(decision)
	// Output:
	// pkg: example.com/queue
	//
	// sec/op (less is better)       before        after   delta      p  n  verdict
	// Push-8                   52.15n ± 2%  57.15n ± 2%  +9.59%  0.002  6  worse
	// Pop-8                    30.15n ± 1%  30.15n ± 1%       ~  1.000  6  no difference shown (within -1.97%..+2.01%)
	// geomean                       39.65n       41.51n  +4.68%
	//
	// after against before: rows compared: 2; only in before: 0; only in after: 0
	// median ± interval at 95 %; p: Mann-Whitney U, not corrected for the number of rows; shown where p <= 0.05.
	// p is exact to n=50, with ties to n=25, and approximated above.
	//
	// gate: regression; rows judged 2, worse 1, without enough data 0
	//   worse: Push-8 sec/op in after by +9.59% (p=0.0043 after correction, and at least 5.00% counts)
}

// A result that cannot be read as what it says is refused, not skipped.
func ExampleRead() {
	_, err := compare.Read("results.txt", strings.NewReader(before+"BenchmarkSteal-8  1000  NaN ns/op\n"))
	fmt.Println(err)
	// Output: compare: read results.txt:15: sec/op is NaN: want a finite number
}
