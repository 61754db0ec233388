// Split-KV attention: the keys of a query tile dealt to several blocks, and a kernel that combines their results.
#include "model/closed_form/split_kv.hpp"

#include "model/split_heuristic.hpp"
#include "sim/algorithms/describe.hpp"
#include "sim/algorithms/paged_keys.hpp"
#include "sim/algorithms/query_outer.hpp"

namespace tilemeter {
namespace {

/// Key tiles [split per, (split + 1) per) of `all`.
TileRange part_of(TileRange all, Count split, Count per) {
  const Count first = split > all.last / per ? all.last : std::min(all.last, split * per);
  all.last = std::min(all.last - first, per) + first;
  all.first = first;
  return all;
}

TileRange common(TileRange a, const TileRange& b) {
  a.first = std::max(a.first, b.first);
  a.last = std::max(a.first, std::min(a.last, b.last));
  return a;
}

/// Where the parts of several splits go, for `combine` to read; absent with one split, which writes O and LSE.
template <class P>
struct Parts {
  Tensor<P>* o;    ///< rows of split s from s rows() on
  Tensor<P>* lse;  ///< one column a split
};

template <class P>
class SplitKvKernel {
 public:
  SplitKvKernel(Gpu<P>& gpu, const Case& point)
      : outer_(gpu, point),
        splits_(splits_of(point)),
        per_split_(tiles_per_split(outer_.visited.key_tiles(), splits_)),
        parts_{.o = splits_ > 1 ? &declare_o_parts(gpu) : nullptr,
               .lse = splits_ > 1 ? &outer_.memory.declare_rows(TensorName::LSEacc, splits_, outer_.problem.stat_dtype)
                                  : nullptr} {
    if (point.options.page_size > 0) pages_.emplace(gpu, outer_.problem, point.options.page_size);
  }

  Count splits() const { return splits_; }

  /// A block a query tile and split. Splits behind the last key tile are alike for all query tiles, and without a mask
  /// so are those that are full.
  Grid grid() const {
    const Count used = ceil_div(outer_.visited.key_tiles(), per_split_);
    const Count alike = outer_.problem.mask.kind == MaskKind::none ? std::max<Count>(used - 1, 0) : 0;
    std::vector<Run> cols;
    if (alike > 0) cols.push_back({.first = 0, .step = 1, .count = alike});
    for (Count split = alike; split < used; ++split) cols.push_back({.first = split});
    if (used < splits_) cols.push_back({.first = used, .step = 1, .count = splits_ - used});
    return {.streams = outer_.memory.streams(),
            .rows = outer_.visited.query_runs(),
            .cols = std::move(cols),
            .rows_of = [this](const Slot& split) { return outer_.visited.query_runs(part(split.index)); }};
  }

  /// One tile of Q against the keys in its reach that belong to one split.
  void operator()(Block<P>& block, const Place& at) {
    FlashTiles<P> tiles = outer_.make_tiles(block);
    std::optional<SharedTile<P>> entries;
    if (pages_)
      entries = block.shared("pages", {1, ceil_div(outer_.keys(), outer_.point.options.page_size)}, DType::i32);
    const Count row = outer_.visited.queries().begin(at.row.index);
    const Count rows = outer_.visited.queries().size_of(at.row.index);
    const auto keys_of = [&](Count query_tile) {
      return common(outer_.visited.keys_of(query_tile), part(at.col.index));
    };

    tiles.clear(block, rows);
    if (!keys_of(at.row.index).empty()) block.load(Phase::load_q, tiles.q, outer_.memory.q(at.stream, row, rows));
    block.tiles(at.row, keys_of, [&](const TileSlot& keys) {
      load_keys(block, tiles, entries, at.stream, keys);
      outer_.attend(block, tiles, tiles.k.current(), tiles.v.current(), row, keys.begin);
    });
    if (splits_ == 1) {
      outer_.finish(block, tiles.o, tiles.m, tiles.l, at.stream, row);
    } else {
      finish_part(block, tiles, at, row, rows);
    }
  }

  /// Grid of the combine kernel.
  Grid combine_grid() const { return {.streams = outer_.memory.streams(), .rows = runs_of(combined_rows())}; }

