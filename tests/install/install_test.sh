#!/usr/bin/env bash
# Uses an installed Starling in one way, as an outside project would:
#   install_test.sh stage|find_package|pkg_config|preload WORK_FOLDER BUILD_FOLDER MPIRUN...
set -euo pipefail
way=$1 work=$2 build=$3
shift 3
mpirun=("$@")
source=$(cd "$(dirname "$0")" && pwd)
prefix=$work/moved
outside=$work/$way
export STARLING_DB=$outside/tuning.db
rm -rf "$outside"
mkdir -p "$outside"
cd "$outside"

library_folder() { dirname "$(find "$prefix" -name libstarling.so)"; }

run_two_ranks() { timeout --kill-after=10 240 "${mpirun[@]}" -n 2 "$@"; }

stage() {
  rm -rf "$prefix"
  cmake --install "$build" --prefix "$outside/prefix"
  mv "$outside/prefix" "$prefix"
  for file in man/man1/starling.1 man/man1/starling-sites.1 bash-completion/completions/starling \
    zsh/site-functions/_starling fish/vendor_completions.d/starling.fish \
    doc/starling/LICENSE doc/starling/plot/LICENSE.interval-tree-1d; do
    [[ -s $prefix/share/$file ]]
  done
}

find_package() {
  cmake -S "$source/find_package" -B . -G Ninja -DCMAKE_PREFIX_PATH="$prefix"
  cmake --build .
  for program in linked linked_cxx; do
    run_two_ranks "./$program" | tee output
    grep --quiet "2 ranks, 0 wrong" output
  done
}

pkg_config() {
  PKG_CONFIG_PATH=$(library_folder)/pkgconfig
  export PKG_CONFIG_PATH
  local flags
  flags=$(pkg-config --cflags --libs starling)
  echo "pkg-config says: $flags"
  eval "cc -std=c11 '$source/linked.c' -o linked $flags"
  eval "c++ -x c++ '$source/linked.c' -x none -o linked_cxx $flags"
  run_two_ranks ./linked_cxx | tee output
  grep --quiet "2 ranks, 0 wrong" output
  run_two_ranks ./linked | tee output
  grep --quiet "starling $(pkg-config --modversion starling), 2 ranks, 0 wrong" output
}

preload() {
  mpicc -std=c11 "$source/unchanged.c" -o unchanged
  run_two_ranks ./unchanged
  [[ ! -e $STARLING_DB ]] # without the preload, nothing is learned
  STARLING_PREPARE=always timeout --kill-after=10 240 "$prefix/bin/starling" run -n 2 --oversubscribe -- ./unchanged | tee output
  grep --quiet "2 ranks, 0 wrong" output
  "$prefix/bin/starling" sites --json | tee sites
  python3 -c 'import json, sys; sys.exit([key["calls"] for key in json.load(sys.stdin)] != [50])' <sites
}

"$way"
