#!/usr/bin/env bash
# The tests that a system other than Linux must pass. Needs Go and bash; the soak
# under the race detector a C compiler as well, and is left out without one.
set -euo pipefail
cd "$(dirname "$0")/../.."

go vet ./...
go test -short ./...
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -o "$work/" ./cmd/certify
race=true
"$work/certify" doctor || race=false
"$work/certify" soak --drill all --tasks 1000 --race="$race" --out "$work/run"
