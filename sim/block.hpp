// A thread block on an SM: where verbs are called and tiles are allocated.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/geometry.hpp"
#include "sim/elementwise_numerics.hpp"
#include "sim/tile.hpp"

namespace tilemeter {

/// A block asked for more memory on chip than the budget allows.
class OverCapacity : public InputError {
 public:
  OverCapacity(std::vector<OnChipTile> tiles, const Budget& budget);
  const std::vector<OnChipTile>& tiles() const { return tiles_; }

 private:
  std::vector<OnChipTile> tiles_;
};

/// One step of a loop, and the run of like steps that it stands for.
struct Slot {
  Count index = 0;
  Run run{};
};

/// One tile of a loop over tiles.
struct TileSlot {
  Count index = 0;
  Count begin = 0;
  Count size = 0;
};

/// How an online softmax treats its state. `unguarded` computes -inf - (-inf) for rows that have seen no key, and 0 / 0
/// at their end; `unscaled` works its factors out and does not apply them. Both are mistakes.
using numerics::SoftmaxRule;

/// Every step of `runs`, one by one.
std::vector<Count> steps_in_order(const std::vector<Run>& runs, Walk walk);

/// Tile number `step` of a range.
inline TileSlot slot_of(const TileRange& range, Count step) {
  const Count tile = range.index(step);
  return {.index = tile, .begin = range.begin(tile), .size = range.size_of(tile)};
}

/// The tiles of a range in the order of a walk.
class TileSteps {
 public:
  TileSteps(const TileRange& range, Walk walk) : range_(range), walk_(walk), count_(range.length()) {}
  Count count() const { return count_; }
  /// Tiles of the full size. They follow each other.
  Count full() const { return range_.full_length(); }
  Count first_full() const { return walk_ == Walk::ascending ? 0 : count_ - full(); }
  TileSlot operator[](Count step) const { return slot_of(range_, walk_ == Walk::ascending ? step : count_ - 1 - step); }

 private:
  TileRange range_;
  Walk walk_;
  Count count_;
};

/// Per-row factors of one online softmax step. They are temporaries of a verb, which the literature's footprint leaves
/// out.
template <class P>
struct RowFactors {
  TileId id = no_tile;
  [[no_unique_address]] typename P::Storage rescale;  ///< exp(m_old - m_new)
  [[no_unique_address]] typename P::Storage carried;  ///< rescale times the old l
};

/// Whether a tile is the first of its rows.
enum class RowStart { here, earlier };

template <class P>
class Block {
 public:
  /// `times` is the number of equal blocks that this one stands for.
  Block(Sink& sink, const Budget& budget, Count times) : sink_(sink), budget_(budget), times_(times) {}

  // Memory on chip. Room is checked against the budget before the first op.
  SharedTile<P> shared(std::string name, Shape shape, DType dtype);
  RegisterTile<P> registers(std::string name, Shape shape, DType dtype);
  Ring<P> ring(const std::string& name, Count stages, Shape shape, DType dtype);
  /// `copies` equal tiles that are all in use at once.
  Copies<P> copies(const std::string& name, Count copies, Shape shape, DType dtype);
  /// A tile of the textbook's unlimited chip: no budget, no footprint.
  RegisterTile<P> idealised(Shape shape, DType dtype) { return make<Space::registers>(shape, dtype); }
  RowFactors<P> row_factors(Count rows);

  // Across the edge of the SM.
  template <Space S>
  void load(Phase phase, Tile<P, S>& to, const View<P>& from);
  /// Loads the rows of several views, one below the other, as one transfer.
  template <Space S>
  void gather(Phase phase, Tile<P, S>& to, const std::vector<View<P>>& from);
  template <Space S>
  void store(Phase phase, const View<P>& to, const Tile<P, S>& from);

  /// Counts one visited (query tile, key tile) pair, or one step of a tiled GEMM.
  void visit_tile() { report({.phase = Phase::scores, .unit = Unit::tensor, .tiles = 1}); }

  /// Adds to memory atomically: a read and a write of every element.
  template <Space S>
  void atomic_add(Phase phase, const View<P>& to, const Tile<P, S>& from);

