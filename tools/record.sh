#!/usr/bin/env bash
# Records what stands in traces/measured/GPU: probes, every kernel over its grid, other libraries beside them, and profiles.
#
#   tools/record.sh FOLDER [PART...]    PART: probe kernels peers profile sanitize; all by default
#
# PROGRAM (default build/gpu/tilemeter) is the program, TESTS (default build/gpu/tests/kernels/kernels_gpu_test) the GPU
# tests. Peers need PyTorch, profiles ncu. A part that fails leaves what it wrote and makes the script fail at its end.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:?which folder: tools/record.sh FOLDER [PART...]}
shift
program=${PROGRAM:-build/gpu/tilemeter}
tests=${TESTS:-build/gpu/tests/kernels/kernels_gpu_test}
tokens=16384 hidden=2048
failed=()
mkdir -p "$folder"

# run NAME COMMAND...: one recording; its command stands in the file that it writes.
run() {
  local name=$1
  shift
  local began=$SECONDS
  "$@" || failed+=("$name")
  echo "$name: $((SECONDS - began)) s"
}

# measure NAME OPTIONS...: a JSON document of points.
measure() {
  local name=$1
  shift
  run "$name" "$program" measure "$@" --format json -o "$folder/$name.json"
}

# sizes SEQ DIM: batch and heads at the same number of tokens and hidden size.
sizes() { echo "--seq $1 --head-dim $2 --batch $((tokens / $1)) --heads $((hidden / $2))"; }

attention_grid() {
  local kernel=$1 lengths=$2 dims=$3 seq dim
  shift 3
  for dim in $dims; do
    for seq in $lengths; do
      # shellcheck disable=SC2046
      measure "${kernel}_n${seq}_d${dim}" --kernel "$kernel" $(sizes "$seq" "$dim") --dtype bf16 "$@"
    done
  done
}

record_kernels() {
  attention_grid flash2 "512 1024 2048 4096 8192 16384" "64 128 256" --mask none,causal
  measure flash2_other_dims --kernel flash2 --seq 4096 --head-dim 96,192 --batch 4 --heads 16 --dtype bf16,fp16 --mask none,causal
  measure flash2_ragged --kernel flash2 --seq-q 1000,3001 --seq-k 1000,4099 --head-dim 64,128 --batch 4 --heads 16 \
    --dtype bf16 --mask none,causal,window:511:0
  measure flash2_grouped --kernel flash2 --seq 4096 --head-dim 128 --batch 4 --heads 32 --kv-heads 4,8 --dtype fp16 --causal
  measure flash2_sustained --kernel flash2 --seq 4096 --head-dim 128 --batch 4 --heads 16 --dtype bf16 --mask none,causal --sustained
  attention_grid flash1 "1024 4096 16384" "64 128" --o-dtype fp32 --row-splits 4
  attention_grid standard "512 1024 2048 4096 8192 16384" "64 128"
  measure flash2_plain --kernel flash2_plain --seq 512,1024,2048 --head-dim 64,128 --heads 16 --dtype fp32 --mask none,causal
  measure split_kv --kernel split_kv --seq-q 1 --seq-k 4096,16384,65536 --batch 1,8,64 --heads 32 --kv-heads 8 --head-dim 128 \
    --packed --dtype bf16
  measure split_kv_ungrouped --kernel split_kv --seq-q 1 --seq-k 8192 --batch 8,64 --heads 8 --head-dim 64,128 --packed --dtype fp16
  measure softmax --kernel softmax --rows 131072 --cols 4096 --dtype bf16 --variant naive,safe,online,resident
  measure softmax_short --kernel softmax --rows 8192 --cols 512,1000,8192 --dtype bf16 --variant online,resident
  measure elementwise --kernel elementwise --length 536870912,8388608 --ops 1,4 --dtype bf16 --variant fused,unfused
  measure linear_attention --kernel linear_attention --seq 1024,4096 --head-dim 64 --batch 8 --heads 16 --dtype bf16 \
    --variant scores,state,state_memory
  measure gemm --kernel gemm --m 2048,4096,8192 --n 4096,8192 --k 4096,8192 --dtype bf16
}

record_peers() {
  run peers_attention python3 tools/peers.py attention --seq 512,1024,2048,4096,8192,16384 --head-dim 64,128,256 \
    --tokens "$tokens" --hidden "$hidden" --causal both --backend flash,cudnn --cache both -o "$folder/peers_attention.json"
  run peers_decode python3 tools/peers.py attention --seq-q 1 --seq 8192,65536 --head-dim 128 --batch 8,64 --heads 32 \
    --kv-heads 8 --causal no --backend flash,cudnn --cache cold -o "$folder/peers_decode.json"
  run peers_gemm python3 tools/peers.py gemm --m 4096,8192 --n 8192 --k 8192 --cache both -o "$folder/peers_gemm.json"
  run peers_copy python3 tools/peers.py copy --bytes 1073741824,4294967296 --cache cold -o "$folder/peers_copy.json"
}
