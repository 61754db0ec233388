// Rabe & Staats: query chunks one after another; each chunk of keys gives a partial result, combined at the end.
#include "sim/algorithms/describe.hpp"
#include "sim/operands.hpp"

namespace tilemeter {
namespace {

/// The memory of a run, and the kernels that its variants are made of.
template <class P>
class ChunkedKernels {
 public:
  ChunkedKernels(Gpu<P>& gpu, const Case& point)
      : gpu_(gpu),
        problem_(point.problem),
        visibility_(problem_),
        memory_(gpu, problem_),
        queries_(all_tiles(problem_.rows(), point.tiling.block_q)),
        keys_(all_tiles(problem_.seq_k, point.tiling.block_k)),
        key_rows_(std::min(point.tiling.block_k, problem_.seq_k)),
        output_(memory_.declare_output()) {}

  std::vector<Run> query_runs() const { return runs_of(queries_); }
  std::vector<Run> key_runs() const { return runs_of(keys_); }
  bool has_keys() const { return key_chunks() > 0; }

  /// All key chunks of a query chunk, with every summary on chip.
  void onchip(const Slot& query) {
    launch("chunked", [&](Block<P>& block, Count stream) {
      Operand operand(block, *this);
      const Count copies = std::max<Count>(1, key_chunks());
      Copies<P> o = block.copies("O", copies, {queries_.size, problem_.head_dim_v}, memory_.accumulator());
      RegisterTile<P> s = scores_tile(block);
      Copies<P> l = block.copies("l", copies, {queries_.size, 1}, memory_.accumulator());
      Copies<P> m = block.copies("m", copies, {queries_.size, 1}, memory_.accumulator());
      const TileSlot rows = at(queries_, query.index);
      if (has_keys()) {
        load_queries(block, operand.q, stream, rows);
      } else {
        block.fill(o[0], {rows.size, problem_.head_dim_v}, 0);
      }
      block.tiles(keys_, [&](const TileSlot& keys) {
        summarise(block, operand, s, {o[keys.index], l[keys.index], m[keys.index]}, stream, rows, keys);
      });
      if (has_keys()) block.combine(o, m, l, key_chunks());
      block.store(Phase::store, memory_.whole_rows(output_, stream, rows.begin, rows.size), o[0]);
    });
  }

  /// All key chunks of a query chunk, each summary to memory.
  void summaries(const Slot& query) {
    launch("summaries", [&](Block<P>& block, Count stream) {
      Operand operand(block, *this);
      RegisterTile<P> o = values_tile(block);
      RegisterTile<P> s = scores_tile(block);
      RegisterTile<P> l = column_tile(block, "l");
      RegisterTile<P> m = column_tile(block, "m");
      const TileSlot rows = at(queries_, query.index);
      load_queries(block, operand.q, stream, rows);
      block.tiles(keys_, [&](const TileSlot& keys) {
        summarise(block, operand, s, {o, l, m}, stream, rows, keys);
        store_values(block, stream, keys.index, o);
        store_statistics(block, stream, keys.index, l, m);
      });
    });
  }

  /// The scores of one tile, to memory.
  void scores(const Slot& query, const Slot& key) {
    launch("scores", [&](Block<P>& block, Count stream) {
      SharedTile<P> q = block.shared("Q", {queries_.size, problem_.head_dim}, problem_.dtype);
      SharedTile<P> k = block.shared("K", {key_rows_, problem_.head_dim}, problem_.dtype);
      RegisterTile<P> s = scores_tile(block);
      const TileSlot rows = at(queries_, query.index);
      const TileSlot keys = at(keys_, key.index);
      load_queries(block, q, stream, rows);
      block.load(Phase::load_k, k, memory_.k(stream, keys.begin, keys.size));
      masked_scores(block, s, q, k, rows, keys);
      block.store(Phase::store, tile_of(scores_memory(), stream, rows, keys), s);
      block.visit_tile();
    });
  }

  /// The weights of one tile, its maxima and its sums.
  void exponentials(const Slot& query, const Slot& key) {
    launch("exponentials", [&](Block<P>& block, Count stream) {
      RegisterTile<P> s = scores_tile(block);
      RegisterTile<P> l = column_tile(block, "l");
      RegisterTile<P> m = column_tile(block, "m");
      const TileSlot rows = at(queries_, query.index);
      const TileSlot keys = at(keys_, key.index);
      block.load(Phase::load_state, s, tile_of(scores_memory(), stream, rows, keys));
      block.chunk_softmax(s, m, l);
      block.store(Phase::store, tile_of(weights_memory(), stream, rows, keys), s);
      store_statistics(block, stream, key.index, l, m);
    });
  }

