#include "model/closed_form/catalog.hpp"

#include <array>

#include "model/closed_form/bill.hpp"
#include "model/closed_form/flash1.hpp"
#include "model/closed_form/flash2.hpp"
#include "model/closed_form/standard.hpp"
#include "model/closed_form/standard_tiled.hpp"
#include "model/closed_form/standard_unfused.hpp"
#include "model/closed_form/visited.hpp"

namespace tilemeter {
namespace {

/// What an algorithm computes under a mask: all scores, or the tiles with a visible pair.
enum class Coverage { full_rectangle, visited_tiles };

/// The type of O in memory: the operands', or that of an O that the algorithm reads back (`o_dtype`).
enum class OutputType { operand, read_back };

struct Entry {
  std::string_view name;
  Coverage coverage;
  OutputType output;
  Work (*bill)(const Case&);
  std::string (*expression)(const Case&);
};

constexpr std::array entries = {
    Entry{"standard", Coverage::full_rectangle, OutputType::operand, standard_bill, standard_expression},
    Entry{"standard_tiled", Coverage::full_rectangle, OutputType::operand, standard_tiled_bill,
          standard_tiled_expression},
    Entry{"standard_unfused", Coverage::full_rectangle, OutputType::operand, standard_unfused_bill,
          standard_unfused_expression},
    Entry{"flash1", Coverage::visited_tiles, OutputType::read_back, flash1_bill, flash1_expression},
    Entry{"flash2", Coverage::visited_tiles, OutputType::operand, flash2_bill, flash2_expression},
};

const Entry& find(std::string_view name) {
  for (const Entry& entry : entries) {
    if (entry.name == name) return entry;
  }
  std::string known;
  for (const Entry& entry : entries) known.append(known.empty() ? "" : ", ").append(entry.name);
  throw InputError("--algorithm " + std::string(name) + ": has no closed form; those with one are " + known);
}

void require_at_least(Count value, Count minimum, std::string_view option) {
  if (value >= minimum) return;
  throw InputError(std::string(option) + " " + std::to_string(value) + ": must be at least " + std::to_string(minimum));
}

void validate(const Entry& entry, const Case& point) {
  validate(point.problem);
  require_at_least(point.tiling.block_q, 1, "--block-q");
  require_at_least(point.tiling.block_k, 1, "--block-k");
  require_at_least(point.tiling.block_d, 0, "--block-d");
  require_at_least(point.options.row_splits, 1, "--row-splits");
  if (entry.coverage == Coverage::visited_tiles && point.problem.mask.kind == MaskKind::arbitrary) {
    throw InputError("--mask arbitrary: " + std::string(entry.name) +
                     " takes the masks none, causal, causal_top_left and window");
  }
}

/// Keys that some visited tile needs, of one K/V head, and the query rows of one stream in visited tiles.
struct Needed {
  Wide query_rows;
  Wide key_rows;
};

Needed needed(Coverage coverage, const Case& point) {
  const Problem& problem = point.problem;
  if (coverage == Coverage::visited_tiles) {
    const VisitedSums visited(problem, point.tiling.block_q, point.tiling.block_k);
    return {.query_rows = visited.live_rows(), .key_rows = visited.key_rows_loaded()};
  }
  const bool empty = problem.seq_q == 0 || problem.seq_k == 0;
  return empty ? Needed{} : Needed{.query_rows = problem.rows(), .key_rows = problem.seq_k};
}

Problem with_one_stream_per_kv_head(Problem problem) {
  problem.heads = problem.kv_heads;
  return problem;
}

}  // namespace

Work closed_form(std::string_view algorithm, const Case& point) {
  const Entry& entry = find(algorithm);
  validate(entry, point);
  return named("the visited tiles of a stream", [&] { return entry.bill(point); });
}

std::string expression_of(std::string_view algorithm, const Case& point) {
  const Entry& entry = find(algorithm);
  validate(entry, point);
  return entry.expression(point);
}

Work compulsory(std::string_view algorithm, const Case& point) {
  const Entry& entry = find(algorithm);
  validate(entry, point);
  const Problem& problem = point.problem;
  const Needed inputs = named("the visited tiles of a stream", [&] { return needed(entry.coverage, point); });
  const DType o_dtype = entry.output == OutputType::read_back ? problem.o_dtype : problem.dtype;

  Bill queries(problem, o_dtype);
  queries.read(TensorName::Q, {inputs.query_rows, problem.head_dim});
  queries.write(TensorName::O, {problem.rows(), problem.head_dim_v});
  Bill keys(with_one_stream_per_kv_head(problem));
  keys.read(TensorName::K, {inputs.key_rows, problem.head_dim});
  keys.read(TensorName::V, {inputs.key_rows, problem.head_dim_v});

  Work work = queries.work();
  add(work, keys.work());
  return work;
}

}  // namespace tilemeter
