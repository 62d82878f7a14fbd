#!/usr/bin/env bash
# Fuzzes every target of the module, and records what was run in
# hardening/recorded/fuzz.json: of each target the time with its build, the executions,
# and the inputs that it failed on. Usage: hardening/fuzz.sh [MINUTES of each, 10 if not given]
#
# FUZZ_ONLY, an extended regular expression, chooses among "name package". FUZZ_JOBS is
# how many targets run at a time, 1 if not given. While the file that FUZZ_PAUSE names is
# there, no next target is begun. What was run is recorded at any end, an interrupt too.
# An input that a target fails on is left in its testdata/fuzz; the exit code is then 1.
set -euo pipefail
cd "$(dirname "$0")/.."
minutes=${1:-10}
[[ $minutes =~ ^[0-9]+(\.[0-9]+)?$ ]] || { echo "usage: hardening/fuzz.sh [MINUTES]" >&2; exit 2; }
seconds=$(awk -v m="$minutes" 'BEGIN { printf "%d", m * 60 }')
((seconds > 0)) || { echo "hardening/fuzz.sh: $minutes minutes: want a second at least" >&2; exit 2; }
record=hardening/recorded/fuzz.json
work=$(mktemp -d)
rows=$work/rows
: >"$rows"

quoted() { local s=${1//\\/\\\\}; printf '"%s"' "${s//\"/\\\"}"; }
machine() {
	local cpu
	cpu=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null | head -n 1)
	printf '%s/%s %s, %s CPUs' "$(go env GOOS)" "$(go env GOARCH)" "${cpu:-unknown}" "$(getconf _NPROCESSORS_ONLN)"
}
finish() {
	local job
	for job in $(jobs -p); do kill -- "-$job" 2>/dev/null || true; done
	if [ -s "$rows" ]; then
		{
			printf '{\n  "machine": %s,\n  "go": %s,\n' "$(quoted "$(machine)")" "$(quoted "$(go env GOVERSION)")"
			printf '  "commit": %s,\n  "date": %s,\n  "targets": [\n' "$(quoted "$commit")" "$(quoted "$date")"
			sed '$!s/$/,/; s/^/    /' "$rows"
			printf '  ]\n}\n'
		} >"$work/record"
		mv "$work/record" "$record"
	fi
	rm -rf "$work"
}
commit=$(git rev-parse HEAD)
git diff --quiet HEAD -- '*.go' || commit="$commit (modified)"
date=$(date -u +%Y-%m-%dT%H:%M:%SZ)
trap finish EXIT
trap 'exit 130' INT TERM

# "name package" of each, of this module and not of those below it.
targets() {
	local dir
	go list -f '{{.Dir}} {{.ImportPath}}' ./... | while read -r dir package; do
		grep -hoE '^func Fuzz[A-Za-z0-9_]*\(' "$dir"/*_test.go 2>/dev/null | sed -E "s|^func (.*)\($|\1 .${package#github.com/exactlyonce/certify}|" || true
	done
}

# number of inputs that a target is known to fail on.
inputs() { { find "$1/testdata/fuzz/$2" -type f 2>/dev/null || true; } | wc -l; }

# fuzz runs one target, and notes it.
fuzz() {
	local name=$1 package=$2 log=$work/$1.${2//\//.} before began took execs findings status=0
	before=$(inputs "$package" "$name")
	began=$(date +%s)
	nice -n 19 go test -run '^$' -fuzz "^$name\$" -fuzztime "${seconds}s" -fuzzminimizetime 5s "$package" >"$log" 2>&1 </dev/null || status=$?
	took=$(($(date +%s) - began))
	execs=$(sed -nE 's/.*execs: ([0-9]+).*/\1/p' "$log" | tail -n 1)
	findings=$(($(inputs "$package" "$name") - before))
	if ((status != 0 && findings == 0)); then findings=1; fi # a seed, or it was not built
	echo "$name in $package: ${execs:-0} executions, $findings findings"
	if ((findings > 0)); then
		touch "$work/bad"
		tail -n 30 "$log" >&2
	fi
	printf '{"name": "%s", "package": "%s", "minutes": %s, "execs": %s, "findings": %d}\n' "$name" "$package" \
		"$(awk -v s="$took" 'BEGIN { printf "%.2f", s / 60 }')" "${execs:-0}" "$findings" >>"$rows"
}

set -m # each target in a process group of its own, for finish
while read -r name package; do
	while [ "$(jobs -rp | wc -l)" -ge "${FUZZ_JOBS:-1}" ]; do wait -n || true; done
	while [ -n "${FUZZ_PAUSE:-}" ] && [ -e "$FUZZ_PAUSE" ]; do sleep 3; done
	fuzz "$name" "$package" &
done < <(targets | grep -E "${FUZZ_ONLY:-.}")
wait
[ ! -e "$work/bad" ]
