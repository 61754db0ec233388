#!/usr/bin/env bash
# Records what stands in traces/measured/GPU: probes, every kernel over its grid, other libraries beside them, and profiles.
#
#   tools/record.sh FOLDER [PART...]    PART: probe kernels ladders peers profile; all but ladders by default
#
# PROGRAM (default build/gpu/tilemeter) is the program, DEVICE (default h200) the description of this GPU, ONLY (default .) an
# extended regular expression: recordings whose names it does not match are left out. Peers need PyTorch, profiles ncu. A
# part that fails leaves what it wrote and makes the script fail at its end.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:?which folder: tools/record.sh FOLDER [PART...]}
shift
program=${PROGRAM:-build/gpu/tilemeter}
device=${DEVICE:-h200}
only=${ONLY:-.}
tokens=16384 hidden=2048
layer_tokens=1,2,4,8,16,32,64,96,128,160,192,224,256,320,384,448,512
failed=()
mkdir -p "$folder"

# run NAME COMMAND...: one recording; its command stands in the file that it writes.
run() {
  local name=$1
  shift
  [[ $name =~ $only ]] || return 0
  local began=$SECONDS
  "$@" || failed+=("$name")
  echo "$name: $((SECONDS - began)) s" >&2
}

# measure NAME OPTIONS...: a JSON document of points.
measure() {
  local name=$1
  shift
  run "$name" "$program" measure "$@" --format json -o "$folder/$name.json"
}

# sizes SEQ DIM: batch and heads at the same number of tokens and hidden size.
sizes() { echo "--seq $1 --head-dim $2 --batch $((tokens / $1)) --heads $((hidden / $2))"; }

# typed_grid NAME KERNEL TYPE LENGTHS DIMS OPTIONS...: a recording for every length and head dimension.
typed_grid() {
  local name=$1 kernel=$2 type=$3 lengths=$4 dims=$5 seq dim
  shift 5
  for dim in $dims; do
    for seq in $lengths; do
      # shellcheck disable=SC2046
      measure "${name}_n${seq}_d${dim}" --kernel "$kernel" $(sizes "$seq" "$dim") --dtype "$type" "$@"
    done
  done
}

attention_grid() {
  local kernel=$1
  shift
  typed_grid "$kernel" "$kernel" bf16 "$@"
}

