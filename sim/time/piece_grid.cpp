#include "sim/time/piece_grid.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

namespace tilemeter {
namespace {

constexpr Count largest_piece = 256 * 1024;
constexpr Count most_pieces = Count{1} << 24;

/// Where the accesses of a tensor begin and end along rows or columns.
class Cuts {
 public:
  explicit Cuts(Count extent) : extent_(extent) {}

  void add(Count begin, Count length, const std::vector<Count>& moves, const std::vector<Count>& times) {
    largest_ = std::max(largest_, length);
    Count last = begin;
    bool moving = false;
    bool gapless = false;
    for (std::size_t loop = 0; loop < moves.size(); ++loop) {
      if (times[loop] < 2 || moves[loop] == 0) continue;
      divide(moves[loop]);
      last += (times[loop] - 1) * moves[loop];
      moving = true;
      gapless = gapless || std::abs(moves[loop]) == length;
    }
    if (moving && !gapless) divide(length);
    for (const Count cut : {begin, begin + length, last, last + length}) divide(cut);
  }

  Count divisor() const { return divisor_ == 0 ? extent_ : std::min(divisor_, extent_); }
  Count largest() const { return largest_ == 0 ? extent_ : std::min(largest_, extent_); }

 private:
  void divide(Count cut) {
    if (cut < extent_) divisor_ = std::gcd(divisor_, cut);
  }

  Count extent_;
  Count divisor_ = 0;
  Count largest_ = 0;
};

struct TensorCuts {
  Cuts rows;
  Cuts cols;
};

/// Adds the accesses of one block.
void add_block(std::vector<TensorCuts>& cuts, const RecordedLaunch& launch, const BlockInstance& block) {
  struct Loop {
    std::size_t end;
    Count times;
  };
  std::vector<Loop> loops;
  const Program& program = launch.programs[static_cast<std::size_t>(block.program)];
  for (std::size_t at = 0; at < program.steps.size(); ++at) {
    while (!loops.empty() && loops.back().end == at) loops.pop_back();
    const ProgramStep& step = program.steps[at];
    if (step.length > 0) loops.push_back({at + 1 + static_cast<std::size_t>(step.length), step.times});
    if (step.area < 0 || step.length > 0) continue;
    std::vector<Count> times, row_moves, col_moves;
    for (std::size_t loop = 0; loop < loops.size(); ++loop) {
      times.push_back(loops[loop].times);
      row_moves.push_back(step.moves[loop].rows);
      col_moves.push_back(step.moves[loop].cols);
    }
    const RecordedArea& place = launch.areas[static_cast<std::size_t>(block.first_area + step.area)];
    TensorCuts& tensor = cuts[static_cast<std::size_t>(place.tensor)];
    tensor.rows.add(place.area.row, place.area.rows, row_moves, times);
    tensor.cols.add(place.area.col, place.area.cols, col_moves, times);
  }
}

/// The largest part of `length`, in equal parts where a few more allow it, that is no larger than `most`.
Count part_of(Count length, Count most) {
  if (length <= most) return length;
  const Count parts = ceil_div(length, most);
  for (Count more = parts; more <= 4 * parts; ++more) {
    if (length % more == 0) return length / more;
  }
  return ceil_div(length, parts);
}

std::int32_t narrow(Count value) {
  if (value > std::numeric_limits<std::int32_t>::max()) {
    throw InputError("a matrix of " + std::to_string(value) + " rows or columns is too large for the L2 model");
  }
  return static_cast<std::int32_t>(value);
}

Count cols_of_piece(const TensorInfo& tensor, const Cuts& cuts) {
  const Count fewest = std::min(tensor.cols, sector_bytes * 8 / bits_of(tensor.dtype));
  const Count most = largest_piece * 8 / bits_of(tensor.dtype);
  return std::max(fewest, part_of(cuts.divisor(), most));
}

PieceGrid grid_of(const TensorInfo& tensor, const TensorCuts& cuts) {
  PieceGrid grid{.rows = narrow(std::max<Count>(tensor.rows, 1)),
                 .cols = narrow(std::max<Count>(tensor.cols, 1)),
                 .matrices = tensor.streams,
                 .dtype = tensor.dtype};
  grid.piece_cols = narrow(std::max<Count>(1, cols_of_piece(tensor, cuts.cols)));
  grid.col_pieces = narrow(ceil_div(grid.cols, grid.piece_cols));
  grid.row_bytes = bytes_of(Elements(grid.cols), grid.dtype).value();
  const Count bytes = std::max<Count>(1, bytes_of(Elements(grid.piece_cols), grid.dtype).value());
  const Count most_rows = std::max<Count>(1, largest_piece / bytes);
  grid.grain_rows = narrow(std::max<Count>(1, part_of(cuts.rows.divisor(), most_rows)));
  const Count wanted = std::min(cuts.rows.largest(), most_rows);
  while (grid.grain_shift < 6 && (Count{grid.grain_rows} << grid.grain_shift) < wanted) ++grid.grain_shift;
  const auto count_rows = [&] {
    grid.row_pieces = narrow(ceil_div(grid.rows, Count{grid.grain_rows} << grid.grain_shift));
  };
  for (count_rows(); grid.pieces() > most_pieces && grid.row_pieces > 1; count_rows()) {
    grid.grain_rows = narrow(2 * Count{grid.grain_rows});
  }
  return grid;
}

}  // namespace

Count PieceGrid::byte_of_col(std::int32_t col_piece) const {
  return bytes_of(Elements(std::min(Count{col_piece} * piece_cols, Count{cols})), dtype).value();
}

Count PieceGrid::sectors(Count first, Count last, std::int32_t col_piece) const {
  if (col_pieces == 1) return ceil_div(last * row_bytes, sector_bytes) - ceil_div(first * row_bytes, sector_bytes);
  const Count per_row =
      ceil_div(byte_of_col(col_piece + 1), sector_bytes) - ceil_div(byte_of_col(col_piece), sector_bytes);
  return (last - first) * per_row;
}

std::vector<PieceGrid> piece_grids(const Recording& recording) {
  std::vector<TensorCuts> cuts;
  for (const TensorInfo& tensor : recording.tensors) cuts.push_back({Cuts(tensor.rows), Cuts(tensor.cols)});
  for (const RecordedLaunch& launch : recording.launches) {
    for (const BlockInstance& block : launch.blocks) add_block(cuts, launch, block);
  }
  std::vector<PieceGrid> grids;
  Count pieces = 0;
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    grids.push_back(grid_of(recording.tensors[i], cuts[i]));
    grids.back().first_piece = pieces;
    pieces = checked::add(pieces, grids.back().pieces());
  }
  return grids;
}

}  // namespace tilemeter