  /// Some rows of O and LSE from those of all splits.
  void combine(Block<P>& block, const Place& at) {
    const TileRange all = combined_rows();
    const Count row = all.begin(at.row.index);
    const Count rows = all.size_of(at.row.index);
    const Count d_v = outer_.problem.head_dim_v;
    SharedTile<P> weights = block.shared("LSEacc", {all.size, splits_}, outer_.memory.accumulator());
    RegisterTile<P> lse = block.registers("LSE", {all.size, 1}, outer_.memory.accumulator());
    RegisterTile<P> o = block.registers("O", {all.size, d_v}, outer_.memory.accumulator());
    RegisterTile<P> partial = block.registers("Oacc", {all.size, d_v}, outer_.memory.accumulator());

    block.load(Phase::load_state, weights, outer_.memory.whole_rows(*parts_.lse, at.stream, row, rows));
    block.merge_log_sum_exp(weights, lse, empty_lse_of(outer_.point.options));
    block.fill(o, {rows, d_v}, 0);
    block.tiles(all_tiles(splits_, 1), [&](const TileSlot& split) {
      block.load(Phase::load_state, partial, o_part(at.stream, split.index, row, rows));
      block.add_weighted(o, weights, split.index, partial);
    });
    block.store(Phase::store, outer_.memory.whole_rows(outer_.output, at.stream, row, rows), o);
    block.store(Phase::store, outer_.memory.whole_rows(outer_.lse, at.stream, row, rows), lse);
  }

 private:
  TileRange part(Count split) const { return part_of(outer_.visited.keys(), split, per_split_); }
  TileRange combined_rows() const { return all_tiles(outer_.problem.rows(), combine_block_rows(outer_.problem)); }

  Tensor<P>& declare_o_parts(Gpu<P>& gpu) const {
    const Count rows = named("the rows of Oacc", [&] { return checked::multiply(splits_, outer_.problem.rows()); });
    return gpu.tensor(TensorName::Oacc, outer_.memory.streams(), {rows, outer_.problem.head_dim_v},
                      outer_.problem.stat_dtype);
  }
  View<P> o_part(Count stream, Count split, Count row, Count rows) {
    return outer_.memory.whole_rows(*parts_.o, stream, split * outer_.problem.rows() + row, rows);
  }

  void load_keys(Block<P>& block, FlashTiles<P>& tiles, std::optional<SharedTile<P>>& entries, Count stream,
                 const TileSlot& keys) {
    SharedTile<P>& k = tiles.k.next();
    SharedTile<P>& v = tiles.v.next();
    if (!pages_) {
      block.load(Phase::load_k, k, outer_.memory.k(stream, keys.begin, keys.size));
      block.load(Phase::load_v, v, outer_.memory.v(stream, keys.begin, keys.size));
      return;
    }
    const Count head = outer_.memory.kv_stream(stream);
    block.load(Phase::load_k, *entries, pages_->entries(head, keys.begin, keys.size));
    block.gather(Phase::load_k, k, pages_->k(*entries, head, keys.begin, keys.size));
    block.gather(Phase::load_v, v, pages_->v(*entries, head, keys.begin, keys.size));
  }

  /// The part of a split without keys is O = 0 and LSE = -inf, whatever the final LSE of a row without keys is.
  void finish_part(Block<P>& block, FlashTiles<P>& tiles, const Place& at, Count row, Count rows) {
    block.divide_rows(tiles.o, tiles.l);
    block.log_sum_exp(tiles.m, tiles.l, -std::numeric_limits<double>::infinity());
    block.store(Phase::store, o_part(at.stream, at.col.index, row, rows), tiles.o);
    const View<P> lse = outer_.memory.whole_rows(*parts_.lse, at.stream, row, rows);
    block.store(Phase::store, outer_.memory.columns(lse, at.col.index, 1), tiles.m);
  }

  QueryOuter<P> outer_;
  Count splits_;
  Count per_split_;
  Parts<P> parts_;
  std::optional<PagedKeys<P>> pages_;
};

struct SplitKv {
  static constexpr std::string_view name = "split_kv";
  static constexpr std::string_view idea =
      "flash2 with the keys of each query tile dealt to several blocks; a second kernel weighs and adds what they "
      "give.";
  static constexpr std::string_view source =
      "Flash-Decoding (Dao, Haziza, Massa, Sizov, 2023), as in FlashAttention-2's split-KV kernels";
  static constexpr std::string_view options = "--stages --empty-lse --splits --page-size";

  template <class P>
  static void run(Gpu<P>& gpu, const Case& point) {
    SplitKvKernel<P> kernel(gpu, point);
    gpu.launch(name, kernel.grid(), kernel);
    if (kernel.splits() == 1) return;
    gpu.launch("combine", kernel.combine_grid(), [&](Block<P>& block, const Place& at) { kernel.combine(block, at); });
  }
};

}  // namespace

Algorithm split_kv() { return describe<SplitKv>(); }

}  // namespace tilemeter
