#include "sim/run.hpp"

#include "sim/catalog.hpp"
#include "sim/gpu.hpp"
#include "sim/ledger.hpp"

namespace tilemeter {
namespace {

void run_ghost(const Algorithm& algorithm, const Case& point, const Budget& budget, Sink& sink) {
  const Case complete = accepted(algorithm.formula(), point);
  Gpu<Ghost> gpu(sink, budget);
  algorithm.count(gpu, complete);
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
