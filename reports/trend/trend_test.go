package trend

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

func indexes(n int) (x []float64) {
	for i := range n {
		x = append(x, float64(i))
	}
	return x
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b)) }

// Worked by hand, or from the tables of the sources.
func TestKendallByHand(t *testing.T) {
	for _, c := range []struct {
		y    []float64
		s    int
		rise float64
	}{
		{[]float64{1, 2, 3}, 3, 1.0 / 6},
		{[]float64{3, 2, 1}, -3, 1},
		{[]float64{1, 3, 2}, 1, 0.5},
		{[]float64{1, 2, 3, 4}, 6, 1.0 / 24},
		{[]float64{1, 2, 4, 3}, 4, 4.0 / 24},
		{[]float64{5, 5, 5, 5}, 0, 1},
	} {
		k, err := MannKendall(c.y)
		if err != nil || k.S != c.s || !near(k.Rise, c.rise) {
			t.Errorf("%v: %+v, %v; want S %d, rise %v", c.y, k, err, c.s, c.rise)
		}
	}
}

// The exact distribution agrees with all orders of five values, counted.
func TestExactRiseAgainstAllOrders(t *testing.T) {
	var orders [][]float64
	var permute func(head, rest []float64)
	permute = func(head, rest []float64) {
		if len(rest) == 0 {
			orders = append(orders, append([]float64(nil), head...))
		}
		for i := range rest {
			left := append(append([]float64(nil), rest[:i]...), rest[i+1:]...)
			permute(append(head[:len(head):len(head)], rest[i]), left)
		}
	}
	permute(nil, indexes(5))
	for s := -10; s <= 10; s += 2 {
		n := 0
		for _, o := range orders {
			if rises(o) >= s {
				n++
			}
		}
		if got, want := exactRise(5, s), float64(n)/float64(len(orders)); !near(got, want) {
			t.Errorf("S of %d: %v, counted %v", s, got, want)
		}
	}
}

// Around where the exact distribution ends, the normal one is close to it.
func TestExactMeetsNormal(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 100 {
		y := make([]float64, exactMost)
		for i := range y {
			y[i] = rng.Float64() + 0.01*float64(i)
		}
		s := rises(y)
		normal := 0.5 * math.Erfc((float64(s)-1)/math.Sqrt(2*variance(y)))
		if exact := exactRise(len(y), s); math.Abs(exact-normal) > 0.005 {
			t.Errorf("S of %d: exact %v, normal %v", s, exact, normal)
		}
	}
}

// The line of exact points is theirs, and outliers do not move it far.
func TestTheilSen(t *testing.T) {
	x, y := indexes(50), make([]float64, 50)
	for i := range y {
		y[i] = 7 + 3*x[i]
	}
	l, err := TheilSen(x, y)
	if err != nil || l.Slope != 3 || l.Offset != 7 || l.Low != 3 || l.High != 3 {
		t.Errorf("got %+v, %v", l, err)
	}
	for i := 0; i < 10; i++ {
		y[5*i] = 1e9
	}
	if l, _ = TheilSen(x, y); math.Abs(l.Slope-3) > 1 {
		t.Errorf("with a fifth of outliers: %+v", l)
	}
	if l, err = TheilSen([]float64{1, 2}, []float64{5, 8}); err != nil || l.Slope != 3 || !math.IsInf(l.Low, -1) || !math.IsInf(l.High, 1) {
		t.Errorf("two points: %+v, %v", l, err)
	}
}

// The interval holds the true slope about as often as it says.
func TestIntervalHoldsItsPromise(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	const series = 1000
	held := 0
	for range series {
		x, y := indexes(30), make([]float64, 30)
		for i := range y {
			y[i] = 0.5*x[i] + rng.NormFloat64()
		}
		if l, err := TheilSen(x, y); err == nil && l.Low <= 0.5 && 0.5 <= l.High {
			held++
		}
	}
	if held < series*93/100 || held > series*98/100 {
		t.Errorf("held %d of %d, want about 95 %%", held, series)
	}
}

// Judge finds a leak under noise, and calls flat, falling and tiny ones none.
func TestJudge(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	judge := func(slope, noise, limit float64) int {
		grows := 0
		for range 200 {
			x, y := indexes(100), make([]float64, 100)
			for i := range y {
				y[i] = 1000 + slope*x[i] + noise*rng.NormFloat64()
				if rng.IntN(20) == 0 {
					y[i] += 500 // a collection that came late
				}
			}
			g, err := Judge(x, y, limit)
			if err != nil {
				t.Fatal(err)
			}
			if g.Grows {
				grows++
			}
		}
		return grows
	}
	for _, c := range []struct {
		name                string
		slope, noise, limit float64
		least, most         int
	}{
		{"leak", 1, 10, 50, 200, 200},
		{"flat", 0, 10, 5, 0, 2},
		{"falling", -1, 10, 5, 0, 0},
		{"too little to matter", 0.1, 0.5, 50, 0, 0},
	} {
		if n := judge(c.slope, c.noise, c.limit); n < c.least || n > c.most {
			t.Errorf("%s: %d of 200 grow, want %d to %d", c.name, n, c.least, c.most)
		}
	}
}

func TestDegenerate(t *testing.T) {
	nan := math.NaN()
	if _, err := TheilSen(indexes(3), []float64{1, nan, 2}); !errors.Is(err, ErrFinite) {
		t.Errorf("got %v", err)
	}
	if _, err := MannKendall([]float64{1, math.Inf(1), 2}); !errors.Is(err, ErrFinite) {
		t.Errorf("got %v", err)
	}
	if _, err := Judge(indexes(3), []float64{1, nan, 2}, 0); !errors.Is(err, ErrFinite) {
		t.Errorf("got %v", err)
	}
	if _, err := TheilSen([]float64{1, 1}, []float64{1, 2}); !errors.Is(err, ErrSamples) {
		t.Errorf("got %v", err)
	}
	if _, err := TheilSen(indexes(2), indexes(3)); err == nil {
		t.Error("want an error")
	}
	if _, err := MannKendall(indexes(2)); !errors.Is(err, ErrSamples) {
		t.Errorf("got %v", err)
	}
	for n := range 3 {
		g, err := Judge(indexes(n), indexes(n), 0)
		if err != nil || g.Grows || g.Rise != 1 {
			t.Errorf("%d values: %+v, %v", n, g, err)
		}
	}
	g, err := Judge(indexes(4), []float64{1e18, 1e18 + 1, 1e18, 1e18}, 0)
	if err != nil || g.Grows {
		t.Errorf("got %+v, %v", g, err)
	}
}
