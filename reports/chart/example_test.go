package chart_test

import (
	"fmt"
	"strings"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/chart"
)

// What cannot be drawn is left out, and the drawing says so.
func ExampleSVG() {
	svg := chart.SVG(&reports.Chart{
		Title: "Time of a repetition", About: "A box a key.", Kind: reports.Boxes,
		Y:      reports.Axis{Label: "seconds", Unit: "s", Log: true},
		Series: []reports.Series2D{{Name: "msqueue", Y: []float64{1.2, 1.3, 0, 1.4}}},
	}, "c1")
	_, desc, _ := strings.Cut(svg, `<desc id="c1-desc">`)
	desc, _, _ = strings.Cut(desc, "</desc>")
	fmt.Println(strings.ReplaceAll(desc, ". ", ".\n"))
	// Output:
	// A box a key.
	// 1 value not drawn: not finite, or not above zero on a logarithmic axis.
	// Box: quartiles of type 7 and the median.
	// Whiskers: the last points within 1.5 box lengths.
	// Dots: repetitions.
}