record_kernels() {
  local layer
  attention_grid flash2 "512 1024 2048 4096 8192 16384" "64 128 256" --mask none,causal
  measure flash2_ragged --kernel flash2 --seq-q 1000,3001 --seq-k 4099 --head-dim 96,128,192 --batch 4 --heads 16 --dtype fp16 \
    --mask none,causal,window:511:0 --cache cold
  measure flash2_grouped --kernel flash2 --seq 4096 --head-dim 128 --batch 4 --heads 32 --kv-heads 4,8 --dtype bf16 --causal
  attention_grid flash3 "512 1024 2048 4096 8192 16384" "64 128 256" --mask none,causal --cache cold
  measure flash3_ragged --kernel flash3 --seq-q 1000,3001 --seq-k 4099 --head-dim 64,128,256 --batch 4 --heads 16 --kv-heads 4 \
    --dtype fp16 --mask none,causal,window:511:0 --cache cold
  typed_grid flash3_fp8 flash3 fp8 "1024 4096 8192 16384" "64 128 256" --mask none,causal --cache cold
  measure flash3_fp8_ragged --kernel flash3 --seq-q 1000,3001 --seq-k 4099 --head-dim 64,128,256 --batch 4 --heads 16 --kv-heads 4 \
    --dtype fp8 --mask none,causal,window:511:0 --cache cold
  measure flash2_sustained --kernel flash2 --seq 4096 --head-dim 128 --batch 4 --heads 16 --dtype bf16 --mask none,causal \
    --sustained --cache cold
  measure gemm --kernel gemm --m 4096,8192 --n 8192 --k 8192 --dtype bf16 --sustained --cache cold
  measure gemm_small --kernel gemm --m 512,2048 --n 2048 --k 2048,4096 --dtype fp16
  attention_grid standard_hopper "512 1024 4096 16384" "64 128" --cache cold
  attention_grid flash1 "1024 4096" "64 128" --block-q 64 --block-k 128 --o-dtype fp32,bf16 --row-splits 4 --cache cold
  attention_grid flash1 16384 "64 128" --block-q 64 --block-k 128 --o-dtype fp32,bf16 --row-splits 16 --cache cold
  attention_grid flash2_backward "512 1024 2048 4096 8192 16384" "64 128 256" --mask none,causal --cache cold
  measure flash2_backward_variants --kernel flash2_backward --seq 4096 --head-dim 128 --batch 4 --heads 16 --dtype bf16 \
    --mask none,causal --variant atomics,two_kernels --cache cold
  measure flash2_backward_deterministic --kernel flash2_backward --seq 4096 --head-dim 128 --batch 4 --heads 16 --dtype bf16 \
    --mask none,causal --deterministic --cache cold
  measure flash2_backward_grouped --kernel flash2_backward --seq-q 3001 --seq-k 4099 --head-dim 64,128 --batch 4 --heads 16 \
    --kv-heads 4 --dtype fp16 --mask none,causal,window:1023:0 --cache cold
  attention_grid flash3_backward "512 1024 2048 4096 8192 16384" "64 128" --mask none,causal --cache cold
  measure flash3_backward_deterministic --kernel flash3_backward --seq 4096 --head-dim 64,128 --batch 4 --heads 16 --dtype bf16 \
    --mask none,causal --deterministic --cache cold
  measure flash3_backward_grouped --kernel flash3_backward --seq-q 3001 --seq-k 4099 --head-dim 64,128 --batch 4 --heads 16 \
    --kv-heads 4 --dtype fp16 --mask none,causal,window:1023:0 --cache cold
  attention_grid flash1_backward "1024 4096" "64 128" --o-dtype fp32,bf16 --cache cold
  attention_grid standard_backward 512 "64 128" --cache cold
  layer="--tokens $layer_tokens --d-in 16384 --d-out 16384 --dtype bf16 --cache cold"
  # shellcheck disable=SC2086
  measure weight_layer --kernel weight_layer $layer
  # shellcheck disable=SC2086
  measure weight_layer_int8 --kernel weight_layer_int8 --weight-dtype int8 $layer
  measure weight_layer_groups --kernel weight_layer_int8 --weight-dtype int8 --tokens 16,128 --d-in 16384 --d-out 16384 \
    --group-size 64,128,16384 --dtype bf16 --cache cold
  measure split_kv --kernel split_kv --seq-q 1 --seq-k 4096,16384,65536 --batch 1,8,64 --heads 32 --kv-heads 8 --head-dim 128 \
    --packed --dtype bf16 --device "$device" --cache cold
  measure split_kv_ungrouped --kernel split_kv --seq-q 1 --seq-k 8192 --batch 8,64 --heads 8 --head-dim 64,128 --packed \
    --dtype fp16 --device "$device" --cache cold
  measure softmax --kernel softmax --rows 131072 --cols 4096 --dtype bf16 --variant naive,safe,online,resident --cache cold
  measure elementwise --kernel elementwise --length 268435456,8388608 --ops 1,4 --dtype bf16 --variant fused,unfused --cache cold
  measure linear_attention --kernel linear_attention --seq 1024,4096 --head-dim 64 --batch 8 --heads 16 --dtype bf16 \
    --variant scores,state,state_memory --cache cold
  measure standard --kernel standard --seq 2048 --head-dim 64,128,256 --batch 4 --heads 16 --dtype bf16 --mask none,causal --cache cold
  measure flash2_plain --kernel flash2_plain --seq 512,2048 --head-dim 64,128 --heads 16 --dtype fp32 --mask none,causal
}

# The rungs of flash3's ladder, which a build with -DTILEMETER_LADDERS=ON has.
record_ladders() {
  local rung
  for rung in $("$program" kernels | awk '$1 ~ /^flash3_rung/ { print $1 }'); do
    measure "$rung" --kernel "$rung" --seq 4096,8192 --head-dim 128 --batch 4 --heads 16 --dtype bf16 --mask none,causal --cache cold
  done
}

metrics=(l1tex__m_xbar2l1tex_read_bytes.sum l1tex__m_l1tex2xbar_write_bytes.sum lts__t_bytes.sum
  lts__t_sectors_srcunit_ltcfabric.sum lts__t_sectors_srcunit_tex_op_read.sum lts__t_sectors_srcunit_tex_op_write.sum
  dram__bytes_read.sum dram__bytes_write.sum gpu__time_duration.sum sm__cycles_elapsed.max sm__cycles_active.max
  sm__inst_executed_pipe_tensor_op_hmma.sum sm__inst_executed_pipe_tensor_op_gmma.sum
  smsp__inst_executed_op_local_ld.sum smsp__inst_executed_op_local_st.sum)

# profile NAME OPTIONS...: the points of a document, and beside it the counters of their launches in the same order.
profile() {
  local name=$1 options list
  shift
  [[ $name =~ $only ]] || return 0
  list=$(IFS=,; echo "${metrics[*]}")
  options="--replay-mode kernel --cache-control all --clock-control none"
  echo "# ncu $options" > "$folder/$name.csv"
  # shellcheck disable=SC2086
  run "$name" ncu --profile-from-start off $options --csv --page raw --print-units base --metrics "$list" \
    "$program" measure "$@" --profile --format json -o "$folder/$name.json" >> "$folder/$name.csv"
}

