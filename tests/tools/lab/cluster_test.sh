#!/usr/bin/env bash
# The emulated cluster as a user has it: cluster_test.sh CASE CLUSTER PROGRAM PROGRAM_SOURCE
# Exits with 77, which CTest counts as skipped, where the machine cannot do what the case needs.
set -euo pipefail
case_name=$1 cluster=$2 program=$3 source=$4

export STARLING_LAB_NAME=test$$
state=/run/starling-lab/$STARLING_LAB_NAME
folder=$(mktemp -d)
trap 'finish $?' EXIT

finish() {
  local status=$1
  if ((EUID == 0)) && ! "$cluster" down >/dev/null; then status=1; fi
  rm -rf "$folder"
  exit "$status"
}

fail() {
  echo "FAILED: $1" >&2
  exit 1
}

skip() {
  echo "SKIPPED: $1"
  exit 77
}

need_namespaces() {
  ((EUID == 0)) || skip "network namespaces need root"
  if ! type -P ip tc >/dev/null; then skip "there is no ip or no tc (package iproute2)"; fi
  unshare --net true || skip "this machine makes no network namespaces"
}

# fails_with STATUS TEXT COMMAND...: the command fails with this exit status and one line that has the text in it.
fails_with() {
  local expected=$1 text=$2 status=0
  shift 2
  "$@" >"$folder/out" 2>"$folder/err" || status=$?
  ((status == expected)) || fail "'$*' ends with $status, not $expected: $(cat "$folder/err")"
  grep -qF -- "$text" "$folder/err" || fail "'$*' says '$(cat "$folder/err")', without '$text'"
  (($(wc -l <"$folder/err") == 1)) || fail "'$*' says more than one line: $(cat "$folder/err")"
}

# refuses STATUS TEXT ARGUMENT...: the same of the cluster with these arguments.
refuses() { fails_with "$1" "$2" "$cluster" "${@:3}"; }

# expect TEXT FILE
expect() { grep -qF -- "$1" "$2" || fail "there is no '$1' in: $(cat "$2")"; }

# prints TEXT COMMAND...: the command succeeds and prints this line alone.
prints() {
  local text=$1 printed
  shift
  printed=$("$@") || fail "'$*' fails"
  [[ $printed == "$text" ]] || fail "'$*' prints '$printed', not '$text'"
}

# status_is STATUS TEXT: the exit status of `status`, and the start of what it says.
status_is() {
  local status=0
  "$cluster" status >"$folder/status" || status=$?
  [[ $status == "$1" && $(<"$folder/status") == "$2"* ]] || fail "status: $status, $(<"$folder/status"); not $1, $2"
}

run() { timeout --kill-after=10 240 "$cluster" run "$@"; }

wait_for() {
  local tries=300
  until "$@" >/dev/null 2>&1; do
    ((tries-- > 0)) || fail "waited 30 s for: $*"
    sleep 0.1
  done
}

# Everything in the cluster has its session folder in its environment.
left_running() {
  local id
  for id in /proc/[0-9]*; do
    if tr '\0' '\n' 2>/dev/null <"$id/environ" | grep -q "^TMPDIR=$state/"; then echo "${id##*/}"; fi
  done
}

check_nothing_runs() {
  local left
  left=$(left_running | paste -sd,)
  [[ -z $left ]] || fail "$1 leaves processes: $(ps -o pid,args -p "$left")"
}

check_nothing_left() {
  check_nothing_runs "$1"
  [[ ! -e $state ]] || fail "$1 leaves $state"
  if ip netns list | grep "^$STARLING_LAB_NAME-"; then fail "$1 leaves network namespaces"; fi
  [[ $(ip -oneline link show | wc -l) == "$links" ]] || fail "$1 leaves links: $(ip -brief link show)"
}

# In the background bash lets SIGINT be ignored, and a script cannot undo that.
in_background() {
  env --default-signal=INT "$cluster" "$@" >"$folder/background" 2>&1 &
  background=$!
}

# interrupt SIGNAL STATUS: sends the signal to what was started in the background, and checks how that ends.
interrupt() {
  local status=0
  kill "-$1" "$background"
  wait "$background" 2>/dev/null || status=$?
  ((status == $2)) || fail "after $1 the exit status is $status, not $2: $(cat "$folder/background")"
}

rank_runs() {
  status_is 0 up:
  grep "rank $1:" "$folder/status"
}

