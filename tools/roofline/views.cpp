#include "tools/roofline/views.hpp"

#include <array>

namespace tilemeter::roofline {
namespace {

constexpr std::array all_views = {
    View{"critical-batch", "--critical-batch",
         "--math-dtype --weight-dtype --group-size --scale-dtype --zero-point-dtype --d-in --d-out --activation-dtype "
         "--sustained",
         critical_batches},
    View{"decode", "--decode",
         "--batch --heads --kv-heads --seq-q --seq-k --head-dim --head-dim-v --dtype --math-dtype --block-q --causal "
         "--time --sustained --floor",
         decode_step},
    View{"kv-cache", "--kv-cache",
         "--tokens --layers --kv-heads --head-dim --parameters --memory --reserve --weight-dtype --cache-dtype "
         "--group-size --scale-dtype --zero-point-dtype",
         kv_cache},
    View{"fusion", "--fusion", "--ops --length --side-elements --dtype --math-dtype --sustained --floor", fusion},
    View{"operation", "--flops", "--bytes --dtype --math-dtype --time --sustained --floor", operation},
    View{"ridges", "", "--dtype --sustained", ridges},
};

}  // namespace

std::span<const View> views() { return all_views; }

}  // namespace tilemeter::roofline
