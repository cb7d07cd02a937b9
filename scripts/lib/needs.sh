# SPDX-License-Identifier: Apache-2.0
# The tools and libraries that this project needs. Each is tried; a missing one is installed with apt.
#
# A need is a function need_NAME that succeeds if the thing works, a line WHY[NAME], and a Debian/Ubuntu package
# PACKAGE[NAME]. Trying is better than asking dpkg: things from source, from conda or from a module count too. A need function
# may set variables, such as the name of the program that it found: ensure calls it in the script's own shell.
declare -A PACKAGE WHY

PACKAGE[compiler]=g++ WHY[compiler]="a C++20 compiler, g++ 12 or newer"
need_compiler() {
  local candidate
  for candidate in ${CXX:+"$CXX"} g++ g++-15 g++-14 g++-13 g++-12; do
    if have "$candidate" && "$candidate" -std=c++20 -x c++ -fsyntax-only - >/dev/null 2>&1 <<<'
        #include <bit>
        #include <concepts>
        #include <source_location>
        #include <span>
        #if !defined(__clang__) && __GNUC__ < 12
        #error too old
        #endif
        static_assert(std::popcount(5u) == 2);'; then
      export CXX=$candidate
      return 0
    fi
  done
  return 1
}

PACKAGE[cmake]=cmake WHY[cmake]="CMake 3.24 or newer"
need_cmake() { have cmake && have ctest && at_least "$(cmake --version | first_version)" 3.24; }

PACKAGE[ninja]=ninja-build WHY[ninja]="the build tool of the presets"
need_ninja() { have ninja && ninja --version >/dev/null 2>&1; }

PACKAGE[python]=python3 WHY[python]="the scripts' own tools and the command line's tests"
need_python() { have python3 && python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; }

PACKAGE[python_headers]=python3-dev WHY[python_headers]="the Python package's module"
need_python_headers() { python3 -c 'import pathlib, sys, sysconfig; sys.exit(not pathlib.Path(sysconfig.get_path("include"), "Python.h").exists())' 2>/dev/null; }

PACKAGE[pip]=python3-pip WHY[pip]="Python's packages"
need_pip() { python3 -m pip --version >/dev/null 2>&1; }

# compiles HEADER [LIBRARY]: succeeds if the compiler finds the header, and the linker the library.
compiles() {
  local header=$1 library=${2:-}
  # No pipe, whose first part fails where the compiler does not read to the end (pipefail).
  "${CXX:-g++}" -x c++ - -o /dev/null ${library:+"-l$library"} >/dev/null 2>&1 <<<"#if !__has_include(<$header>)
#error
#endif
int main() {}"
}
PACKAGE[fmt]=libfmt-dev WHY[fmt]="the command's text"
need_fmt() { compiles fmt/format.h fmt; }
PACKAGE[cli11]=libcli11-dev WHY[cli11]="the command's options"
need_cli11() { compiles CLI/CLI.hpp; }
PACKAGE[json]=nlohmann-json3-dev WHY[json]="the command's reports"
need_json() { compiles nlohmann/json.hpp; }
PACKAGE[tbb]=libtbb-dev WHY[tbb]="the command's CPU engine"
need_tbb() { compiles tbb/version.h tbb || compiles oneapi/tbb/version.h tbb; }
PACKAGE[png]=libpng-dev WHY[png]="the command's pictures"
need_png() { compiles png.h png; }
PACKAGE[zlib]=zlib1g-dev WHY[zlib]="the command's .gz files"
need_zlib() { compiles zlib.h z; }
PACKAGE[zstd]=libzstd-dev WHY[zstd]="the command's .zst files"
need_zstd() { compiles zstd.h zstd; }
PACKAGE[webp]=libwebp-dev WHY[webp]="the command's films"
need_webp() { compiles webp/mux.h webpmux; }
PACKAGE[gltf]=libtinygltf-dev WHY[gltf]="the command's meshes in glTF"
need_gltf() { compiles tiny_gltf.h; }
PACKAGE[doctest]=doctest-dev WHY[doctest]="the tests"
need_doctest() { compiles doctest/doctest.h; }
PACKAGE[benchmark]=libbenchmark-dev WHY[benchmark]="the benchmarks"
need_benchmark() { compiles benchmark/benchmark.h benchmark; }
PACKAGE[doxygen]=doxygen WHY[doxygen]="the API reference"
need_doxygen() { have doxygen && doxygen --version >/dev/null 2>&1; }
# Older releases do not compile our C++20. Debian 12 and Ubuntu 24.04 have 16 beside their own; Debian 13's own is newer.
PACKAGE[tidy]=clang-tidy-16 WHY[tidy]="clang-tidy 16 or newer, for scripts/tidy"
need_tidy() {
  local candidate
  for candidate in clang-tidy-16 clang-tidy-{17,18,19,20,21} clang-tidy; do
    if have "$candidate" && at_least "$("$candidate" --version | first_version)" 16; then CLANG_TIDY=$candidate; return 0; fi
  done
  PACKAGE[tidy]=clang-tidy-16
  if have apt-cache && [[ $(LC_ALL=C apt-cache policy clang-tidy-16 2>/dev/null) != *'Candidate: '[0-9]* ]]; then PACKAGE[tidy]=clang-tidy; fi
  return 1
}
PACKAGE[matplotlib]=python3-matplotlib WHY[matplotlib]="plots"
need_matplotlib() { # the package is for the system's Python, which may not be the first in PATH
  local candidate
  for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c 'import matplotlib' >/dev/null 2>&1; then PLOTTING_PYTHON=$candidate; return 0; fi
  done
  return 1
}
PACKAGE[highway]=libhwy-dev WHY[highway]="the command's CPU engine: a vectorised sort"
need_highway() { compiles hwy/contrib/sort/vqsort.h hwy_contrib; }
PACKAGE[re2]=libre2-dev WHY[re2]="the command's regular expressions"
need_re2() { compiles re2/re2.h re2; }