arguments() {
  "$cluster" --help >"$folder/out"
  expect "usage: tools/lab/cluster COMMAND" "$folder/out"
  refuses 2 "which command"
  refuses 2 "swim is no command" swim
  refuses 2 "'fast' is no rate" up --rate fast
  refuses 2 "'200' is no rate" up --rate 200
  refuses 2 "'0mbit' is no rate" up --rate 0mbit
  refuses 2 "'-5mbit' is no rate" up --rate -5mbit
  refuses 2 "number of hosts is from 1 to 250" up -n 0
  refuses 2 "number of hosts is from 1 to 250" up -n 251
  refuses 2 "number of hosts is from 1 to 250" up -n eight
  refuses 2 "there is no host 8" up -n 8 --slow 8:50mbit
  refuses 2 "it is HOST:RATE" up --slow 50mbit
  refuses 2 "it is HOST:RATE" up --slow -1:50mbit
  refuses 2 "'quick' is no rate" up --slow 3:quick
  refuses 2 "there is no host 9" up --clock-offset 9:5ms -n 4
  refuses 2 "'5' is no duration" up --clock-offset 3:5
  refuses 2 "3:-900000h: no clock goes back beyond the start" up --clock-offset 3:-900000h
  refuses 2 "has no value" up -n
  refuses 2 "--fast is not understood" up --fast yes
  refuses 2 "which program" run
  refuses 2 "which program" run --
  refuses 2 "hostname is not understood" run hostname
  refuses 2 "--timeout '0'" run --timeout 0 -- true
  refuses 2 "-n 'x'" run -n x -- true
  refuses 2 "--mca needs a name and a value" run --mca name
  refuses 2 "not with --mpich" run --mpich --mca name value -- true
  refuses 2 "takes nothing" down now
  refuses 2 "takes nothing" status now
  STARLING_LAB_NAME=No/Name refuses 2 "is no name" status
}

# What is missing is named in one sentence: root, its rights, a tool.
missing() {
  need_namespaces
  local tool
  mkdir "$folder/bin"
  for tool in bash cat dirname readlink; do ln -s "$(type -P "$tool")" "$folder/bin/$tool"; done
  fails_with 1 "install the package iproute2" env PATH="$folder/bin" "$cluster" up
  ln -s "$(type -P ip)" "$folder/bin/ip"
  fails_with 1 "there is no tc here" env PATH="$folder/bin" "$cluster" up
  # Another user may not be allowed to read where the script lies.
  mkdir -m 755 "$folder/lab"
  cp "$(dirname "$cluster")"/cluster* "$folder/lab"
  chmod 755 "$folder"
  fails_with 1 "run this with sudo" setpriv --reuid 65534 --clear-groups "$folder/lab/cluster" up
  fails_with 1 "cannot make a network namespace" \
    setpriv --inh-caps -sys_admin,-net_admin --bounding-set -sys_admin,-net_admin "$folder/lab/cluster" up
  check_nothing_left "an up that fails"
}

# end_is_limited WHERE DEVICE RATE: of one end of a link, as the kernel has it.
end_is_limited() {
  tc -n "$STARLING_LAB_NAME-$1" qdisc show dev "$2" >"$folder/out"
  expect "rate $3 burst 256Kb lat 400ms" "$folder/out"
}

shape() {
  need_namespaces
  refuses 1 "the cluster is down" run -- hostname
  refuses 1 "the cluster is down" mpirun hostname
  status_is 3 down
  "$cluster" up -n 3 --rate 100mbit --slow 1:20mbit --clock-offset 2:-5ms
  prints "already up: -n 3 --rate 100mbit --slow 1:20mbit --clock-offset 2:-5ms" \
    "$cluster" up --clock-offset 2:-5ms -n 3 --slow 1:20mbit --rate 100mbit
  refuses 1 "up with another shape (-n 3 --rate 100mbit --slow 1:20mbit --clock-offset 2:-5ms)" up -n 4 --rate 100mbit
  status_is 0 "up: tools/lab/cluster up -n 3 --rate 100mbit --slow 1:20mbit --clock-offset 2:-5ms"
  end_is_limited switch p1 20Mbit
  end_is_limited host1 e0 20Mbit
  end_is_limited switch p2 100Mbit
  end_is_limited host2 e0 100Mbit
  "$cluster" down
  check_nothing_left "down"
  "$cluster" down
}

run_programs() {
  need_namespaces
  "$cluster" up -n 3 --rate 100mbit --clock-offset 1:2h --clock-offset 2:-5ms
  local again rank offset
  for again in first second; do
    echo "the $again run"
    STARLING_LAB_TEST=hello run -- "$program" | tee "$folder/out"
    for rank in 0 1 2; do
      offset=0
      if ((rank == 1)); then offset=7200000000000; fi
      if ((rank == 2)); then offset=-5000000; fi
      expect "rank $rank of 3 on host$rank: sum 3, clock offset $offset ns, caller says hello, files in $state/host$rank" \
        "$folder/out"
    done
    check_nothing_runs "a run"
  done
  run -n 5 -- "$program" >"$folder/out"
  [[ $(grep -c ' of 5 on host0:' "$folder/out") == 2 ]] || fail "host0 has not 2 of 5 ranks: $(cat "$folder/out")"
  # shellcheck disable=SC2016
  prints "typed 7" run --mca coll_tuned_use_dynamic_rules 7 -n 1 -- \
    sh -c 'read -r line; echo "$line $OMPI_MCA_coll_tuned_use_dynamic_rules"' <<<"typed"
  # shellcheck disable=SC2016
  prints "hi from host0" "$cluster" mpirun -n 1 -x GREETING=hi sh -c 'echo "$GREETING from $(hostname)"'
  check_failures
}

