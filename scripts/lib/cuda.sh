# SPDX-License-Identifier: Apache-2.0
# Finds nvcc and a GPU. find_cuda sets NVCC and NVCC_VERSION, or NO_CUDA_REASON; and GPU, or NO_GPU_REASON.

cuda_minimum() { sed -nE 's/^set\(BALLOT_CUDA_MINIMUM ([0-9.]+)\).*/\1/p' "$BALLOT_ROOT/CMakeLists.txt"; }

# Every nvcc that this machine might have, the most explicit choice first.
nvcc_candidates() {
  local folder
  if [[ -n ${CUDACXX:-} ]]; then command -v "$CUDACXX" || true; fi
  type -aP nvcc || true
  for folder in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda; do
    if [[ -n $folder && -x $folder/bin/nvcc ]]; then say "$folder/bin/nvcc"; fi
  done
  for folder in /usr/local/cuda-*; do
    if [[ -x $folder/bin/nvcc ]]; then say "$folder/bin/nvcc"; fi
  done | sort -rV
}

# Takes the first nvcc that is new enough. An old one that comes first (the distribution's, for example) must not hide a newer one.
find_cuda() {
  NVCC= NVCC_VERSION= NO_CUDA_REASON= GPU= NO_GPU_REASON=
  local minimum candidate version old=
  minimum=$(cuda_minimum)
  if [[ ${BALLOT_CUDA:-AUTO} == OFF ]]; then
    NO_CUDA_REASON="BALLOT_CUDA=OFF is set in the environment"
  else
    while read -r candidate; do
      version=$("$candidate" --version 2>/dev/null | sed -nE 's/.*, V([0-9]+\.[0-9]+).*/\1/p') || true
      if [[ -n $version ]] && at_least "$version" "$minimum"; then
        NVCC=$candidate NVCC_VERSION=$version
        break
      fi
      old=${old:-"$candidate is version ${version:-unknown}, $minimum or newer is needed"}
    done < <(nvcc_candidates)
    if [[ -z $NVCC ]]; then NO_CUDA_REASON=${old:-"nvcc was not found on PATH, in \$CUDA_HOME, \$CUDA_PATH or /usr/local/cuda*"}; fi
  fi
  if [[ ${BALLOT_CUDA:-AUTO} == ON && -z $NVCC ]]; then die "BALLOT_CUDA=ON is set, but $NO_CUDA_REASON"; fi
  if have nvidia-smi; then
    # A broken driver and a machine without a GPU print a message where the name would be.
    GPU=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null) || GPU=
    GPU=${GPU%%$'\n'*}
    if [[ $GPU == "No devices"* ]]; then GPU=; fi
  fi
  if [[ -z $GPU ]]; then NO_GPU_REASON="nvidia-smi finds no GPU here"; fi
}

# choose_host_compiler: sets CXX to a compiler that nvcc accepts, for host code and kernels alike. The system's own may be too
# new for an older nvcc, as Debian 13's g++ 14 is for its nvcc 12.4.
choose_host_compiler() {
  local candidate
  for candidate in "${CXX:-g++}" g++-15 g++-14 g++-13 g++-12; do
    if have "$candidate" && "$NVCC" -ccbin "$candidate" -std=c++20 -x cu -c -o /dev/null - >/dev/null 2>&1 <<<'
        #include <span>
        __global__ void kernel() {}'; then
      if [[ $candidate != "${CXX:-}" ]]; then
        warn "nvcc $NVCC_VERSION does not accept ${CXX:-g++}: $candidate compiles all, as if CXX=$candidate were set"
        export CXX=$candidate
      fi
      return 0
    fi
  done
  die "nvcc $NVCC_VERSION accepts no compiler that is here. Install an older one, for example the package g++-13; CXX=g++-13 names it. BALLOT_CUDA=OFF does without nvcc"
}

# explain_no_cuda WHAT-IS-LEFT-OUT
explain_no_cuda() {
  say "Without CUDA: $NO_CUDA_REASON."
  say "  Left out: $1."
  if [[ ${BALLOT_CUDA:-AUTO} == OFF ]]; then return; fi
  say "  To have it: enable NVIDIA's CUDA repository for this distribution and install its cuda-toolkit-13-0"
  say "  (any cuda-toolkit-* from $(cuda_minimum) on will do; a GPU is not needed to compile). Of the distributions'"
  say "  own nvidia-cuda-toolkit, Debian 13's (12.4) is new enough, and needs g++-13 beside it; Debian 12's (11.8) and"
  say "  Ubuntu 24.04's (12.0) are not."
}
