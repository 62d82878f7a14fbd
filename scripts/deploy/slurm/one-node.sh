#!/usr/bin/env bash
# Tries the Slurm files with a real Slurm: a controller and a node on this machine,
# in a directory that is gone afterwards. Debian, Ubuntu: apt-get install slurm-wlm.
#
#   sudo scripts/deploy/slurm/one-node.sh [--keep]
#
# 1. Slurm takes the files, and refuses a misspelt one.
# 2. Four shards merge into one certificate, which certify verify holds.
# 3. The same with a shard that is killed while it runs: INCONCLUSIVE, exit 3.
set -euo pipefail
cd "$(dirname "$0")/../../.."
for tool in slurmctld slurmd munged mungekey sbatch go; do
	command -v "$tool" >/dev/null || { echo "no $tool on the PATH" >&2; exit 4; }
done
[[ $(id -u) == 0 ]] || { echo "want root: slurmd starts jobs as their users" >&2; exit 4; }

work=$(mktemp -d)
chmod 755 "$work"
export SLURM_CONF="$work/slurm.conf"
pids=()
cleanup() {
	scancel --quiet --user "$(id -un)" 2>/dev/null || true
	for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
	wait || true
	if [[ ${keep-} ]]; then echo "kept: $work" >&2; else rm -rf "$work"; fi
}
trap cleanup EXIT
keep="${1-}"

# start runs a daemon in the foreground of its own log.
start() {
	"$@" >"$work/$(basename "$1").log" 2>&1 &
	pids+=($!)
}

# wait_for waits up to so many seconds until a command succeeds.
wait_for() {
	local until=$((SECONDS + $1))
	while ! bash -c "$2" >/dev/null 2>&1; do
		if ((SECONDS >= until)); then
			echo "not so within $1 s: $2" >&2
			tail -n 20 "$work"/*.log >&2
			exit 4
		fi
		sleep 0.1
	done
}

node=$(hostname -s)
cpus=$(nproc)
for dir in munge state spool; do mkdir "$work/$dir"; done
cat >"$SLURM_CONF" <<CONF
ClusterName=certify
SlurmctldHost=$node(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
SlurmctldPort=16817
SlurmdPort=16818
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,defer=0
KillWait=2
MailProg=/bin/true
NodeName=$node NodeAddr=127.0.0.1 CPUs=$cpus State=UNKNOWN
PartitionName=all Nodes=$node Default=YES MaxTime=INFINITE State=UP
CONF
chown -R munge: "$work/munge"
as_munge() { setpriv --reuid=munge --regid=munge --clear-groups "$@"; }
as_munge mungekey --create --keyfile="$work/munge/key"
start setpriv --reuid=munge --regid=munge --clear-groups munged --foreground --key-file="$work/munge/key" \
	--socket="$work/munge/socket" --pid-file="$work/munge/pid" --seed-file="$work/munge/seed"
wait_for 30 "test -S '$work/munge/socket'"
start slurmctld -D -f "$SLURM_CONF"
start slurmd -D -f "$SLURM_CONF" -N "$node"
wait_for 60 "sinfo --noheader --states=idle --format=%N | grep -q ."

plan=(soak --drill all --tasks 200 --reps "${REPS:-2}")
# Two at a time, to be quick: here nothing is measured.
export SHARD_OPTIONS="--oversubscribe --cpus-per-task=$((cpus > 1 ? cpus / 2 : 1))"

passed=0
failed=0
# expect compares an exit code, and says what took how long.
expect() { # WHAT WANT GOT SINCE
	local took=$((SECONDS - $4))
	if [[ $2 == "$3" ]]; then
		echo "PASS $1 (exit $3, $took s)"
		passed=$((passed + 1))
	else
		echo "FAIL $1: exit $3, want $2 ($took s)"
		failed=$((failed + 1))
		tail -n 15 "$work/said" ${run+"$run"/logs/*.log} >&2
	fi
}

# What Slurm itself says of the files, and of one that is bad.
for file in shards merge; do
	code=0
	sbatch --test-only "--cpus-per-task=$cpus" "scripts/deploy/slurm/$file.sbatch" 2>>"$work/said" || code=$?
	expect "sbatch takes $file.sbatch" 0 "$code" "$SECONDS"
done
sed 's/^#SBATCH --nodes=/#SBATCH --node=/' scripts/deploy/slurm/shards.sbatch >"$work/bad.sbatch"
code=0
sbatch --test-only "$work/bad.sbatch" 2>>"$work/said" || code=$?
expect "sbatch refuses a misspelt option" 255 "$code" "$SECONDS"

run="$work/whole" since=$SECONDS code=0
WAIT=1 scripts/deploy/slurm/submit.sh "$run" 4 "${plan[@]}" >"$work/submitted" || code=$?
expect "four shards merge into a certificate" 0 "$code" "$since"
code=0
"$run/certify" verify "$run/run/certificate.json" --any-commit >"$work/verified" || code=$?
expect "certify verify: $(head -1 "$work/verified")" 0 "$code" "$SECONDS"

# The third shard is killed while it runs: its directory is there, and it builds.
run="$work/killed" since=$SECONDS code=0
merge=$(scripts/deploy/slurm/submit.sh "$run" 4 "${plan[@]}")
wait_for 120 "test -d '$run/shards/3-0'"
array=$(squeue --noheader --name=certify --format=%F | head -1)
scancel "${array}_3"
wait_for 300 "scontrol show job $merge | grep -qE 'JobState=(COMPLETED|FAILED)'"
code=$(scontrol show job "$merge" | sed -n 's/.*ExitCode=\([0-9]*\):.*/\1/p')
expect "a shard killed while it runs: INCONCLUSIVE" 3 "$code" "$since"

echo "$passed passed, $failed failed"
((failed == 0))
