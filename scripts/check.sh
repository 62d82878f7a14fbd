#!/usr/bin/env bash
# Everything that must hold before a change lands. Needs Go, a C compiler and
# git; installs the linter it pins. Usage: scripts/check.sh
set -euo pipefail
cd "$(dirname "$0")/.."
export CGO_ENABLED=1
staticcheck=honnef.co/go/tools/cmd/staticcheck@v0.8.2

step() { printf '\n== %s (%d s)\n' "$*" "$SECONDS"; }

step format
test -z "$(gofmt -l .)" || { gofmt -l .; echo "not formatted: run gofmt -w ."; exit 1; }

step vet
go vet ./...

step "builds elsewhere"
for target in linux/amd64 linux/arm64 linux/386 darwin/arm64 windows/amd64; do
	echo "$target"
	GOOS=${target%/*} GOARCH=${target#*/} CGO_ENABLED=0 go vet ./...
done

step "staticcheck, pinned"
go run "$staticcheck" ./...

# The README's test command and its kin, their results counted. Only what failed
# is shown whole.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count() { cat "$work"/*.tests | grep -c "^ *--- $1" || true; }
gotest() {
	step "go test $*"
	local log="$work/$((++runs)).tests"
	if go test -count=1 -v "$@" >"$log" 2>&1; then
		grep -E '^(ok|\?) ' "$log"
	else
		grep -vE '^ *(=== |--- (PASS|SKIP))|^PASS$|^(ok|\?) ' "$log"
		printf '\nFAILED, go test %s:\n' "$*"
		grep -E '^ *--- FAIL|^FAIL|^panic: ' "$log"
		return 1
	fi
}
runs=0
gotest ./...
gotest -race -short ./...
# Where the kernel runs no 32-bit programs, their tests are built, and it is said.
printf 'package main\nfunc main() {}\n' >"$work/main.go"
GOARCH=386 CGO_ENABLED=0 go build -o "$work/main386" "$work/main.go"
if "$work/main386" 2>/dev/null; then
	GOARCH=386 CGO_ENABLED=0 gotest -short ./queues/... ./executor/... ./soak
else
	step "386: NOT RUN, this kernel runs no 32-bit programs; built only (scripts/check32.sh emulates arm)"
	GOARCH=386 CGO_ENABLED=0 go test -exec true -run '^$' ./queues/... ./executor/... ./soak >/dev/null
fi

# Modules of their own, last here since their counts are lost to the next one. What
# they lack on this machine (a browser, Slurm, shellcheck) they say, and skip.
(
	for module in bench/peers reports/html/browsertest reports/schematest scripts/deploy/deploytest soak/subjects; do
		pushd "$module" >/dev/null
		go vet ./...
		go run "$staticcheck" ./...
		gotest ./...
		popd >/dev/null
	done
)

# By count, not by time: a slow machine does the same work.
step "fuzzing, a little"
fuzz() { go test -run '^$' -fuzz "^$1\$" -fuzztime "${3:-20000x}" -fuzzminimizetime 10x "$2"; } # NAME PACKAGE [COUNT]
fuzz FuzzDecode ./reports/record
fuzz FuzzModel ./queues/queuetest
fuzz FuzzHistory ./executor/scope/tree
fuzz FuzzOpen ./executor/jobs/filestore
fuzz FuzzRead ./reports/compare
fuzz FuzzVerify ./reports/certificate
fuzz FuzzUnambiguous ./reports/record
fuzz FuzzResults ./reports/rundir
fuzz FuzzUnpack ./reports/blob 2000x
fuzz FuzzSigned ./reports/certificate 2000x
fuzz FuzzReport ./reports/html 200x
fuzz FuzzPlan ./soak/campaign
fuzz FuzzSchedule ./soak/explore
fuzz FuzzHistory ./executor/lifecycle

step "a short soak for real: every pair, under -race"
go build -o "$work/certify" ./cmd/certify
"$work/certify" soak --injector all --deque all --reps 2 --tasks 200000 --out "$work/run"
step "every drill, shortly, under -race"
"$work/certify" soak --drill all --tasks 1000 --out "$work/drills"

printf '\n%s passed, %s failed, %s skipped\n' "$(count PASS)" "$(count FAIL)" "$(count SKIP)"
