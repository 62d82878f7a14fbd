#!/usr/bin/env bash
# Benchmarks of two commits against each other on this machine: both commands are
# built, and measure in turns, each round in the other order than the one before,
# so that what the machine does meanwhile befalls both.
#
#   BASE=v1.2.0 [HEAD=main] [SELECT=regexp] [ROUNDS=10] [THRESHOLD=0.10] scripts/bench.sh [DIR]
#
# DIR (default bench-ab) gets base.txt and head.txt, for certify compare and
# benchstat. Exit 1: a regression of at least THRESHOLD; 3: the data cannot show
# one; 0: none. Below 0.10 only on a machine of your own: hosted ones differ by
# more than that from themselves.
set -euo pipefail

# commit resolves a name, as a branch of the origin too.
commit() {
	git rev-parse --verify --quiet --end-of-options "$1^{commit}" ||
		git rev-parse --verify --end-of-options "origin/$1^{commit}"
}
base=$(commit "${BASE:?want the commit to compare with}")
head=$(commit "${HEAD:-HEAD}")
select="${SELECT:-^(Solo|Own|Pair|Tree)/(queue|pool)=(msqueue|chaselev|certify)}"
rounds="${ROUNDS:-10}"
out="${1:-bench-ab}"

work=$(mktemp -d)
trap 'rm -rf "$work"; git worktree prune' EXIT
# build makes the command of a commit; without its path, in which they would differ.
build() { # NAME COMMIT
	git worktree add --quiet --detach "$work/$1" "$2"
	(cd "$work/$1" && go build -trimpath -o "$work/$1.bin" ./cmd/certify)
}
build base "$base"
build head "$head"

mkdir -p "$out"
: >"$out/base.txt" && : >"$out/head.txt"
order=(base head)
for ((round = 1; round <= rounds; round++)); do
	echo "round $round of $rounds: ${order[*]}" >&2
	for side in "${order[@]}"; do
		code=0
		"$work/$side.bin" bench --select "$select" --samples 2 --out "$work/samples.txt" 2>"$work/said" || code=$?
		((code == 0 || code == 3)) || { cat "$work/said" >&2; exit "$code"; } # 3: noise, which the gate judges
		cat "$work/samples.txt" >>"$out/$side.txt"
	done
	order=("${order[1]}" "${order[0]}")
done

# The commits differ, which is the point; all else must be the same.
"$work/head.bin" compare --gate --threshold "${THRESHOLD:-0.10}" --ignore commit "base=$out/base.txt" "head=$out/head.txt"