  /// The weighted values of one tile.
  void values(const Slot& query, const Slot& key) {
    launch("values", [&](Block<P>& block, Count stream) {
      SharedTile<P> e = block.shared("E", {queries_.size, key_rows_}, problem_.dtype);
      SharedTile<P> v = block.shared("V", {key_rows_, problem_.head_dim_v}, problem_.dtype);
      RegisterTile<P> o = values_tile(block);
      const TileSlot rows = at(queries_, query.index);
      const TileSlot keys = at(keys_, key.index);
      block.load(Phase::load_state, e, tile_of(weights_memory(), stream, rows, keys));
      block.load(Phase::load_v, v, memory_.v(stream, keys.begin, keys.size));
      block.fill(o, {rows.size, problem_.head_dim_v}, 0);
      block.accumulate(o, e, v, problem_.dtype);
      store_values(block, stream, key.index, o);
    });
  }

  /// O of a query chunk from its summaries in memory, a row at a time.
  void combine(const Slot& query) {
    launch("combine", [&](Block<P>& block, Count stream) {
      const DType type = memory_.accumulator();
      RegisterTile<P> m = block.registers("m", {1, key_chunks()}, type);
      RegisterTile<P> l = block.registers("l", {1, key_chunks()}, type);
      RegisterTile<P> part = block.registers("part", {1, problem_.head_dim_v}, type);
      RegisterTile<P> o = block.registers("O", {1, problem_.head_dim_v}, type);
      const TileSlot rows = at(queries_, query.index);
      block.tiles(all_tiles(rows.size, 1), [&](const TileSlot& row) {
        block.load(Phase::load_state, m, maxima(stream, row.begin, 1));
        block.load(Phase::load_state, l, sums(stream, row.begin, 1));
        block.combine_weights(m, l);
        block.fill(o, {1, problem_.head_dim_v}, 0);
        block.tiles(all_tiles(key_chunks(), 1), [&](const TileSlot& chunk) {
          block.load(Phase::load_state, part, values_of(stream, chunk.index, row.begin, 1));
          block.add_weighted(o, m, chunk.index, part);
        });
        block.store(Phase::store, memory_.whole_rows(output_, stream, rows.begin + row.begin, 1), o);
      });
    });
  }

 private:
  /// Q, K and V of a tile, on chip.
  struct Operand {
    SharedTile<P> q;
    SharedTile<P> k;
    SharedTile<P> v;
    Operand(Block<P>& block, const ChunkedKernels& kernels)
        : q(block.shared("Q", {kernels.queries_.size, kernels.problem_.head_dim}, kernels.problem_.dtype)),
          k(block.shared("K", {kernels.key_rows_, kernels.problem_.head_dim}, kernels.problem_.dtype)),
          v(block.shared("V", {kernels.key_rows_, kernels.problem_.head_dim_v}, kernels.problem_.dtype)) {}
  };
  /// Where the partial result of a tile goes.
  struct Summary {
    RegisterTile<P>& o;
    RegisterTile<P>& l;
    RegisterTile<P>& m;
  };

  template <class Body>
  void launch(std::string_view kernel, Body body) {
    gpu_.launch(kernel, {.streams = memory_.streams(), .rows = {Run{}}},
                [&](Block<P>& block, const Place& place) { body(block, place.stream); });
  }

  Count key_chunks() const { return keys_.length(); }
  static TileSlot at(const TileRange& range, Count index) {
    return {.index = index, .begin = range.begin(index), .size = range.size_of(index)};
  }

  RegisterTile<P> scores_tile(Block<P>& block) {
    return block.registers("S", {queries_.size, key_rows_}, memory_.accumulator());
  }
  RegisterTile<P> values_tile(Block<P>& block) {
    return block.registers("O", {queries_.size, problem_.head_dim_v}, memory_.accumulator());
  }
  RegisterTile<P> column_tile(Block<P>& block, const char* name) {
    return block.registers(name, {queries_.size, 1}, memory_.accumulator());
  }

