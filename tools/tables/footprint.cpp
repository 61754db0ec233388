// Module 08, step 6: memory beyond Q, K and V, N by N against N.
#include "tools/tables/all.hpp"
#include "tools/tables/judge.hpp"
#include "tools/tables/points.hpp"

namespace tilemeter::tables {
namespace {

constexpr Count head_dim = 64;
constexpr Count capacity = 50000;

struct PrintedRow {
  Count seq;
  const char* standard;
  const char* tiled;
};

constexpr PrintedRow printed[] = {
    {1024, "32.1", "0.66"},
    {2048, "128.1", "0.92"},
    {4096, "512.1", "1.43"},
    {8192, "2048.1", "2.46"},
};

/// N x N buffers that the source's NumPy code holds at its peak: S, S - max, exp(S - max), P.
constexpr Count numpy_buffers = 4;

struct Tiled {
  Bytes in_memory;  ///< what it writes to device memory
  Bytes on_chip;    ///< its tiles
};

Case flash1_point(Count seq) {
  return ruled("flash1", uniform_head(seq, head_dim, DType::fp32), BlockRule::paper, capacity);
}

Tiled tiled_memory(Count seq) {
  const Case point = flash1_point(seq);
  const Billed flash1 = bill("flash1", point);
  return {.in_memory = written_tensors(flash1.counted, point), .on_chip = bytes_of(flash1.needed, DType::fp32)};
}

/// The printed growth of the tiled peak since the row before agrees with ours, up to the two roundings to 0.01 MiB.
void compare_growth(Judge& judge, const PrintedRow& row, const PrintedRow& before) {
  const double ours = mebibytes(tiled_memory(row.seq).in_memory - tiled_memory(before.seq).in_memory);
  judge.close("growth of the tiled peak (MiB)", ours, Printed(row.tiled).value() - Printed(before.tiled).value(), 0.01);
}

void add_row(Table& table, const PrintedRow& row, const PrintedRow* before) {
  const Case head = uniform_head(row.seq, head_dim, DType::fp32);
  const Billed standard = bill("standard", head);
  const Bytes standard_memory = written_tensors(standard.counted, head);
  const Elements buffers = standard.counted[TensorName::S].write * numpy_buffers;
  const Bytes in_fp32 = bytes_of(buffers, DType::fp32);
  const Bytes in_fp64 = bytes_of(buffers, DType::fp64);
  const Tiled flash1 = tiled_memory(row.seq);
  const Bytes tiled_peak = flash1.in_memory + flash1.on_chip;
  const Bytes flash2 = written_tensors(bill("flash2", flash1_point(row.seq)).counted, head);
  const Printed standard_ref(row.standard), tiled_ref(row.tiled);
  Judge judge(table, "N " + std::to_string(row.seq));
  judge.counts(standard.counted, standard.closed)
      .same_order("tiled peak", mebibytes(tiled_peak), tiled_ref.value())
      .same_order("standard peak", mebibytes(standard_memory), standard_ref.value())
      .close("four float64 buffers (MiB)", mebibytes(in_fp64), standard_ref.value(), 0.15)
      .off("standard peak", mebibytes(in_fp32), standard_ref, "standard peak is float64, not float32");
  if (before != nullptr) compare_growth(judge, row, *before);
  table.rows.push_back({row.seq, mebibytes_cell(standard_memory, 1), mebibytes_cell(in_fp32, 1),
                        mebibytes_cell(in_fp64, 1), standard_ref.cell(), mebibytes_cell(flash1.in_memory, 2),
                        mebibytes_cell(tiled_peak, 2), tiled_ref.cell(), flash1.in_memory.value() / row.seq,
                        mebibytes_cell(flash2, 2), judge.verdict()});
}

}  // namespace

Table footprint() {
  Table table;
  table.columns = {{"N", "rows"},
                   {"S + P + O", "MiB"},
                   {"4 x S fp32", "MiB"},
                   {"4 x S fp64", "MiB"},
                   {"standard ref.", "MiB"},
                   {"O + l + m", "MiB"},
                   {"with tiles", "MiB"},
                   {"tiled ref.", "MiB"},
                   {"O + l + m", "B/row"},
                   {"flash2 O + LSE", "MiB"},
                   {"verdict", ""}};
  const PrintedRow* before = nullptr;
  for (const PrintedRow& row : printed) {
    add_row(table, row, before);
    before = &row;
  }
  table.notes = {
      "bytes of the tensors that each run writes, fp32, d = 64; `with tiles` adds flash1's tiles (64, 196) on "
      "chip. The reference traced the peak of NumPy code, temporaries included",
      "off: the reference's standard column is labelled float32 but is four N x N float64 buffers (S, S - max, "
      "exp, P), because dividing by a float64 sqrt(d) promotes; in float32 the same code holds `4 x S fp32`",
      "both references grow as ours: the standard one by 4 a doubling, the tiled one by 264 B a row (O 256, "
      "l and m 8)"};
  return table;
}

}  // namespace tilemeter::tables
