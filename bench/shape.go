package bench

import (
	"fmt"
	"strings"
)

// Shape is who does what to a queue.
type Shape struct {
	Family string // the benchmark's name

	// Producers push; of a deque there is one, its owner. Consumers pop, or
	// steal. Without consumers each producer pops as many as it has pushed,
	// after each burst.
	Producers, Consumers int

	// Burst is how many items a producer pushes in a row. Then it waits while
	// there are Capacity in the queue, or more.
	Burst, Capacity int

	// OwnerPops: after each burst, the owner of a deque pops until it is empty,
	// instead of waiting.
	OwnerPops bool

	// Work is how many steps of about a nanosecond everybody takes between
	// operations.
	Work int
}

// window is how many items may wait where a shape is not about that, and burst
// how often a producer looks.
const (
	window = 1024
	burst  = 64
)

// InjectorShapes returns what is done to injectors.
func InjectorShapes() []Shape {
	shapes := []Shape{
		{Family: "Solo", Producers: 1, Burst: 1},
		{Family: "Solo", Producers: 1, Burst: burst},
		{Family: "Solo", Producers: 2, Burst: 1},
	}
	for _, crowd := range [][2]int{{1, 1}, {2, 2}, {4, 1}, {1, 4}, {4, 4}} {
		shapes = append(shapes, Shape{Family: "Pair", Producers: crowd[0], Consumers: crowd[1], Burst: burst, Capacity: window})
	}
	for _, work := range []int{100, 1000} {
		shapes = append(shapes, Shape{Family: "Pair", Producers: 2, Consumers: 2, Burst: burst, Capacity: window, Work: work})
	}
	for _, c := range []int{1, 2} {
		shapes = append(shapes, Shape{Family: "Burst", Producers: 1, Consumers: c, Burst: window, Capacity: 1})
	}
	return shapes
}

// DequeShapes returns what is done to deques.
func DequeShapes() []Shape {
	shapes := []Shape{
		{Family: "Own", Producers: 1, Burst: 1},
		{Family: "Own", Producers: 1, Burst: burst},
	}
	for _, thieves := range []int{1, 2} {
		shapes = append(shapes, Shape{Family: "Share", Producers: 1, Consumers: thieves, Burst: burst, OwnerPops: true})
	}
	shapes = append(shapes, Shape{Family: "Share", Producers: 1, Consumers: 1, Burst: burst, OwnerPops: true, Work: 100})
	for _, thieves := range []int{1, 2} {
		shapes = append(shapes, Shape{Family: "Feed", Producers: 1, Consumers: thieves, Burst: window, Capacity: 1})
	}
	return shapes
}

// name is the name of the case of s on the named queue. It has what tells the
// shapes of a family apart.
func (s *Shape) name(queue string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s/queue=%s", s.Family, queue)
	switch s.Family {
	case "Solo":
		fmt.Fprintf(&b, "/p=%d/burst=%d", s.Producers, s.Burst)
	case "Own":
		fmt.Fprintf(&b, "/burst=%d", s.Burst)
	case "Share", "Feed":
		fmt.Fprintf(&b, "/thieves=%d/burst=%d", s.Consumers, s.Burst)
	case "Burst":
		fmt.Fprintf(&b, "/p=%d/c=%d/burst=%d", s.Producers, s.Consumers, s.Burst)
	default:
		fmt.Fprintf(&b, "/p=%d/c=%d", s.Producers, s.Consumers)
	}
	if s.Work > 0 {
		fmt.Fprintf(&b, "/work=%d", s.Work)
	}
	return b.String()
}

// room is how many items the queue must hold.
func (s *Shape) room() int { return max(s.Burst, s.Capacity) * max(1, s.Producers) }
