// Package chart draws the charts of a report: as SVG to put inside an HTML page,
// and as PNG.
//
//	svg := chart.SVG(c, "c1")     // one <svg> element, its ids begin with c1
//	err := chart.PNG(file, c)
//
// The SVG takes its colours from the page, through the CSS variables --ink,
// --muted, --grid and --s1 to --s8, so that one drawing serves light and dark
// pages; alone it has those of a light page. It is described by its title and
// desc, all text in it is escaped, and the same chart gives the same bytes from
// the same build: processors differ in the last digit of what is computed.
//
// Whatever the numbers are, there is a drawing. What cannot be drawn is left out,
// and the drawing says so: values that are not finite, values at or below zero on
// a logarithmic axis, points beyond the first twelve hundred. With nothing left
// there is a placeholder that says why.
//
// Boxes are horizontal, the least median on top: the box is from the first to the
// third quartile, which are those of type 7 of Hyndman and Fan (the default of R
// and NumPy); the whiskers end at the last points within 1.5 times its length.
package chart
