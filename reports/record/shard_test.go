package record

import "testing"

func TestShard(t *testing.T) {
	for _, row := range []struct {
		text string
		want Shard
	}{
		{"1/1", Shard{1, 1}}, {"2/4", Shard{2, 4}}, {"10000/10000", Shard{10000, 10000}},
		{"", Shard{}}, {"/", Shard{}}, {"0/4", Shard{}}, {"5/4", Shard{}}, {"-1/4", Shard{}}, {"1/0", Shard{}}, {"1/-4", Shard{}},
		{"1/2/3", Shard{}}, {"1", Shard{}}, {"a/4", Shard{}}, {"1/b", Shard{}}, {"1.5/4", Shard{}}, {"1/10001", Shard{}},
		{"99999999999999999999/4", Shard{}}, {"1 /4", Shard{}},
	} {
		got, err := ParseShard(row.text)
		if got != row.want || (err == nil) != got.Part() {
			t.Errorf("%q: got %v, %v", row.text, got, err)
		}
		if err == nil && got.String() != row.text {
			t.Errorf("%q: printed %q", row.text, got)
		}
	}
}

func TestShardKinds(t *testing.T) {
	for _, row := range []struct {
		s      Shard
		merged bool
		valid  bool
		text   string
	}{
		{Shard{}, false, true, "whole"}, {Shard{0, 4}, true, true, "merged from 4"}, {Shard{4, 4}, false, true, "4/4"},
		{Shard{5, 4}, false, false, "5/4"}, {Shard{-1, 4}, false, false, "-1/4"}, {Shard{1, 0}, false, false, "1/0"}, {Shard{0, -1}, false, false, "0/-1"},
	} {
		if row.s.Merged() != row.merged || (row.s.Validate() == nil) != row.valid || row.s.String() != row.text {
			t.Errorf("%#v: merged %v, %v, %q", row.s, row.s.Merged(), row.s.Validate(), row.s)
		}
	}
}
