#!/usr/bin/env bash
# Unchanged programs under `starling run`, as a user has it: end_to_end_test.sh CASE STARLING PROGRAM [ARGUMENT]
set -euo pipefail
case_name=$1 starling=$2 program=$3 argument=${4:-}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export STARLING_DB=$folder/tuning.db
# Calls of these programs are counted from the first one on, however short they are, but in the cases on when they are.
[[ $case_name == @(training_loop|left_alone|little_else) ]] || export STARLING_PREPARE=always

fail() {
  echo "FAILED: $1" >&2
  exit 1
}

# run N ARGUMENT...: the program under Starling on N ranks, with a hard time limit.
run() {
  local ranks=$1
  shift
  timeout --kill-after=10 480 "$starling" run -n "$ranks" -- "$program" "$@"
}

# check TEXT: a Python condition on `sites`, the parsed output of `starling sites --json`.
check() {
  "$starling" sites --json | python3 -c "
import json, sys
sites = json.load(sys.stdin)
assert $1, sites"
}

thermo() { awk '/^ *Step /{inside = 1} /^Loop time/{inside = 0} inside' "$1"; }

case $case_name in
  lammps)
    timeout --kill-after=10 480 mpirun --oversubscribe --mca mpi_yield_when_idle 1 -n 4 "$program" -in "$argument" \
      -log none >plain.txt
    run 4 -in "$argument" -log none >tuned.txt
    thermo plain.txt | grep -q . || fail "LAMMPS printed no thermodynamic values"
    diff <(thermo plain.txt) <(thermo tuned.txt) || fail "thermodynamic values differ"
    check 'len({s["site"] for s in sites if s["symbol"]}) >= 20'
    [[ $(sqlite3 "$STARLING_DB" 'SELECT count(*) FROM overview') -ge 20 ]] || fail "sqlite3 cannot read the overview"
    ;;
  different_lines)
    run 4
    check 'len(sites) == 1 and sites[0]["calls"] == 10000 and sites[0]["state"] in ("settled", "exploring")'
    check '0 < sites[0]["exploration_calls"] <= 200'
    run 4
    check 'sites[0]["calls"] == 10000 and sites[0]["exploration_calls"] <= 200'
    "$starling" decisions 1 | grep -q 'The tuning database says of an earlier run' || fail "nothing was taken over"
    ;;
  training_loop)
    # Late by so much that no scheduling of eight ranks on few cores can hide it.
    run 8 --iterations 40 --late-rank 1 --late-ms 200 --compute-ms 1
    check 'sites[0]["calls"] == 36 and sites[0]["table"][-1] == 1' # four made it worth preparing
    "$starling" arrivals 1 | tee arrivals.txt
    grep -q '^Rank 1 stands out' arrivals.txt || fail "arrivals does not name rank 1"
    "$starling" arrivals 1 --json | python3 -c "
import json, sys
late = json.load(sys.stdin)[0]['ranks'][1]
assert abs(late['lateness'] - 0.2) < 0.02, late"
    "$starling" explain 1 | grep -q 'In force: ' || fail "explain does not say what is in force"
    ;;
  left_alone)
    # On a busy machine calls between sleeps of 20 ms may be long enough to be worth it, but not most of the time.
    run 2 --iterations 20 --count 1 --late-ms 0 --compute-ms 20
    "$starling" sites --json >sites.json 2>why.txt
    [[ $(<sites.json) != "[]" ]] || grep -q 'each rank made 21 such calls' why.txt || fail "calls are not counted"
    # The mean over two ranks, of which one has spent 60 ms.
    spent=$(sqlite3 "$STARLING_DB" 'SELECT coalesce(unprepared_seconds, 0) > 0.03 FROM runs')
    [[ $(<sites.json) == "[]" || $spent == 1 ]] || fail "it was not worth preparing"
    ;;
  little_else)
    run 4
    check 'len(sites) == 1 and 9000 < sites[0]["calls"] <= 10000 - 32'
    ;;
  several_programs)
    # Where Starling is in one of them only, it waits for the others in MPI_Init.
    timeout --kill-after=10 480 "$starling" run -n 1 -- "$program" --iterations 20 : -n 2 "$program" --iterations 20 \
      --compute-ms 6
    check 'sites[0]["calls"] == 20 and sites[0]["communicator_size"] == 3'
    ;;
  *) fail "there is no case $case_name" ;;
esac
echo "$case_name: passed"
