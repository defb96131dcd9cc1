# The hosts of the emulated cluster and what runs on them. Sourced by `cluster` and by `cluster_rsh`.

# Namespaces belong to the machine, and so does what is known of them: not to a user's session.
state_root=/run/starling-lab
name=${STARLING_LAB_NAME:-starling}
folder=$state_root/$name
subnet=10.77.0
switch=$name-switch

die() {
  echo "tools/lab/cluster: $1" >&2
  exit "${2:-1}"
}

check_name() {
  [[ $name =~ ^[a-z][a-z0-9-]{0,19}$ ]] ||
    die "STARLING_LAB_NAME is '$name', which is no name; take up to 20 small letters, digits and hyphens" 2
}

require() {
  local tool=$1 package=$2
  command -v "$tool" >/dev/null || die "there is no $tool here; install the package $package"
}

require_root() {
  ((EUID == 0)) || die "network namespaces need root (CAP_NET_ADMIN and CAP_SYS_ADMIN); run this with sudo"
  require ip iproute2
  require tc iproute2
  require unshare util-linux
  require hostname hostname
  require ps procps
}

# The file `hosts` has a row for each host: NAME ADDRESS NAMESPACE RATE CLOCK_OFFSET, where the offset may be `-`.
# The file `shape` holds the options of `up`; it is written last, so that it is there only when the cluster is whole.
hosts() { cat "$folder/hosts"; }
count_hosts() { wc -l <"$folder/hosts"; }

# All network namespaces of this cluster, whether `up` came to note them or not.
namespaces() {
  find /run/netns -mindepth 1 -maxdepth 1 -printf '%f\n' 2>/dev/null | grep -xE "$name-(host[0-9]+|switch)"
}

is_up() {
  local namespace
  [[ -e $folder/shape ]] || return 1
  while read -r _ _ namespace _; do
    [[ -e /run/netns/$namespace ]] || return 1
  done < <(hosts)
  [[ -e /run/netns/$switch ]]
}

require_up() {
  if is_up; then return 0; fi
  if [[ -e $folder ]]; then die "the cluster is not whole; run: tools/lab/cluster down, then up"; fi
  die "the cluster is down; run: tools/lab/cluster up -n 8 --rate 200mbit"
}

# in_nanoseconds DURATION: 5ms is 5000000.
in_nanoseconds() {
  awk -v text="$1" 'BEGIN {
    unit["ns"] = 1; unit["us"] = 1e3; unit["ms"] = 1e6; unit["s"] = 1e9; unit["h"] = 3600e9
    name = text; sub(/^[-+0-9.]*/, "", name)
    printf "%.0f\n", text * unit[name]
  }'
}

# enter HOST COMMAND...: becomes the command, on a host given by its name or address, or on `switch`, where launchers
# run. A host's processes have its network, its name (UTS namespace), its session folder and, where its clock is set
# apart, its clock (time namespace).
enter() {
  local wanted=$1 row host namespace offset clock=()
  shift
  row=$({ hosts && echo "switch $subnet.254 $switch - -"; } | awk -v wanted="$wanted" '$1 == wanted || $2 == wanted')
  [[ -n $row ]] || die "there is no host $wanted in the cluster $name"
  read -r host _ namespace _ offset <<<"$row"
  unset OMPI_MCA_orte_tmpdir_base
  if [[ $offset != - ]]; then
    clock=("$(dirname "${BASH_SOURCE[0]}")/cluster_clock" "$(in_nanoseconds "$offset")")
  fi
  export TMPDIR=$folder/$host
  # shellcheck disable=SC2016
  exec ip netns exec "$namespace" unshare --uts sh -c 'hostname "$1" && shift && exec "$@"' sh "$host" \
    ${clock[@]+"${clock[@]}"} "$@"
}

# The ids of all processes that live in the cluster.
processes() {
  local namespace
  while read -r namespace; do
    ip netns pids "$namespace" 2>/dev/null || true
  done < <(namespaces)
}

# processes_end_within SECONDS: waits until nothing runs in the cluster; fails when something still does.
processes_end_within() {
  local tries=$(($1 * 10))
  while [[ -n $(processes) ]]; do
    ((tries-- > 0)) || return 1
    sleep 0.1
  done
}

# Ends whatever runs in the cluster, gently first.
end_processes() {
  local signal
  for signal in TERM KILL KILL; do
    if [[ -z $(processes) ]]; then return 0; fi
    processes | xargs --no-run-if-empty kill "-$signal" 2>/dev/null || true
    if processes_end_within 3; then return 0; fi
  done
  die "these processes of the cluster do not end: $(processes | xargs)"
}

# Lists what runs on each host, a process per line, with its rank where it has one. Processes may end meanwhile.
describe_processes() {
  local host namespace id rank
  while read -r host _ namespace _; do
    while read -r id; do
      rank=$(tr '\0' '\n' 2>/dev/null <"/proc/$id/environ" | awk -F = '/^(OMPI_COMM_WORLD|PMI)_RANK=/ { print $2 }') ||
        continue
      ps -o pid=,stat=,time=,args= -p "$id" |
        awk -v where="$host${rank:+, rank $rank}" '{ print "  " where ": process " substr($0, 1, 100) }' || true
    done < <(ip netns pids "$namespace" 2>/dev/null)
  done < <(hosts)
}
