#include "tests/sim/time/flash2_launch.hpp"

#include <algorithm>

#include "model/visibility.hpp"

namespace tilemeter::testing {
namespace {

enum Area { q, k, v, o, tail_k, tail_v, spill, area_count };

/// Key tiles that a query tile visits: first, ..., last - 1.
struct Visits {
  Count first = 0;
  Count last = 0;
};

class Writer {
 public:
  explicit Writer(const Flash2Launch& what)
      : what_(what), problem_(what.problem), queries_(what.tiling.block_q), keys_(what.tiling.block_k) {}

  Recording recording() {
    const Count d = problem_.head_dim;
    const auto tensor = [&](TensorName name, Count heads, Count rows) {
      return TensorInfo{name, problem_.batch * heads, rows, d, problem_.dtype};
    };
    Recording recording;
    recording.tensors = {tensor(TensorName::Q, problem_.heads, problem_.seq_q),
                         tensor(TensorName::K, problem_.kv_heads, problem_.seq_k),
                         tensor(TensorName::V, problem_.kv_heads, problem_.seq_k),
                         tensor(TensorName::O, problem_.heads, problem_.seq_q),
                         {TensorName::part, what_.spill_areas, 1, std::max<Count>(1, spilled()), DType::u8}};
    launch_.kernel = "flash2";
    for_streams([&](Count batch, Count head) {
      for (Count tile = 0; tile < ceil_div(problem_.seq_q, queries_); ++tile) add_block(batch, head, tile);
    });
    recording.launches.push_back(std::move(launch_));
    return recording;
  }

 private:
  Count spilled() const { return what_.spilled_a_step.value(); }

  template <class Body>
  void for_streams(Body body) const {
    const bool heads_first = what_.next == NextIndex::heads;
    for (Count i = 0; i < (heads_first ? problem_.batch : problem_.heads); ++i) {
      for (Count j = 0; j < (heads_first ? problem_.heads : problem_.batch); ++j) {
        heads_first ? body(i, j) : body(j, i);
      }
    }
  }

  Visits visits(Count tile) const {
    const Visibility visibility(problem_);
    const Count last_row = std::min(problem_.seq_q, (tile + 1) * queries_) - 1;
    return {.first = 0, .last = ceil_div(visibility.keys_of(last_row).last, keys_)};
  }

  void add_block(Count batch, Count head, Count tile) {
    const Count stream = batch * problem_.heads + head;
    const Count shared = batch * problem_.kv_heads + head / problem_.group();
    const Visits visited = visits(tile);
    const Count tail = visited.last * keys_ > problem_.seq_k ? 1 : 0;
    const Count full = visited.last - tail;
    const bool ascending = what_.keys == KeyWalk::first_to_last;
    const Count first_key = ascending ? 0 : (full - 1) * keys_;
    const auto number = static_cast<Count>(launch_.blocks.size());
    const auto rows = [&](int tensor, Count matrix, Count begin, Count count) {
      launch_.areas.push_back({.tensor = tensor, .matrix = matrix, .area = {begin, 0, count, problem_.head_dim}});
    };
    const auto first_area = static_cast<int>(launch_.areas.size());
    rows(0, stream, tile * queries_, queries_);
    rows(1, shared, first_key, keys_);
    rows(2, shared, first_key, keys_);
    rows(3, stream, tile * queries_, queries_);
    rows(1, shared, full * keys_, keys_);
    rows(2, shared, full * keys_, keys_);
    launch_.areas.push_back({.tensor = 4, .matrix = number % what_.spill_areas, .area = {0, 0, 1, spilled()}});
    launch_.blocks.push_back({program(tile, full, tail), first_area});
  }

  /// The program of a query tile with so many key tiles; the last one made where it is the same.
  int program(Count tile, Count full, Count tail) {
    const Count rows = std::min(queries_, problem_.seq_q - tile * queries_);
    const Shape shape{rows, full, tail};
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      if (shapes_[i] == shape) return static_cast<int>(i);
    }
    shapes_.push_back(shape);
    Program& made = launch_.programs.emplace_back();
    const Count tail_keys = problem_.seq_k - full * keys_;
    load(made, q, moved(rows, queries_));
    const bool ascending = what_.keys == KeyWalk::first_to_last;
    if (tail > 0 && !ascending) step(made, tail_k, tail_v, moved(tail_keys, keys_), 0);
    if (full > 0) {
      made.steps.push_back({.times = full, .length = spilled() > 0 ? 3 : 2});
      step(made, k, v, keys_, ascending ? keys_ : -keys_);
    }
    if (tail > 0 && ascending) step(made, tail_k, tail_v, moved(tail_keys, keys_), 0);
    made.steps.push_back({.op = {.tensor = TensorName::O, .traffic = {.write_bytes = bytes(rows)}}, .area = o});
    made.ops = 2 + 2 * (full + tail);
    return static_cast<int>(launch_.programs.size()) - 1;
  }

  Count moved(Count exist, Count tile) const { return what_.tails == Tails::padded ? tile : exist; }
  Bytes bytes(Count rows) const { return bytes_of(rows, problem_.head_dim, problem_.dtype); }

  void load(Program& to, int area, Count rows, Count move = 0) const {
    to.steps.push_back({.op = {.traffic = {.read_bytes = bytes(rows)}}, .area = area, .moves = {Move{.rows = move}}});
  }

  void step(Program& to, int k_area, int v_area, Count rows, Count move) const {
    load(to, k_area, rows, move);
    load(to, v_area, rows, move);
    if (spilled() > 0) {
      to.steps.push_back({.op = {.traffic = {.write_bytes = what_.spilled_a_step}}, .area = spill});
    }
  }

  struct Shape {
    Count rows, full, tail;
    friend bool operator==(const Shape&, const Shape&) = default;
  };
  const Flash2Launch& what_;
  const Problem& problem_;
  Count queries_;
  Count keys_;
  RecordedLaunch launch_;
  std::vector<Shape> shapes_;
};

}  // namespace

Recording recorded(const Flash2Launch& launch) { return Writer(launch).recording(); }

}  // namespace tilemeter::testing
