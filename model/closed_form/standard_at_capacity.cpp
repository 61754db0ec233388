#include "model/closed_form/standard_at_capacity.hpp"

#include <string>

#include "model/wide.hpp"

namespace tilemeter {
namespace {

void require_wide_at_least(Wide value, Wide minimum, const std::string& subject) {
  if (value >= minimum) return;
  throw InputError(subject + ": must be at least " + std::to_string(minimum.narrow()));
}

}  // namespace

StandardAtCapacity standard_at_capacity(Count seq, Count head_dim, Elements capacity) {
  require_wide_at_least(seq, 1, "--seq " + std::to_string(seq));
  require_wide_at_least(head_dim, 1, "--head-dim " + std::to_string(head_dim));
  return named("standard attention at capacity elements", [&] {
    const Wide n = seq;
    const Wide d = head_dim;
    const Wide m = capacity.value();
    require_wide_at_least(m, Wide(2) * d + 1,
                          "--sram " + std::to_string(capacity.value()) + "el: standard attention with --head-dim " +
                              std::to_string(head_dim) + " holds a row, a key and a score");
    const Wide panel_rows = floor_div(m - d, d + 1);
    const Wide panels = ceil_div(n, panel_rows);
    const Wide score_passes = n > m ? 5 : 4;
    const Wide total = score_passes * n * n + (Wide(2) * panels + 2) * n * d;
    return StandardAtCapacity{panel_rows.narrow(), panels.narrow(), Elements(total.narrow())};
  });
}

}  // namespace tilemeter
