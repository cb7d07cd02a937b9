# SPDX-License-Identifier: Apache-2.0
# Shared by the scripts: the folders, and how messages are printed. Sourced, never run.
set -euo pipefail

BALLOT_ROOT=$(CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
BALLOT_BUILD=${BALLOT_BUILD:-$BALLOT_ROOT/build}
if [[ $BALLOT_BUILD != /* ]]; then BALLOT_BUILD=$PWD/$BALLOT_BUILD; fi

say() { printf '%s\n' "$*"; }
step() { printf '\n== %s\n' "$*"; }
warn() { printf '%s\n' "$*" >&2; }
die() { warn "$(basename "$0"): $*"; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

# build_folder FOLDER: makes it, or stops with the reason why nothing can be built there, before anything else is done.
build_folder() {
  local folder=$1
  if ! mkdir -p "$folder" 2>/dev/null || [[ ! -w $folder ]]; then
    while [[ ! -e $folder ]]; do folder=$(dirname "$folder"); done
    warn "$(basename "$0"): $1 cannot be written: $folder belongs to $(stat -c %U "$folder" 2>/dev/null || echo another user), or is read-only."
    die "BALLOT_BUILD=FOLDER in the environment builds in another folder"
  fi
}

# at_least 3.25.1 3.24: succeeds if the first version is not older than the second.
at_least() { [[ $(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n1) == "$2" ]]; }

# Prints the first thing on stdin that looks like a version.
first_version() { grep -oE '[0-9]+\.[0-9]+(\.[0-9]+)*' | head -n1; }
