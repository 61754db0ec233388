#!/usr/bin/env bash
# Installs what is missing, builds the program, and runs its main job: the SRAM sweep with its closed-form check, as a table
# and as HTML reports.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/stage.sh

build() {
  cmake --preset release -B build/demo -DTILEMETER_TESTS=OFF -DTILEMETER_CUDA=OFF >/dev/null
  cmake --build build/demo --target tilemeter -- --quiet
}

stage "setup" tools/setup.sh build report
stage "build" build

tilemeter=build/demo/tilemeter
rm -f build/demo/*.partial  # of a demo that was interrupted
budgets=12500el,25000el,50000el,100000el,200000el
point=(--seq 4096 --head-dim 64)
echo
echo "Traffic of attention, N = 4096, d = 64, against the SRAM budget M, each with the largest tiles that fit:"
"$tilemeter" sweep --algorithm standard,flash1,flash2 "${point[@]}" --sram $budgets --blocks fit
"$tilemeter" sweep --algorithm standard,flash1,flash2 "${point[@]}" --sram 8000el:512000el:*2,$budgets --blocks paper,fit,optimum \
  --no-capacity -o build/demo/sram.html
"$tilemeter" sweep --algorithm flash1,flash2 "${point[@]}" --sram 50000el --block-q 16:256:+16 --block-k 16:256:+16 \
  -o build/demo/blocks.html
echo
echo "Reports to open in a browser: build/demo/sram.html (traffic against M) and build/demo/blocks.html (against block sizes)"
