#!/usr/bin/env bash
# Installs what the tests need, builds the optimised and the sanitized program, and runs every test that needs no GPU.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/stage.sh

stage "setup" tools/setup.sh build report test
for preset in release dev; do
  stage "configure $preset" cmake --preset "$preset"
  stage "build $preset" cmake --build "build/$preset"
done
stage "headers alone" cmake --build build/dev --target all_verify_interface_header_sets
stage "tests, optimised" ctest --preset release -LE gpu
stage "tests, sanitized" ctest --preset dev -L unit
echo "== all stages: $SECONDS s"
