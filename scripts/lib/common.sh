# Shared by the scripts: where the tree is, how they speak. Sourced, never run.
set -euo pipefail

BALLOT_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
BALLOT_BUILD=${BALLOT_BUILD:-$BALLOT_ROOT/build}

say() { printf '%s\n' "$*"; }
step() { printf '\n== %s\n' "$*"; }
warn() { printf '%s\n' "$*" >&2; }
die() { warn "$(basename "$0"): $*"; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

# at_least 3.25.1 3.24: is the first version not older than the second?
at_least() { [[ $(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n1) == "$2" ]]; }

# The first thing on stdin that looks like a version.
first_version() { grep -oE '[0-9]+\.[0-9]+(\.[0-9]+)*' | head -n1; }
