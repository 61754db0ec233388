#!/usr/bin/env bash
# Builds the GPU tests, runs them, and runs a small part of them under compute-sanitizer's four tools.
#
#   tools/gpu.sh         on a machine with a GPU, nvcc, CMake, Catch2 and Eigen; exit status 77 without a GPU
#   tools/gpu.sh all     on any machine with nvcc: compiles every tiling of every kernel for sm_80, sm_89, sm_90a and sm_120
#   tools/gpu.sh pack    on any machine: copies toml++'s headers and Chart.js to build/packages, for a GPU machine without
#                        them; the folder, carried along with the sources, is found by itself
#
# BUILD (default build/gpu) is the build folder.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BUILD:-build/gpu}
packages=build/packages

pack() {
  local header
  header=$(c++ -x c++ -std=c++20 -M - <<<'#include <toml++/toml.h>' | grep -o '/[^ ]*/toml++/toml\.h' | head -n 1)
  mkdir -p "$packages/include"
  cp -r "$(dirname "$header")" "$packages/include/"
  cp -L /usr/share/javascript/chart.js/chart.min.js "$packages/"
  echo "packed toml++ and Chart.js into $packages"
}

# compile TARGET... -- OPTION...: builds targets in a build folder with CMake's options.
compile() {
  local targets=() options=(-DCMAKE_BUILD_TYPE=Release -DTILEMETER_CUDA=ON)
  while [[ $1 != -- ]]; do targets+=("$1") && shift; done
  shift
  options+=("$@")
  [[ -d $packages ]] && options+=("-DCMAKE_PREFIX_PATH=$PWD/$packages" "-DTILEMETER_CHART_JS=$PWD/$packages/chart.min.js")
  command -v ninja >/dev/null && [[ ! -e $build/CMakeCache.txt ]] && options+=(-G Ninja)
  cmake -S . -B "$build" "${options[@]}"
  cmake --build "$build" --parallel --target "${targets[@]}"
}

# sanitize: every tool on the small points of every kernel, then on the other small tests.
sanitize() {
  local sanitizer tool name test=$build/tests/kernels/kernels_gpu_test failed=()
  sanitizer=$(command -v compute-sanitizer || echo "${CUDA_PATH:-/usr/local/cuda}/bin/compute-sanitizer")
  if [[ ! -x $sanitizer ]]; then
    echo "compute-sanitizer: not found on PATH or under CUDA_PATH; the tests above ran without it" >&2
    return 1
  fi
  for tool in memcheck racecheck initcheck synccheck; do
    for name in $("$build/tilemeter" kernels | awk 'NR > 1 { print $1 }'); do
      echo "compute-sanitizer $tool, $name"
      "$sanitizer" --tool "$tool" --error-exitcode 3 "$test" '[each]' --section "$name" || failed+=("$tool, $name")
    done
    echo "compute-sanitizer $tool, the rest"
    "$sanitizer" --tool "$tool" --error-exitcode 3 "$test" '[small]~[each]' || failed+=("$tool, the rest")
  done
  [[ ${#failed[@]} -eq 0 ]] || printf 'failed: %s\n' "${failed[@]}" >&2
  [[ ${#failed[@]} -eq 0 ]]
}

case ${1:-run} in
  pack) pack ;;
  all)
    build=$build-all
    compile tilemeter_kernels -- "-DCMAKE_CUDA_ARCHITECTURES=80-real;89-real;90a-real;120-real"
    ;;
  run)
    compile tilemeter kernels_build_test kernels_gpu_test measuring_gpu_test probes_gpu_test --
    "$build/tests/kernels/kernels_build_test"
    for test in kernels measuring probes; do "$build/tests/kernels/${test}_gpu_test"; done
    sanitize
    ;;
  *)
    echo "tools/gpu.sh $1: accepted are nothing, all and pack" >&2
    exit 2
    ;;
esac
