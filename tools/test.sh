#!/usr/bin/env bash
# Installs what the tests need, builds the optimised and the sanitized program and the API reference, and runs every test that
# needs no GPU: laws and program optimised, everything but the program's own tests sanitized.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/stage.sh

stage "setup" tools/setup.sh build report test python mpi docs
# Other GPUs' code is compiled by a test, and of kernels one tiling and one type: tools/gpu.sh has all. Without CUDA the
# settings go unused.
stage "configure release" cmake --preset release -DCMAKE_CUDA_ARCHITECTURES=90a-real -DTILEMETER_FIRST_TILING=ON \
  -DTILEMETER_PYTHON=ON -DTILEMETER_MPI=ON --no-warn-unused-cli
stage "build release" cmake --build build/release --target optimised_tests
stage "configure dev" cmake --preset dev
stage "build dev" cmake --build build/dev
stage "headers without a source" cmake --build build/dev --target all_verify_interface_header_sets
stage "API reference" tools/docs.sh
stage "tests, optimised" ctest --preset release -L "law|program|browser" --parallel "$(nproc)"
stage "tests, sanitized" ctest --preset dev -L unit --parallel "$(nproc)"
echo "== all stages: $SECONDS s"
