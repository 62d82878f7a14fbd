#!/usr/bin/env bash
# Submits a run as an array of shards, and their merge after it.
#
#   scripts/deploy/slurm/submit.sh DIR SHARDS run|soak [FLAGS...]
#
# DIR is new, on a file system of all nodes; it gets the command, the shards, the
# logs and run/ with the report and the certificate. Options of sbatch (partition,
# account) are for SBATCH_PARTITION, SBATCH_ACCOUNT and the like; SHARD_OPTIONS and
# MERGE_OPTIONS are added to the one or the other. With WAIT=1 it waits, and its
# exit code is that of certify merge.
set -euo pipefail
usage="usage: submit.sh DIR SHARDS run|soak [FLAGS...]"
mkdir -p "${1:?$usage}"
CERTIFY_RUN=$(cd "$1" && pwd)
shards="${2:?$usage}"
: "${3:?$usage}"
shift 2
export CERTIFY_RUN CERTIFY_SEED="${CERTIFY_SEED:-$(date +%s)}" # one plan for all shards
read -ra shard_options <<<"${SHARD_OPTIONS-}"
read -ra merge_options <<<"${MERGE_OPTIONS-}"
here=$(cd "$(dirname "$0")" && pwd)

mkdir "$CERTIFY_RUN/logs" "$CERTIFY_RUN/shards"
go build -buildvcs=auto -o "$CERTIFY_RUN/certify" github.com/exactlyonce/certify/cmd/certify
array=$(sbatch --parsable --array="1-$shards" --output="$CERTIFY_RUN/logs/%a.log" ${shard_options[@]+"${shard_options[@]}"} "$here/shards.sbatch" "$@")
echo "shards: job $array; the merge follows: $CERTIFY_RUN/logs/merge.log" >&2
if [[ ${WAIT:-} ]]; then
	merge_options+=(--wait)
fi
# afterany, not afterok: without its merge a run with a dead shard would say nothing.
exec sbatch --parsable --dependency="afterany:$array" --output="$CERTIFY_RUN/logs/merge.log" ${merge_options[@]+"${merge_options[@]}"} "$here/merge.sbatch"