# What the preset ci builds: the command and all tests.
NEEDS_OF_TESTS=(compiler cmake ninja python python_headers fmt cli11 json tbb png zlib zstd webp gltf highway re2 doctest)

# find_missing NEED...: sets missing
find_missing() {
  local need
  missing=()
  for need in "$@"; do
    if ! "need_$need"; then missing+=("$need"); fi
  done
}

list_needs() {
  local need
  for need in "$@"; do printf '  %-20s %s\n' "${PACKAGE[$need]}" "${WHY[$need]}"; done
}

# ensure NEED...: installs the missing needs, or lists them and stops.
ensure() {
  local need root=() packages=() unknown=()
  # The compiler comes first, since it tries the others.
  need_compiler || true
  find_missing "$@"
  if ((${#missing[@]} == 0)); then return 0; fi

  step "Missing on this machine"
  list_needs "${missing[@]}"
  for need in "${missing[@]}"; do packages+=("${PACKAGE[$need]}"); done
  if ! have apt-get; then die "there is no apt-get here: install these with your system's package manager and run this again"; fi
  if ((EUID != 0)); then
    # sudo asks for a password once. A user who may not use it sees that before apt-get begins.
    if ! have sudo || ! { sudo -n true 2>/dev/null || { [[ -t 0 ]] && sudo -v; }; }; then
      die "neither root nor sudo: ask an administrator to run  apt-get install ${packages[*]}"
    fi
    root=(sudo)
  fi

  step "Reading the package lists with apt-get"
  # If the update fails (offline), the packages may still be in apt's cache.
  "${root[@]}" apt-get -q update || warn "apt-get update failed; continuing with the package lists that are here"
  # Which package a need has may depend on what apt offers, which is known only now.
  find_missing "${missing[@]}"
  packages=()
  for need in "${missing[@]}"; do packages+=("${PACKAGE[$need]}"); done
  step "Installing with apt-get: ${packages[*]}"
  for need in "${packages[@]}"; do
    if [[ $(LC_ALL=C apt-cache policy "$need" 2>/dev/null) != *'Candidate: '[0-9]* ]]; then unknown+=("$need"); fi
  done
  if ((${#unknown[@]})); then
    warn "apt's enabled sources do not have: ${unknown[*]}"
    warn "(no network, or a component is not enabled: on Ubuntu most of these are in 'universe',"
    warn " add-apt-repository universe; on Debian they are in 'main')"
    die "missing, and apt does not offer all of these: ${packages[*]}"
  fi
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends \
    -o DPkg::Lock::Timeout=120 install "${packages[@]}" || die "apt-get could not install: ${packages[*]}"

  hash -r
  need_compiler || true
  find_missing "$@"
  if ((${#missing[@]})); then
    warn "Still missing or too old, although the packages of this distribution are installed:"
    list_needs "${missing[@]}" >&2
    die "this project needs newer versions of these than this distribution has"
  fi
}