  // On chip.
  template <Space S>
  void fill(Tile<P, S>& tile, Shape shape, double value);
  /// s = q k^T (rows of q x rows of k).
  template <Space A, Space B>
  void scores(RegisterTile<P>& s, const Tile<P, A>& q, const Tile<P, B>& k);
  /// s += q k^T.
  template <Space A, Space B>
  void add_scores(RegisterTile<P>& s, const Tile<P, A>& q, const Tile<P, B>& k);
  /// o += p v for values in device memory that are used as they arrive: one element of them is on chip at a time, as a
  /// temporary of the verb.
  template <Space A>
  void accumulate_arriving(Phase phase, RegisterTile<P>& o, Tile<P, A>& p, const View<P>& values, DType operand);
  void scale(RegisterTile<P>& s, double factor);
  void mask(RegisterTile<P>& s, const Visibility& visibility, Count row, Count key);
  /// s = 0 where `mask` would hide it.
  void clear_hidden(RegisterTile<P>& s, const Visibility& visibility, Count row, Count key);
  /// Softmax of whole rows.
  void softmax(RegisterTile<P>& s);
  void online_softmax(RegisterTile<P>& s, RegisterTile<P>& m, RegisterTile<P>& l, RowFactors<P>& factors,
                      SoftmaxRule rule = SoftmaxRule::exact);
  /// s = exp(s - m) / l, with the statistics of whole rows.
  void normalise(RegisterTile<P>& s, const RegisterTile<P>& m, const RegisterTile<P>& l);
  /// s = exp(s - m), and m and l, of this tile alone.
  void chunk_softmax(RegisterTile<P>& s, RegisterTile<P>& m, RegisterTile<P>& l);
  /// s = exp(s - m), with the maxima of whole rows.
  void exponentiate(RegisterTile<P>& s, const RegisterTile<P>& m);
  /// Turns the maxima of partial results, one column each, into the weights of their values; l are their sums.
  void combine_weights(RegisterTile<P>& m, const RegisterTile<P>& l);
  /// The first of `o` becomes the normalised sum of the first `parts` of them, whose maxima are m and sums are l.
  void combine(Copies<P>& o, const Copies<P>& m, const Copies<P>& l, Count parts);
  /// o = o times one of the factors, row by row.
  void rescale_rows(RegisterTile<P>& o, const RowFactors<P>& factors);
  /// The same with the factor that carries a normalised output on.
  void carry_rows(RegisterTile<P>& o, const RowFactors<P>& factors);
  /// o += p v, with p rounded to `operand`.
  template <Space A, Space B>
  void accumulate(RegisterTile<P>& o, Tile<P, A>& p, const Tile<P, B>& v, DType operand);
  /// o += p^T v, with p rounded to `operand`.
  template <Space A, Space B>
  void accumulate_transposed(RegisterTile<P>& o, Tile<P, A>& p, const Tile<P, B>& v, DType operand);
  void divide_rows(RegisterTile<P>& o, const RegisterTile<P>& l, SoftmaxRule rule = SoftmaxRule::exact);
  /// m = m + log(l); `empty` for rows without keys.
  void log_sum_exp(RegisterTile<P>& m, const RegisterTile<P>& l, double empty);
  /// Merges the LSE of partial results, a column each: lse = log sum exp over a row, `empty` where every part is -inf,
  /// and weights = exp(parts - lse), zeros there.
  template <Space S>
  void merge_log_sum_exp(Tile<P, S>& parts, RegisterTile<P>& lse, double empty);
  /// o += column `part` of weights, row by row, times partial.
  template <Space A, Space B>
  void add_weighted(RegisterTile<P>& o, const Tile<P, A>& weights, Count part, const Tile<P, B>& partial);
  /// p = p * z / keep probability, and z, for the scores of `stream` from (row, 0) on.
  void dropout(RegisterTile<P>& p, RegisterTile<P>& z, Count stream, Count row);
  /// The gradient of dropout: dp = dp z / keep probability.
  void dropout_gradient(RegisterTile<P>& dp, const RegisterTile<P>& z);
  /// s = exp(s - lse), the probabilities of a softmax whose statistics are known.
  void probabilities(RegisterTile<P>& s, const RegisterTile<P>& lse);
  /// sums = a . b, row by row.
  template <Space A, Space B>
  void row_products(RegisterTile<P>& sums, const Tile<P, A>& a, const Tile<P, B>& b);
  /// dp = p (dp - sums): the gradient of the scores from that of the probabilities p.
  void softmax_gradient(RegisterTile<P>& dp, const RegisterTile<P>& p, const RegisterTile<P>& sums);
  /// to += from, on chip.
  void add(RegisterTile<P>& to, const RegisterTile<P>& from);
  /// s += bias, row by row; a bias of one row is added to all.
  void add_bias(RegisterTile<P>& s, const RegisterTile<P>& bias);

