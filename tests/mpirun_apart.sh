#!/usr/bin/env bash
# mpirun_apart.sh MPIRUN ARGUMENTS...: runs Open MPI's mpirun in a folder of its own. All runs of a user make and remove
# the same folder for what they need meanwhile, so that one may fail where another one begins or ends at that moment.
set -euo pipefail
if (($# == 0)); then
  echo "mpirun_apart.sh: it takes the command line of an mpirun" >&2
  exit 2
fi
folder=$(mktemp -d "${TMPDIR:-/tmp}/starling-run-XXXXXX")
trap 'rm -rf "$folder"' EXIT
# `timeout` sends its signal to mpirun, too, which needs the folder until it has ended the ranks.
trap : TERM INT HUP
OMPI_MCA_orte_tmpdir_base=$folder "$@"