record_profiles() {
  profile profile_flash2 --kernel flash2 --seq 2048,4096 --head-dim 64,128 --batch 4 --heads 16 --dtype bf16 --mask none,causal
  profile profile_flash2_ragged --kernel flash2 --seq-q 3001 --seq-k 4099 --head-dim 128,256 --batch 4 --heads 16 --kv-heads 4 \
    --dtype fp16 --mask none,causal,window:1023:0
  profile profile_flash2_plain --kernel flash2_plain --seq 2048 --head-dim 64,128 --heads 16 --dtype fp32
  profile profile_flash1 --kernel flash1 --seq 4096 --head-dim 64,128 --block-q 64 --block-k 128 --batch 4 --heads 16 \
    --dtype bf16 --o-dtype fp32,bf16 --row-splits 4
  profile profile_standard_hopper --kernel standard_hopper --seq 2048 --head-dim 64,128 --batch 4 --heads 16 --dtype bf16
  profile profile_standard --kernel standard --seq 2048 --head-dim 64 --batch 4 --heads 16 --dtype bf16
  profile profile_split_kv --kernel split_kv --seq-q 1 --seq-k 8192,16384 --batch 64 --heads 32 --kv-heads 8 --head-dim 128 \
    --packed --dtype bf16 --splits 1
  profile profile_flash3 --kernel flash3 --seq 2048,4096 --head-dim 64,128,256 --batch 4 --heads 16 --dtype bf16 --mask none,causal
  profile profile_flash3_fp8 --kernel flash3 --seq 2048,4096 --head-dim 64,128,256 --batch 4 --heads 16 --dtype fp8 --mask none,causal
  profile profile_flash2_backward --kernel flash2_backward --seq 2048,4096 --head-dim 64,128 --batch 4 --heads 16 --dtype bf16 \
    --mask none,causal
  profile profile_flash3_backward --kernel flash3_backward --seq 2048,4096 --head-dim 64,128 --batch 4 --heads 16 --dtype bf16 \
    --mask none,causal
  profile profile_flash1_backward --kernel flash1_backward --seq 2048 --head-dim 64,128 --batch 4 --heads 16 --dtype bf16 \
    --o-dtype fp32,bf16
  profile profile_softmax --kernel softmax --rows 65536 --cols 4096 --dtype bf16 --variant naive,safe,online,resident
  profile profile_elementwise --kernel elementwise --length 134217728 --ops 3 --side-inputs 1 --dtype bf16 --variant fused,unfused
  profile profile_linear_attention --kernel linear_attention --seq 4096 --head-dim 64 --batch 8 --heads 16 --dtype bf16 \
    --variant scores,state
  profile profile_weight_layer --kernel weight_layer --tokens 16,192 --d-in 8192 --d-out 8192 --dtype bf16
  profile profile_weight_layer_int8 --kernel weight_layer_int8 --weight-dtype int8 --tokens 16,128 --d-in 8192 --d-out 8192 \
    --group-size 0,128 --dtype bf16
  profile profile_gemm --kernel gemm --m 4096,4104 --n 4096 --k 4096 --dtype bf16
}

record_peers() {
  run peers_attention python3 tools/peers.py attention --seq 1024,4096,16384 --head-dim 64,128,256 \
    --tokens "$tokens" --hidden "$hidden" --causal both --backend flash,cudnn --cache cold -o "$folder/peers_attention.json"
  run peers_gradients python3 tools/peers.py gradients --seq 1024,4096,16384 --head-dim 64,128,256 \
    --tokens "$tokens" --hidden "$hidden" --causal both --backend flash,cudnn --cache cold -o "$folder/peers_gradients.json"
  run peers_decode python3 tools/peers.py attention --seq-q 1 --seq 4096,16384,65536 --head-dim 128 --batch 8,64 --heads 32 \
    --kv-heads 8 --causal no --backend flash,cudnn --cache cold -o "$folder/peers_decode.json"
  run peers_gemm python3 tools/peers.py gemm --m 4096,8192 --n 8192 --k 8192 --cache cold -o "$folder/peers_gemm.json"
  run peers_layer python3 tools/peers.py layer --tokens "$layer_tokens" --d-in 16384 --d-out 16384 --cache cold \
    -o "$folder/peers_layer.json"
  run peers_copy python3 tools/peers.py copy --bytes 1073741824,4294967296 --cache cold -o "$folder/peers_copy.json"
}

parts=("$@")
[[ ${#parts[@]} -gt 0 ]] || parts=(probe kernels peers profile)
for part in "${parts[@]}"; do
  case $part in
    probe) run probe "$program" probe -o "$folder/rates.toml" ;;
    kernels) record_kernels ;;
    ladders) record_ladders ;;
    peers) record_peers ;;
    profile) record_profiles ;;
    *)
      echo "tools/record.sh: part $part: accepted are probe, kernels, ladders, peers, profile" >&2
      exit 2
      ;;
  esac
done
if [[ ${#failed[@]} -gt 0 ]]; then
  echo "failed: ${failed[*]}" >&2
  exit 1
fi
