# Making, removing and showing the emulated cluster. Sourced by `cluster`.

# Sets count, rate, slow (host -> rate), offsets (host -> duration) and shape, the options in their canonical form.
parse_shape() {
  count=8 rate=200mbit
  declare -gA slow=() offsets=()
  local slow_links=() clock_offsets=() each
  while (($# > 0)); do
    (($# >= 2)) || die "up: $1 is not understood, or has no value; --help lists the options" 2
    case $1 in
      -n) count=$2 ;;
      --rate) rate=$2 ;;
      --slow) slow_links+=("$2") ;;
      --clock-offset) clock_offsets+=("$2") ;;
      *) die "up: $1 is not understood; --help lists the options" 2 ;;
    esac
    shift 2
  done
  [[ $count =~ ^([1-9]|[1-9][0-9]|1[0-9][0-9]|2[0-4][0-9]|250)$ ]] ||
    die "up: -n $count: the number of hosts is from 1 to 250" 2
  check_rate --rate "$rate"
  for each in ${slow_links[@]+"${slow_links[@]}"}; do
    check_host --slow "$each" RATE
    check_rate --slow "${each#*:}"
    slow[${each%%:*}]=${each#*:}
  done
  for each in ${clock_offsets[@]+"${clock_offsets[@]}"}; do
    check_host --clock-offset "$each" DURATION
    [[ ${each#*:} =~ ^-?[0-9]+(\.[0-9]+)?(ns|us|ms|s|h)$ ]] ||
      die "up: --clock-offset $each: '${each#*:}' is no duration; it is a number with ns, us, ms, s or h, as 2h or -5ms" 2
    # A monotonic clock counts from the start of the machine and is never negative.
    (($(in_nanoseconds "${each#*:}") > -$(since_boot))) ||
      die "up: --clock-offset $each: no clock goes back beyond the start of the machine, $(($(since_boot) / 10**9)) s ago; set the others ahead instead" 2
    offsets[${each%%:*}]=${each#*:}
  done
  write_shape
}

# Prints for how many nanoseconds the machine has been running.
since_boot() {
  local seconds
  read -r seconds _ </proc/uptime
  echo $((${seconds%.*} * 10**9))
}

write_shape() {
  local host
  shape="-n $count --rate $rate"
  for ((host = 0; host < count; ++host)); do
    if [[ -n ${slow[$host]:-} ]]; then shape+=" --slow $host:${slow[$host]}"; fi
    if [[ -n ${offsets[$host]:-} ]]; then shape+=" --clock-offset $host:${offsets[$host]}"; fi
  done
}

check_rate() {
  [[ $2 =~ ^[0-9]{1,6}(\.[0-9]+)?(kbit|mbit|gbit)$ && $2 =~ [1-9] ]] ||
    die "up: $1: '$2' is no rate; it is a number above 0 with kbit, mbit or gbit, as 200mbit" 2
}

check_host() {
  [[ $2 =~ ^(0|[1-9][0-9]{0,2}):. ]] || die "up: $1 $2: it is HOST:$3, with the host's number" 2
  ((${2%%:*} < count)) || die "up: $1 $2: there is no host ${2%%:*}; the hosts are 0 to $((count - 1))" 2
}

mbit_per_second() {
  awk -v rate="$1" 'BEGIN { print rate * (rate ~ /kbit/ ? 1e-3 : rate ~ /gbit/ ? 1e3 : 1) }'
}

# One `up` or `down` at a time. The folder that is locked goes with the last cluster, hence the second look.
lock_state() {
  while true; do
    mkdir -p "$state_root" || die "cannot make $state_root"
    exec {state_lock}<"$state_root"
    flock --wait 30 "$state_lock" || die "another up or down has been at work for 30 s; try again when it is done"
    if [[ /proc/self/fd/$state_lock -ef $state_root ]]; then return 0; fi
    exec {state_lock}<&-
  done
}

cluster_up() {
  parse_shape "$@"
  require_root
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  trap 'rmdir "$state_root" 2>/dev/null || true' EXIT
  lock_state
  if is_up; then
    [[ $(<"$folder/shape") == "$shape" ]] ||
      die "the cluster is up with another shape ($(<"$folder/shape")); run: tools/lab/cluster down"
    echo "already up: $shape"
    return 0
  fi
  trap tear_down_quietly EXIT
  remove_all
  build
  trap - EXIT INT TERM HUP
  echo "up: $shape"
  if awk -v total="$count" -v rate="$(mbit_per_second "$rate")" -v cores="$(nproc)" \
    'BEGIN { exit !(total * rate > 800 * cores) }'; then
    echo "note: $count x $rate is more than the about 800mbit that each of $(nproc) cores can carry: the processor" \
      "will be measured, not the network" >&2
  fi
}

# attempt WHAT COMMAND...: one step of the set-up; its failure is told in one sentence. What the command says goes
# through a file: bash forgets a SIGINT that comes while the command of a substitution, its output closed, is ending.
attempt() {
  local what=$1 message
  shift
  if ! "$@" >"$folder/message" 2>&1; then
    message=$(<"$folder/message")
    die "cannot $what: ${message:-'$*' failed}"
  fi
}

build() {
  local index
  mkdir -p "$folder/switch"
  attempt "make a network namespace (in a container this needs --privileged)" ip netns add "$switch"
  attempt "use the switch's loopback" ip -n "$switch" link set lo up
  attempt "make a bridge (is the kernel module bridge there?)" ip -n "$switch" link add e0 type bridge
  attempt "give the bridge its address" ip -n "$switch" address add "$subnet.254/24" dev e0
  attempt "use the bridge" ip -n "$switch" link set e0 up
  for ((index = 0; index < count; ++index)); do
    build_host "$index" "$name-host$index" "$subnet.$((index + 1))" "${slow[$index]:-$rate}"
    echo "host$index $subnet.$((index + 1)) $name-host$index ${slow[$index]:-$rate} ${offsets[$index]:--}" \
      >>"$folder/hosts"
  done
  rm -f "$folder/message"
  awk '{ print $2, "slots=1" }' "$folder/hosts" >"$folder/hostfile"
  echo "$shape" >"$folder/shape"
}

# Both ends of a link are shaped, so that both directions are. A burst of 64kb lets iperf reach the rate, but makes MPI
# two to three times slower than it.
build_host() {
  local index=$1 namespace=$2 address=$3 limit=$4
  mkdir -p "$folder/host$index"
  attempt "make a network namespace" ip netns add "$namespace"
  attempt "use the loopback of host $index" ip -n "$namespace" link set lo up
  attempt "make a link (is the kernel module veth there?)" \
    ip -n "$switch" link add "p$index" type veth peer name e0 netns "$namespace"
  attempt "join host $index to the bridge" ip -n "$switch" link set "p$index" master e0 up
  attempt "give host $index its address" ip -n "$namespace" address add "$address/24" dev e0
  attempt "use the link of host $index" ip -n "$namespace" link set e0 up
  shape_end "$switch" "p$index" "$limit"
  shape_end "$namespace" e0 "$limit"
}

shape_end() {
  attempt "limit a link to $3 (is the kernel module sch_tbf there?)" \
    tc -n "$1" qdisc add dev "$2" root tbf rate "$3" burst 256kb latency 400ms
}

# Removes all there is of this cluster, also what an interrupted `up` has left.
remove_all() {
  local namespace link
  rm -f "$folder/shape" # from here on it is not whole, also when this is interrupted
  end_processes
  # A namespace that something holds open keeps its links, so they go by name.
  while read -r namespace; do
    while read -r link; do
      ip -n "$namespace" link delete "$link" 2>/dev/null || true
    done < <(ip -n "$namespace" -oneline link show 2>/dev/null | awk -F '[ :@]+' '$2 != "lo" { print $2 }')
    ip netns delete "$namespace" || die "cannot remove the network namespace $namespace"
  done < <(namespaces)
  rm -rf "$folder"
}

tear_down_quietly() {
  trap '' INT TERM HUP
  remove_all
  rmdir "$state_root" 2>/dev/null || true
}

cluster_down() {
  (($# == 0)) || die "down: $1 is not understood; it takes nothing" 2
  require_root
  lock_state
  tear_down_quietly
  echo "down"
}

cluster_status() {
  local host address namespace rate offset running
  (($# == 0)) || die "status: $1 is not understood; it takes nothing" 2
  require_root
  if ! is_up; then
    if [[ -e $folder || -n $(namespaces) ]]; then
      echo "not whole: an up was interrupted, or a part was removed; run: tools/lab/cluster down"
    else
      echo "down"
    fi
    return 3
  fi
  echo "up: tools/lab/cluster up $(<"$folder/shape")"
  {
    echo "host address rate clock_offset processes"
    while read -r host address namespace rate offset; do
      running=$(ip netns pids "$namespace" | wc -l) || true
      echo "$host $address $rate $offset $running"
    done < <(hosts)
  } | awk '{ printf "%-8s %-12s %-10s %-12s %s\n", $1, $2, $3, $4, $5 }'
  describe_processes
}
