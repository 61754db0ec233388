#include "sim/run.hpp"

#include "sim/catalog.hpp"
#include "sim/gpu.hpp"
#include "sim/ledger.hpp"

namespace tilemeter {
namespace {

void check_tiling(const Tiling& tiling) {
  const auto require = [](Count value, Count minimum, std::string_view option) {
    if (value >= minimum) return;
    throw InputError(std::string(option) + " " + std::to_string(value) + ": must be at least " +
                     std::to_string(minimum));
  };
  require(tiling.block_q, 1, "--block-q");
  require(tiling.block_k, 1, "--block-k");
  require(tiling.block_d, 0, "--block-d");
  require(tiling.stages, 1, "--stages");
}

void run_ghost(const Algorithm& algorithm, const Case& point, const Budget& budget, Sink& sink) {
  validate(point.problem);
  check_tiling(point.tiling);
  if (point.options.row_splits < 1) {
    throw InputError("--row-splits " + std::to_string(point.options.row_splits) + ": must be at least 1");
  }
  const bool materialises = algorithm.order == LoopOrder::untiled || algorithm.order == LoopOrder::gemm;
  if (point.problem.mask.kind == MaskKind::arbitrary && !materialises) {
    throw InputError(std::string(algorithm.name) +
                     " takes no arbitrary mask; only algorithms that materialise the scores do");
  }
  Gpu<Ghost> gpu(sink, budget);
  algorithm.count(gpu, point);
}

}  // namespace

Counted count(const Algorithm& algorithm, const Case& point, const Budget& budget, Folding folding) {
  Ledger ledger(folding == Folding::folded ? Fold::all : Fold::none);
  run_ghost(algorithm, point, budget, ledger);
  return {.work = ledger.work(), .memory = ledger.memory()};
}

std::vector<SmUse> count_per_sm(const Algorithm& algorithm, const Case& point, const Budget& budget, Count sms) {
  if (sms < 1) throw InputError("the number of SMs is " + std::to_string(sms) + ": must be at least 1");
  SmLedger ledger(sms);
  run_ghost(algorithm, point, budget, ledger);
  return ledger.sms();
}

}  // namespace tilemeter