  // Softmax in passes, weights, elementwise chains.
  /// m = max(m, maximum of each row of x).
  void row_maximum(RegisterTile<P>& m, const RegisterTile<P>& x);
  /// x = exp(x), which may overflow.
  void exponentiate(RegisterTile<P>& x);
  /// l += sum of each row of x.
  void add_row_sums(RegisterTile<P>& l, const RegisterTile<P>& x);
  /// m and l take the elements of each row in, one by one: two exponentials each, but one for the first of a row.
  void online_normaliser(RegisterTile<P>& m, RegisterTile<P>& l, const RegisterTile<P>& x, RowStart start);
  /// w *= scales, of which each holds for `group` columns; the result is rounded to `operand`.
  void dequantise(SharedTile<P>& w, const SharedTile<P>& scales, Count group, DType operand);
  /// w *= scale.
  void dequantise(SharedTile<P>& w, double scale, DType operand);
  /// y = step(y), and with a side input.
  void apply(ChainStep step, RegisterTile<P>& y);
  void apply(ChainStep step, RegisterTile<P>& y, const RegisterTile<P>& side);

  // Loops. The body of each must cost the same for every step of a run and every full tile of a range.
  /// Steps of all runs, in the order of their indices.
  template <class Body>
  void runs(const std::vector<Run>& runs, Body body, Walk walk = Walk::ascending);
  /// Visits the tiles of range_of(slot.index). range_of is also asked about the ends of slot's run.
  template <class RangeOf, class Body>
  void tiles(const Slot& slot, RangeOf range_of, Body body, Walk walk = Walk::ascending);
  template <class Body>
  void tiles(const TileRange& range, Body body);
  /// Visits tiles as a pipeline of two steps does: body(next, before) with the tile that enters and the one that
  /// leaves, nullptr at either end of the loop. Every tile enters once and leaves once, by the next call.
  template <class RangeOf, class Body>
  void pipelined_tiles(const Slot& slot, RangeOf range_of, Body body, Walk walk = Walk::ascending);

  /// Checks the room and tells the sink that the block is done.
  void finish();

 private:
  static constexpr bool real = P::has_numbers;
  /// Whether equal steps are reported with their number.
  bool folds() const { return !real && (sink_.fold() == Fold::grid || sink_.fold() == Fold::all); }
  /// Whether loops are announced, and long ones shown by their first two steps.
  bool announces_loops() const { return !real && sink_.fold() == Fold::loops; }

  template <Space S>
  Tile<P, S> make(Shape shape, DType dtype);
  template <Space S>
  Tile<P, S> allocate(std::string name, Shape shape, DType dtype);
  void check_room();
  void report(const Op& op);
  void report_load(Phase phase, TileId to, const View<P>& from, Shape shape);
  template <class Body>
  void repeated(Count times, Body body);
  /// The maximum of each row of `scores`, and of `before` where there is such a tile.
  void report_row_maxima(TileId scores, TileId before, TileId maxima, Shape shape);
  void report_row_scaling(const RegisterTile<P>& o, const RowFactors<P>& factors);
  /// Tiles that the body of an announced loop makes for itself have the same numbers in every iteration.
  void announce_iteration(TileId first_own);
  template <class Body>
  void announced_loop(Count times, Body body);

  Sink& sink_;
  const Budget& budget_;
  Count times_;
  TileId next_id_ = 0;
  bool room_checked_ = false;
  std::vector<OnChipTile> tiles_;
};

}  // namespace tilemeter

#include "sim/block.inl"
