// FlashAttention-3 forward: the scores of the next key tile come before this one is accumulated, in two groups of rows
// that take turns.
#include "model/closed_form/flash3.hpp"

#include "sim/algorithms/describe.hpp"
#include "sim/algorithms/query_outer.hpp"

namespace tilemeter {
namespace {

/// What one consumer group holds on chip. S of the next key tile lives beside P of this one.
template <class P>
struct Group {
  SharedTile<P> q;
  RegisterTile<P> o;
  RegisterTile<P> s;
  RegisterTile<P> p;
  RegisterTile<P> l;
  RegisterTile<P> m;
  RowFactors<P> factors;
  Count row = 0;   ///< first row of the current query tile, in the stream
  Count rows = 0;  ///< none when the query tile ends before the group

  Group(Block<P>& block, const Problem& problem, const std::string& suffix, FlashShape shape, DType accumulator)
      : q(block.shared("Q" + suffix, {shape.rows, problem.head_dim}, problem.dtype)),
        o(block.registers("O" + suffix, {shape.rows, problem.head_dim_v}, accumulator)),
        s(block.registers("S" + suffix, {shape.rows, shape.keys}, accumulator)),
        p(block.registers("P" + suffix, {shape.rows, shape.keys}, accumulator)),
        l(block.registers("l" + suffix, {shape.rows, 1}, accumulator)),
        m(block.registers("m" + suffix, {shape.rows, 1}, accumulator)),
        factors(block.row_factors(shape.rows)) {}
};

template <class P>
class Flash3Kernel {
 public:
  Flash3Kernel(Gpu<P>& gpu, const Case& point) : outer_(gpu, point) {}

  Grid grid() const { return {.streams = outer_.memory.streams(), .rows = outer_.visited.query_runs()}; }

  /// One tile of Q against all the keys in its reach.
  void operator()(Block<P>& block, const Place& at) {
    const Count keys = outer_.keys();
    Ring<P> k = block.ring("K", outer_.point.tiling.stages, {keys, outer_.problem.head_dim}, outer_.problem.dtype);
    Ring<P> v = block.ring("V", outer_.point.tiling.stages, {keys, outer_.problem.head_dim_v}, outer_.problem.dtype);
    std::vector<Group<P>> groups = make_groups(block, keys);
    const auto keys_of = [&](Count query_tile) { return outer_.visited.keys_of(query_tile); };

    begin(block, groups, at, keys_of(at.row.index).empty() ? Reach::nothing : Reach::keys);
    block.pipelined_tiles(
        at.row, keys_of,
        [&](const TileSlot* next, const TileSlot* before) {
          if (next != nullptr) block.load(Phase::load_k, k.next(), outer_.memory.k(at.stream, next->begin, next->size));
          if (before != nullptr)
            block.load(Phase::load_v, v.next(), outer_.memory.v(at.stream, before->begin, before->size));
          for (Group<P>& group : groups) step(block, group, next, k.current(), before, v.current());
          if (next != nullptr) block.visit_tile();
        },
        walk_of(mistake()));
    finish(block, groups, at.stream);
  }

 private:
  enum class Reach { nothing, keys };

  Mistake mistake() const { return outer_.point.options.mistake; }

  std::vector<Group<P>> make_groups(Block<P>& block, Count keys) const {
    std::vector<Group<P>> groups;
    const GroupRows rows = group_rows(outer_.visited.queries().size);
    groups.emplace_back(block, outer_.problem, "0", FlashShape{.rows = rows.first, .keys = keys},
                        outer_.memory.accumulator());
    if (rows.second == 0) return groups;
    groups.emplace_back(block, outer_.problem, "1", FlashShape{.rows = rows.second, .keys = keys},
                        outer_.memory.accumulator());
    return groups;
  }

  /// Deals the rows of the query tile to the groups and loads them.
  void begin(Block<P>& block, std::vector<Group<P>>& groups, const Place& at, Reach reach) {
    Count row = outer_.visited.queries().begin(at.row.index);
    const Count end = row + outer_.visited.queries().size_of(at.row.index);
    for (Group<P>& group : groups) {
      group.row = row;
      group.rows = std::min(group.q.allocated.rows, end - row);
      row += group.rows;
      if (group.rows == 0) continue;
      block.fill(group.o, {group.rows, outer_.problem.head_dim_v}, 0);
      block.fill(group.l, {group.rows, 1}, 0);
      block.fill(group.m, {group.rows, 1}, -std::numeric_limits<double>::infinity());
      if (reach == Reach::keys) block.load(Phase::load_q, group.q, outer_.memory.q(at.stream, group.row, group.rows));
    }
  }

  /// One group's turn: S of the key tile that enters, O += P V of the one before, and then S becomes P and O takes its
  /// scale.
  void step(Block<P>& block, Group<P>& group, const TileSlot* next, const SharedTile<P>& k, const TileSlot* before,
            const SharedTile<P>& v) {
    if (group.rows == 0) return;
    if (next != nullptr) {
      block.scores(group.s, group.q, k);
      block.scale(group.s, score_scale(outer_.problem));
      block.mask(group.s, outer_.visibility, group.row, next->begin);
    }
    if (before != nullptr) block.accumulate(group.o, group.p, v, outer_.problem.dtype);
    if (next == nullptr) return;
    block.online_softmax(group.s, group.m, group.l, group.factors, rule_of(mistake()));
    block.rescale_rows(group.o, group.factors);
    std::swap(group.s, group.p);
  }

  void finish(Block<P>& block, std::vector<Group<P>>& groups, Count stream) {
    for (Group<P>& group : groups) {
      if (group.rows == 0) continue;
      outer_.finish(block, group.o, group.m, group.l, stream, group.row, rule_of(mistake()));
    }
  }

  QueryOuter<P> outer_;
};

struct Flash3 {
  static constexpr std::string_view name = "flash3";
  static constexpr std::string_view idea =
      "flash2 with the scores of the next key tile computed before this one is accumulated, by two groups of rows that "
      "take turns on the tensor cores.";
  static constexpr std::string_view source = "Shah et al., FlashAttention-3, 2024, Algorithm 2 and section 3.1";
  static constexpr std::string_view options = "--stages --empty-lse --unsafe";

  template <class P>
  static void run(Gpu<P>& gpu, const Case& point) {
    Flash3Kernel<P> kernel(gpu, point);
    gpu.launch(name, kernel.grid(), kernel);
  }
};

}  // namespace

Algorithm flash3() { return describe<Flash3>(); }

}  // namespace tilemeter
