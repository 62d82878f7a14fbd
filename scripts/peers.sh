#!/usr/bin/env bash
# Our executor beside its peers, in one sitting on this machine, best a quiet one:
# other Go pools, and native ones where this machine has what they need. Writes a
# table, and beside it all samples in the Go benchmark format.
#
# Usage: scripts/peers.sh [TABLE.md] [flags of bench/peers/run, such as -quick]
# A whole sitting takes some twenty minutes, -quick one.
set -euo pipefail
out=peers.md
if [[ $# -gt 0 && $1 != -* ]]; then
	out=$1
	shift
fi
mkdir -p "$(dirname "$out")"
out=$(cd "$(dirname "$out")" && pwd)/$(basename "$out")
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bench/peers/native/build.sh "$work/native"
(cd bench/peers && go build -o "$work/peers" ./run)
"$work/peers" -native "$work/native" -out "$out" "$@"
