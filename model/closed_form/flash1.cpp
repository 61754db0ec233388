#include "model/closed_form/flash1.hpp"

#include "model/closed_form/bill.hpp"
#include "model/closed_form/expression.hpp"
#include "model/closed_form/tiles.hpp"
#include "model/closed_form/visited.hpp"

namespace tilemeter {
namespace {

bool counts_init(const Case& point) { return point.options.init == StatisticsInit::counted; }
bool elides_first(const Case& point) { return point.options.first_visit == FirstVisit::elides_read; }

void require_compatible_options(const Case& point) {
  if (!counts_init(point) || !elides_first(point)) return;
  throw InputError(
      "--init with --elide-first: the initial O, l and m are either written, or not read at the first visit; choose "
      "one");
}

/// What init and unread first visits add to the sum, given what each is in the formula's symbols.
std::string option_terms(const Case& point, const std::string& initial, const std::string& first_visits) {
  if (counts_init(point)) return " + " + initial;
  if (elides_first(point)) return " - " + first_visits;
  return "";
}

std::string textbook_expression(const Case& point) {
  const std::string loads = point.options.row_splits > 1 ? "2 min(z, Tr) Nd" : "2Nd";
  const std::string options = option_terms(point, "Nd + 2N", "Nd - 2N");
  if (point.problem.mask.kind == MaskKind::none) {
    return over_streams(point.problem, loads + " + Tc(3Nd + 4N)" + options) +
           (point.options.row_splits > 1 ? ", z = row splits" : "");
  }
  return over_streams(point.problem, "2Nd + R(3d + 4)" + options) + ", R = query rows of all visited tiles";
}

bool has_textbook_expression(const Case& point) {
  const MaskKind mask = point.problem.mask.kind;
  const bool plain_causal = mask == MaskKind::causal && point.options.row_splits == 1;
  return is_textbook(point.problem) && (mask == MaskKind::none || plain_causal);
}

}  // namespace

Work flash1_bill(const Case& point) {
  require_compatible_options(point);
  const Problem& problem = point.problem;
  const VisitedSums visited(problem, point.tiling.block_q, point.tiling.block_k);
  const Wide visits = visited.query_rows_streamed();
  const Wide reads = elides_first(point) ? visits - visited.live_rows() : visits;
  const Wide writes = counts_init(point) ? visits + problem.rows() : visits;
  const Wide keys = visited.key_rows_loaded(point.options.row_splits);

  Bill bill(problem, TensorName::O);
  bill.read(TensorName::K, {keys, problem.head_dim});
  bill.read(TensorName::V, {keys, problem.head_dim_v});
  bill.read(TensorName::Q, {visits, problem.head_dim});
  bill.read(TensorName::O, {reads, problem.head_dim_v});
  bill.write(TensorName::O, {writes, problem.head_dim_v});
  for (const TensorName statistic : {TensorName::l, TensorName::m}) {
    bill.read(statistic, {reads});
    bill.write(statistic, {writes});
  }
  bill.multiply_add({visited.scores(), Wide(problem.head_dim) + problem.head_dim_v});
  bill.score_exponentials({visited.scores()});
  bill.rescale_exponentials({visits});
  bill.tiles({visited.tiles()});
  return bill.work();
}

std::string flash1_expression(const Case& point) {
  if (has_textbook_expression(point)) return textbook_expression(point);
  return over_streams(point.problem, "Kn(d + dv) + R(d + 2dv + 4)" +
                                         option_terms(point, rows_symbol(point.problem) + "(dv + 2)", "live(dv + 2)")) +
         ", Kn = key rows loaded, R = query rows of all visited tiles" +
         (elides_first(point) ? ", live = query rows with a visited tile" : "");
}

std::vector<KernelTiles> flash1_tiles(const Case& point) { return {{"flash1", streaming_tiles(point)}}; }

}  // namespace tilemeter
