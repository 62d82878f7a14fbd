#!/usr/bin/env bash
# Runs the shards, waits until all have ended, then merges. Its exit code is that
# of certify merge: 0 CERTIFIED, 1 FAILED, 3 INCONCLUSIVE.
#
#   scripts/deploy/kubernetes/run.sh IMAGE [SHARDS]    # SEED=n for the plan of another run
set -euo pipefail
image="${1:?usage: run.sh IMAGE [SHARDS]}"
shards="${2:-4}"
seed="${SEED:-$(date +%s)}"
here=$(dirname "$0")

# apply gives a file to the cluster, with the image, the shards and the seed in it.
apply() {
	sed -E -e "s|image: certify\$|image: $image|" \
		-e "s/(completions|parallelism): 4\$/\\1: $shards/" \
		-e "s/(CERTIFY_SHARDS:) \"4\"/\\1 \"$shards\"/" \
		-e "s/(CERTIFY_SEED:) .*/\\1 \"$seed\"/" "$here/$1" | kubectl apply -f - >&2
}

# ended waits for a Job to end one way or the other: kubectl wait takes only one.
ended() {
	until kubectl get job "$1" -o 'jsonpath={.status.conditions[?(@.status=="True")].type}' | grep -qwE 'Complete|Failed'; do
		sleep "${POLL:-10}"
	done
}

kubectl delete job certify-shards certify-merge --ignore-not-found >&2
apply plan.yaml
apply volume.yaml
apply shards.yaml
ended certify-shards
apply merge.yaml
ended certify-merge
kubectl logs job/certify-merge
echo "evidence and report: /$seed on the volume certify-results" >&2
code=$(kubectl get pods -l job-name=certify-merge -o 'jsonpath={range .items[*]}{.status.containerStatuses[0].state.terminated.exitCode}{"\n"}{end}' | tail -1)
exit "${code:-4}"
