#!/usr/bin/env bash
# mpirun_apart.sh MPIRUN ARGUMENTS...: runs Open MPI's mpirun in a folder of its own. All runs of a user make and remove
# the same folder for what they need meanwhile, so that one may fail where another one begins or ends at that moment.
set -euo pipefail
folder=$(mktemp -d "${TMPDIR:-/tmp}/starling-run-XXXXXX")
trap 'rm -rf "$folder"' EXIT
OMPI_MCA_orte_tmpdir_base=$folder "$@"