check_failures() {
  local status=0
  refuses 1 "there is no program no-such-program" run -- no-such-program
  refuses 1 "is no program that can be run" run -- "$folder/none"
  run -- sh -c 'exit 7' >/dev/null 2>&1 || status=$?
  ((status == 7)) || fail "the exit status of the program becomes $status"
  status=0
  run --timeout 3 -- "$program" hang 2>"$folder/err" || status=$?
  ((status == 124)) || fail "a hanging program ends with $status, not 124"
  expect "did not end within 3 s" "$folder/err"
  expect "host1, rank 1: process" "$folder/err"
  check_nothing_runs "a timeout"
}

# A stand-in for starling-bench shows what it is given.
bench() {
  need_namespaces
  printf '#!/bin/sh\necho "given: $*"\n' >"$folder/starling-bench"
  chmod +x "$folder/starling-bench"
  cp "$folder/starling-bench" "$folder/other"
  "$cluster" up -n 1 --rate 200mbit
  prints "given: --count 1Mi --beta 40ns" run -- "$folder/starling-bench" --count 1Mi
  prints "given: --beta 8ns" run -- "$folder/starling-bench" --beta 8ns
  prints "given: --beta=8ns" run -- "$folder/starling-bench" --beta=8ns
  prints "given: --count 1" run -- "$folder/other" --count 1
  PATH=$folder:$PATH prints "given: 2 words" run -- other "2 words"
}

interrupted() {
  need_namespaces
  local signal
  for signal in "INT 130" "TERM 143" "HUP 143"; do
    echo "up, then $signal"
    in_background up -n 250 --rate 10mbit # so many that it is not done when the signal comes, on a busy machine, too
    wait_for test -e "/run/netns/$STARLING_LAB_NAME-host5"
    interrupt $signal
    check_nothing_left "up, interrupted,"
  done
  "$cluster" up -n 3 --rate 100mbit
  for signal in "INT 130" "TERM 143"; do
    echo "run, then $signal"
    in_background run -- "$program" hang
    wait_for rank_runs 1
    refuses 1 "something runs on the cluster already" run -- hostname
    interrupt $signal
    check_nothing_runs "a run, interrupted,"
  done
  run -- "$program" >/dev/null
  in_background run -- "$program" hang
  wait_for rank_runs 1
  "$cluster" down
  check_nothing_left "down during a run"
  wait "$background" && fail "a run whose cluster is removed succeeds"
  expect "the cluster was removed during the run" "$folder/background"
}

killed() {
  need_namespaces
  in_background up -n 60 --rate 10mbit
  wait_for test -e "/run/netns/$STARLING_LAB_NAME-host5"
  interrupt KILL 137
  status_is 3 "not whole"
  refuses 1 "not whole" run -- hostname
  "$cluster" up -n 2 --rate 100mbit
  [[ $(ip netns list | grep -c "^$STARLING_LAB_NAME-") == 3 ]] || fail "up leaves what the killed up has made"
  in_background run -- "$program" hang
  wait_for rank_runs 1
  interrupt KILL 137
  [[ -n $(left_running) ]] || fail "the killed run leaves nothing, so that this case tests nothing"
  run -- "$program" >"$folder/out" 2>"$folder/err"
  expect "rank 1 of 2 on host1: sum 1" "$folder/out"
  expect "ending what an earlier run has left" "$folder/err"
  check_nothing_runs "the next run"
  ip netns delete "$STARLING_LAB_NAME-host1"
  "$cluster" down
  check_nothing_left "down"
}

mpich() {
  need_namespaces
  if ! type -P mpiexec.hydra mpicc.mpich >/dev/null; then skip "there is no MPICH (packages mpich, libmpich-dev)"; fi
  mpicc.mpich "$source" -o "$folder/program"
  "$cluster" up -n 3 --rate 100mbit --clock-offset 1:5ms
  run --mpich -- "$folder/program" | tee "$folder/out"
  expect "rank 1 of 3 on host1: sum 3, clock offset 5000000 ns, caller says -, files in $state/host1" "$folder/out"
  expect "rank 2 of 3 on host2: sum 3, clock offset 0 ns, caller says -, files in $state/host2" "$folder/out"
  prints "loaded" run --mpich -n 1 -- sh -c 'grep -q mpich_finalize.so /proc/self/maps && echo loaded'
  printf '#!/bin/sh\necho "given: $*"\n' >"$folder/starling-bench-mpich"
  chmod +x "$folder/starling-bench-mpich"
  prints "given: -x --beta 80ns" run --mpich -n 1 -- "$folder/starling-bench" -x
  in_background run --mpich -- "$folder/program" hang
  wait_for rank_runs 1
  interrupt INT 130
  check_nothing_runs "a run, interrupted,"
}

links=$(ip -oneline link show 2>/dev/null | wc -l)
case $case_name in
  arguments | missing | shape | bench | killed | mpich) "$case_name" ;;
  run) run_programs ;;
  interrupt) interrupted ;;
  *) fail "there is no case $case_name" ;;
esac
echo "$case_name: passed"
