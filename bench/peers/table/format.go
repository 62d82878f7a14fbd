package table

import (
	"fmt"
	"math"
	"strconv"
)

// digits is a number with three digits that count.
func digits(v float64) string {
	switch a := math.Abs(v); {
	case a == 0 || a >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case a >= 1:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'g', 2, 64)
}

func nanoseconds(ns float64) string {
	switch a := math.Abs(ns); {
	case a >= 1e9:
		return digits(ns/1e9) + " s"
	case a >= 1e6:
		return digits(ns/1e6) + " ms"
	case a >= 1e4: // below, whole nanoseconds are easier to compare
		return digits(ns/1e3) + " us"
	}
	return digits(ns) + " ns"
}

func byteCount(b float64) string {
	if math.Abs(b) < 0.5 {
		return "0 B"
	}
	return digits(b) + " B"
}

// count leaves out what the runtime does beside.
func count(n float64) string {
	if math.Abs(n) < 0.001 {
		return "0.000"
	}
	return fmt.Sprintf("%.3f", n)
}

func times(f float64) string { return fmt.Sprintf("%.2fx", f) }
