#!/usr/bin/env bash
# What a CI job calls for a run that is split over several machines.
#
#   scripts/certify.sh matrix    the numbers 1 to CERTIFY_SHARDS as a JSON list
#   scripts/certify.sh shard     carries out one shard, into CERTIFY_OUT
#   scripts/certify.sh merge     joins the shards below CERTIFY_BLOBS into CERTIFY_OUT
#
# The command reads its flags from the environment itself: CERTIFY_PRESET,
# CERTIFY_DRILL, CERTIFY_REPS ...; CERTIFY_SEED must be the same for all shards,
# and CERTIFY_SHARD=i/n says which one this is. Exit codes are the command's.
# It works in a checkout of certify and in a module that has it as a tool
# (go get -tool github.com/exactlyonce/certify/cmd/certify).
set -euo pipefail

export CERTIFY_OUT="${CERTIFY_OUT:-certify-run}"
blobs="${CERTIFY_BLOBS:-certify-shards}"
summary_limit=900000 # bytes; GitHub drops a summary of more than 1 MiB whole

# build makes the command, since go run and go tool lose its exit code. One that is
# there already can be named.
build() {
	command="${CERTIFY_COMMAND:-}"
	if [[ ! $command ]]; then
		work=$(mktemp -d)
		trap 'rm -rf "$work"' EXIT
		command="$work/certify"
		go build -buildvcs=auto -o "$command" github.com/exactlyonce/certify/cmd/certify
	fi
}

# output gives a value to the later steps of a workflow, or prints it.
output() { echo "$1=$2" >>"${GITHUB_OUTPUT:-/dev/stdout}"; }

matrix() {
	local n="${CERTIFY_SHARDS:-4}" list
	if ! [[ $n =~ ^[1-9][0-9]{0,2}$ ]] || ((n > 256)); then
		echo "CERTIFY_SHARDS: $n: want 1 to 256" >&2
		exit 2
	fi
	list=$(seq -s , 1 "$n")
	output shards "[$list]"
	output count "$n"
}

shard() {
	build
	"$command" run
}

# merge takes the blobs from wherever they were put. Two of the same shard are an
# error of the command: a failure does not go away by trying again.
merge() {
	build
	local code=0
	mkdir -p "$blobs"
	"$command" merge --out "$CERTIFY_OUT" "$blobs" || code=$?
	if [[ -f $CERTIFY_OUT/summary.md ]]; then
		head -c "$summary_limit" "$CERTIFY_OUT/summary.md" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
	fi
	if [[ -f $CERTIFY_OUT/certificate.json ]]; then
		output certificate "$CERTIFY_OUT/certificate.json"
	fi
	exit "$code"
}

case "${1-}" in
matrix | shard | merge) "$1" ;;
*) sed -n '2,/^set/{s/^# \{0,1\}//;/^set/d;p;}' "$0" >&2; exit 2 ;;
esac
