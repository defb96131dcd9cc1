# Running programs on the emulated cluster. Sourced by `cluster`.

# A launcher among several on PATH is known by what it says of itself.
find_open_mpi() {
  local candidate
  for candidate in mpirun.openmpi mpirun orterun; do
    if "$candidate" --version 2>/dev/null | grep 'Open MPI' >/dev/null; then
      command -v "$candidate"
      return 0
    fi
  done
  die "there is no mpirun of Open MPI here; install the packages openmpi-bin and libopenmpi-dev"
}

find_mpich() {
  command -v mpiexec.hydra || die "there is no mpiexec.hydra here; install the packages mpich and libmpich-dev"
}

# find_program NAME: its absolute path.
find_program() {
  local wanted=$1 built build="cmake --preset release && cmake --build --preset release"
  built=${STARLING_BUILD:-$root/build/release}/bin/$wanted
  if [[ $wanted == */* ]]; then
    [[ -f $wanted && -x $wanted ]] || die "run: $wanted is no program that can be run"
    realpath "$wanted"
  elif [[ -x $built ]]; then
    echo "$built"
  elif ! type -P "$wanted"; then
    [[ $wanted != starling-bench-mpich ]] ||
      die "run: $wanted is not built yet; that needs the package libmpich-dev: $build"
    [[ $wanted == starling-* ]] || die "run: there is no program $wanted in build/release/bin or on PATH"
    die "run: $wanted is not built yet: $build"
  fi
}

# Sets launcher to Open MPI's command line up to the program's ranks. Ranks that spin would starve each other here, and
# each "host" believes that it has all cores, so nothing is bound to one.
open_mpi() {
  local mpirun
  mpirun=$(find_open_mpi)
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  launcher=("$mpirun"
    --mca plm rsh --mca plm_rsh_agent "$lab/cluster_rsh" --mca plm_rsh_no_tree_spawn 1
    --mca orte_default_hostfile "$folder/hostfile" --mca oob_tcp_if_include "$subnet.0/24"
    --mca pml ob1 --mca btl "tcp,self,vader" --mca btl_tcp_if_include "$subnet.0/24"
    --mca mpi_yield_when_idle 1 --oversubscribe --bind-to none)
}

# The same for MPICH, which otherwise finds shared memory between the "hosts", gives the launcher's session folder to
# all ranks, and may not end.
mpich() {
  local hydra preload ranks=$1
  hydra=$(find_mpich)
  preload=$(build_preload)
  export UCX_TLS=tcp,self UCX_NET_DEVICES=e0 MPIR_CVAR_NOLOCAL=1
  launcher=(env --unset=TMPDIR "$hydra" -launcher rsh -launcher-exec "$lab/cluster_rsh"
    -localhost "$subnet.254" -iface e0 -hosts "$(hosts | awk '{ print $2 }' | paste -sd,)"
    -genv LD_PRELOAD "${LD_PRELOAD:+$LD_PRELOAD:}$preload" -ppn "$(per_host "$ranks")" -n "$ranks")
}

# Builds mpich_finalize.c and says where it is: not in a session folder, because /run may be closed to programs.
build_preload() {
  local library=$root/build/lab/mpich_finalize.so
  require cc build-essential
  mkdir -p "${library%/*}"
  cc -shared -fPIC -O2 "$lab/mpich_finalize.c" -o "$library.$$" || die "cannot build $library"
  mv "$library.$$" "$library"
  echo "$library"
}

per_host() { echo $((($1 + $(count_hosts) - 1) / $(count_hosts))); }

cluster_run() {
  local ranks="" limit=600 mpich=0 parameters=() program launcher
  while (($# > 0)) && [[ $1 != -- ]]; do
    case $1 in
      -n) ranks=${2:-} && shift ;;
      --timeout) limit=${2:-} && shift ;;
      --mpich) mpich=1 ;;
      --mca)
        (($# >= 3)) || die "run: --mca needs a name and a value" 2
        parameters+=(--mca "$2" "$3")
        shift 2
        ;;
      *) die "run: $1 is not understood; it is: run [OPTIONS] -- PROGRAM [ARGUMENTS]; --help lists the options" 2 ;;
    esac
    shift
  done
  (($# >= 2)) || die "run: which program? It is: run [OPTIONS] -- PROGRAM [ARGUMENTS]" 2
  shift
  [[ $limit =~ ^[1-9][0-9]{0,5}$ ]] || die "run: --timeout '$limit': it is a whole number of seconds above 0" 2
  [[ -z $ranks || $ranks =~ ^[1-9][0-9]{0,3}$ ]] || die "run: -n '$ranks': it is a number of ranks above 0" 2
  ((mpich == 0 || ${#parameters[@]} == 0)) || die "run: --mca is Open MPI's; it goes not with --mpich" 2
  require_root
  require_up
  ranks=${ranks:-$(count_hosts)}
  if ((mpich)); then
    mpich "$ranks"
  else
    open_mpi
    launcher+=(${parameters[@]+"${parameters[@]}"} --map-by "ppr:$(per_host "$ranks"):node" -n "$ranks")
  fi
  complete_program "$mpich" "$@"
  launch "$limit" "${launcher[@]}" "${program[@]}"
}

# Sets program to the path and the arguments, with what only the cluster knows added for starling-bench.
complete_program() {
  local mpich=$1 wanted=$2 path argument rate
  shift 2
  if ((mpich)) && [[ ${wanted##*/} == starling-bench ]]; then wanted+=-mpich; fi
  path=$(find_program "$wanted")
  program=("$path" "$@")
  if [[ ${wanted##*/} != starling-bench && ${wanted##*/} != starling-bench-mpich ]]; then return 0; fi
  # What was learned at another rate would be taken over, and what is learned here by the user's programs.
  export STARLING_DB=${STARLING_DB:-:memory:}
  for argument; do
    if [[ $argument == --beta || $argument == --beta=* ]]; then return 0; fi
  done
  rate=$(awk '{ for (i = 1; i < NF; ++i) if ($i == "--rate") print $(i + 1) }' "$folder/shape")
  program+=(--beta "$(mbit_per_second "$rate" | awk '{ print 8e3 / $1 "ns" }')")
}

cluster_mpirun() {
  local launcher
  require_root
  require_up
  open_mpi
  launch 0 "${launcher[@]}" "$@"
}

# launch LIMIT COMMAND...: runs a launcher on the switch, for at most LIMIT seconds (0: as long as it takes), and ends
# with its exit status. However it ends, nothing of it is left running.
launch() {
  local limit=$1 timer="" first="" status=0
  shift
  exec {run_lock}<"$folder/hosts"
  flock --nonblock "$run_lock" || die "something runs on the cluster already, and would be disturbed; see: status"
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  trap end_run EXIT
  end_leftovers
  start "$@"
  if ((limit > 0)); then
    count_down "$limit" {run_lock}<&- </dev/null &>/dev/null &
    timer=$!
  fi
  wait -n -p first "$job" ${timer:+"$timer"} || status=$?
  if [[ -n $timer && $first == "$timer" ]]; then
    echo "tools/lab/cluster: the run did not end within $limit s and is ended. What still ran on the hosts:" >&2
    describe_processes >&2
    exit 124
  fi
  if [[ -n $timer ]]; then kill "$timer" 2>/dev/null || true; fi
  exit "$status"
}

# Each time an agent starts faster than mpirun can move it to a process group, mpirun says so, and that means nothing.
filter_notices() {
  trap '' INT TERM HUP # what comes last counts, too
  exec {run_lock}<&-
  exec grep --line-buffered --invert-match 'plm:rsh: Warning: setpgid'
}

# Starts a launcher in the background and sets job. With a process group of its own it meets no Ctrl-C but end_run, and
# may not read from a terminal. Open MPI's own notices come through a filter; what ranks print does not.
start() {
  if [[ -t 0 ]]; then exec </dev/null; fi
  exec {notices}> >(filter_notices >&2)
  filter=$!
  set -m
  OPAL_OUTPUT_STDERR_FD=$notices enter switch "$@" {run_lock}<&- <&0 &
  job=$!
  set +m
  exec {notices}>&-
}

# Sleeps in small pieces, so that nothing waits for long when this script is killed.
count_down() {
  local left=$1
  while ((left-- > 0)) && kill -0 $$; do sleep 1; done
}

end_leftovers() {
  if [[ -z $(processes) ]]; then return 0; fi
  echo "tools/lab/cluster: ending what an earlier run has left:" >&2
  describe_processes >&2
  end_processes
}

# The launcher ends its job when it is told to; what does not heed it is ended one by one.
end_run() {
  local status=$?
  trap '' INT TERM HUP
  trap - EXIT
  if [[ -n ${job:-} ]]; then kill -TERM "$job" 2>/dev/null || true; fi
  if ! processes_end_within 5; then end_processes; fi
  if [[ -n ${filter:-} ]]; then wait "$filter" || true; fi
  if ! is_up; then echo "tools/lab/cluster: the cluster was removed during the run" >&2; fi
  exit "$status"
}