  void load_queries(Block<P>& block, SharedTile<P>& q, Count stream, const TileSlot& rows) {
    block.load(Phase::load_q, q, memory_.q(stream, rows.begin, rows.size));
  }
  void masked_scores(Block<P>& block, RegisterTile<P>& s, const SharedTile<P>& q, const SharedTile<P>& k,
                     const TileSlot& rows, const TileSlot& keys) {
    block.scores(s, q, k);
    block.scale(s, score_scale(problem_));
    block.mask(s, visibility_, rows.begin, keys.begin);
  }
  void summarise(Block<P>& block, Operand& operand, RegisterTile<P>& s, Summary summary, Count stream,
                 const TileSlot& rows, const TileSlot& keys) {
    block.load(Phase::load_k, operand.k, memory_.k(stream, keys.begin, keys.size));
    block.load(Phase::load_v, operand.v, memory_.v(stream, keys.begin, keys.size));
    masked_scores(block, s, operand.q, operand.k, rows, keys);
    block.chunk_softmax(s, summary.m, summary.l);
    block.fill(summary.o, {rows.size, problem_.head_dim_v}, 0);
    block.accumulate(summary.o, s, operand.v, problem_.dtype);
    block.visit_tile();
  }

  // Device memory of one query chunk, used again by the next. A row of summaries holds the values of all key chunks,
  // then their sums, then their maxima.
  Tensor<P>& part() {
    const Count width = named("the width of the summaries",
                              [&] { return checked::multiply(key_chunks(), checked::add(problem_.head_dim_v, 2)); });
    return gpu_.tensor(TensorName::part, memory_.streams(), {queries_.size, width}, problem_.stat_dtype);
  }
  Tensor<P>& scores_memory() { return tile_memory(TensorName::S); }
  Tensor<P>& weights_memory() { return tile_memory(TensorName::E); }
  Tensor<P>& tile_memory(TensorName name) {
    return gpu_.tensor(name, memory_.streams(), {queries_.size, key_rows_}, problem_.score_dtype);
  }
  static View<P> tile_of(Tensor<P>& tensor, Count stream, const TileSlot& rows, const TileSlot& keys) {
    return Operands<P>::columns(Operands<P>::whole_rows(tensor, stream, 0, rows.size), 0, keys.size);
  }
  View<P> values_of(Count stream, Count chunk, Count row, Count rows) {
    return Operands<P>::columns(Operands<P>::whole_rows(part(), stream, row, rows), chunk * problem_.head_dim_v,
                                problem_.head_dim_v);
  }
  View<P> sums(Count stream, Count row, Count rows) {
    return Operands<P>::columns(Operands<P>::whole_rows(part(), stream, row, rows), key_chunks() * problem_.head_dim_v,
                                key_chunks());
  }
  View<P> maxima(Count stream, Count row, Count rows) {
    return Operands<P>::columns(sums(stream, row, rows), key_chunks() * (problem_.head_dim_v + 1), key_chunks());
  }
  void store_values(Block<P>& block, Count stream, Count chunk, const RegisterTile<P>& o) {
    block.store(Phase::store, values_of(stream, chunk, 0, o.shape.rows), o);
  }
  void store_statistics(Block<P>& block, Count stream, Count chunk, const RegisterTile<P>& l,
                        const RegisterTile<P>& m) {
    const View<P> all_sums = sums(stream, 0, l.shape.rows);
    const View<P> all_maxima = maxima(stream, 0, m.shape.rows);
    block.store(Phase::store, Operands<P>::columns(all_sums, all_sums.col + chunk, 1), l);
    block.store(Phase::store, Operands<P>::columns(all_maxima, all_maxima.col + chunk, 1), m);
  }

  Gpu<P>& gpu_;
  const Problem& problem_;
  Visibility visibility_;
  Operands<P> memory_;
  TileRange queries_;
  TileRange keys_;
  Count key_rows_;  // rows of a K or V tile on chip
  Tensor<P>& output_;
};

struct Chunked {
  static constexpr std::string_view name = "chunked";
  static constexpr std::string_view idea =
      "Chunks of queries, one after another, against chunks of keys; each gives values, a sum and a maximum a row, "
      "and these are combined at the end. It saves memory, not traffic.";
  static constexpr std::string_view source =
      "Rabe & Staats, Self-attention Does Not Need O(n^2) Memory, 2021, section 3 and its listing";
  static constexpr std::string_view options = "--variant --chunk-q --chunk-k --score-dtype";

  template <class P>
  static void run(Gpu<P>& gpu, const Case& point) {
    ChunkedKernels<P> kernels(gpu, point);
    gpu.in_turn(kernels.query_runs(), [&](const Slot& query) {
      switch (*point.options.variant) {
        case Variant::onchip:
          return kernels.onchip(query);
        case Variant::fused:
          if (kernels.has_keys()) kernels.summaries(query);
          break;
        default:
          gpu.in_turn(kernels.key_runs(), [&](const Slot& key) {
            kernels.scores(query, key);
            kernels.exponentials(query, key);
            kernels.values(query, key);
          });
      }
      kernels.combine(query);
    });
  }
};

}  // namespace

Algorithm chunked() { return describe<Chunked>(); }

}  // namespace tilemeter
