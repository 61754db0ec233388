#include "tools/tables/golden_rows.hpp"

#include "tools/tables/points.hpp"

namespace tilemeter::tables {
namespace {

Case head(Count seq, Count d, Count block_q, Count block_k) { return tiled(one_head(seq, d), block_q, block_k); }

Case causal(Case point) {
  point.problem.mask.kind = MaskKind::causal;
  return point;
}

Case window(Case point, Count left, Count right) {
  point.problem.mask = {.kind = MaskKind::window, .left = left, .right = right};
  return point;
}

Case keys(Case point, Count seq_k) {
  point.problem.seq_k = seq_k;
  return point;
}

Case grouped(Case point, Count heads, Count kv_heads, Packing packing) {
  point.problem.heads = heads;
  point.problem.kv_heads = kv_heads;
  point.problem.packing = packing;
  return point;
}

Case without_scale_kernel(Case point) {
  point.options.unfused_scale = false;
  return point;
}

std::vector<GoldenRow> standard_rows() {
  const Case small = one_head(512, 64);
  return {
      {"3 kernels, N 512", "standard", small, 622592, 557056, 2359296, 67108864, 262144},
      {"5 kernels (mask, dropout), N 512", "standard_unfused", without_scale_kernel(small), 1147392, 1343488, 4719616,
       67108864, 262144},
      {"6 kernels (scale too), N 512", "standard_unfused", small, 1409536, 1605632, 5768192, 67108864, 262144},
      {"3 kernels, N 4096", "standard", one_head(4096, 64), 34340864, 33816576, 136314880, 4294967296},
  };
}

std::vector<GoldenRow> flash1_rows() {
  return {
      {"N 1024 (64, 196)", "flash1", head(1024, 64, 64, 196), 929792, 405504, 2719744, 268435456, 1048576, 6144, 45952},
      {"N 4096 (64, 196)", "flash1", head(4096, 64, 64, 196), 11706368, 5677056, 35454976, 4294967296, 16777216, 86016},
      {"N 1000 (64, 196) causal", "flash1", causal(head(1000, 64, 64, 196)), 533600, 205920, 1504000, 154746880, 604480,
       3120},
      {"N 300 d 16 (64, 100) causal", "flash1", causal(head(300, 16, 64, 100)), 31496, 11592, 91328, 4121600, 64400,
       644, 11776},
      {"N 300 d 16 (100, 64) causal", "flash1", causal(head(300, 16, 100, 64)), 47000, 19800, 142400, 4377600, 68400,
       1100, 11848},
      {"N 257 d 32 (48, 33) causal", "flash1", causal(head(257, 32, 48, 33)), 101456, 43792, 300800, 5382272, 42049,
       1288},
      {"N 1024 (64, 64) causal", "flash1", causal(head(1024, 64, 64, 64)), 1262592, 574464, 3743744, 142606336, 557056,
       8704},
  };
}

std::vector<GoldenRow> flash2_rows() {
  const Case square = head(1024, 64, 128, 64);
  return {
      {"N 1024 (128, 64)", "flash2", square, 1114112, 66560, 2363392, 268435456, 1048576, 16384, 33024, 128},
      {"N 1024 (128, 64) causal", "flash2", causal(square), 655360, 66560, 1445888, 150994944, 589824, 9216, {}, 72},
      {"N 1024 (128, 64) causal window 256",
       "flash2",
       window(square, 256, 0),
       409600,
       66560,
       954368,
       88080384,
       344064,
       {},
       {},
       42},
      {"N 4096 (64, 196)", "flash2", head(4096, 64, 64, 196), 33816576, 266240, 68173824, 4294967296, {}, {}, {}, 1344},
      {"N 4096 (196, 64)", "flash2", head(4096, 64, 196, 64), 11272192, 266240, 23085056, 4294967296, {}, {}, {}, 1344},
      {"N 300 d 16 (64, 100) causal",
       "flash2",
       causal(head(300, 16, 64, 100)),
       40000,
       5100,
       90800,
       4121600,
       64400,
       {},
       {},
       11},
      {"Nq 100 Nk 300 d 16 (64, 48) causal",
       "flash2",
       causal(keys(head(100, 16, 64, 48), 300)),
       20416,
       1700,
       44432,
       1870848,
       29232,
       636,
       {},
       13},
      {"Nq 300 Nk 100 d 16 (64, 48) causal",
       "flash2",
       causal(keys(head(300, 16, 64, 48), 100)),
       8000,
       5100,
       26800,
       674816,
       10544,
       260,
       {},
       5},
      {"N 1000 d 32 (96, 80) window 100,20",
       "flash2",
       window(head(1000, 32, 96, 80), 100, 20),
       221440,
       33000,
       510880,
       34938880,
       272960,
       3480,
       {},
       38},
  };
}

std::vector<GoldenRow> grouped_rows() {
  const Case eight = causal(head(256, 32, 64, 64));
  const Case six = causal(head(250, 32, 64, 48));
  const Case decode = keys(head(1, 128, 64, 128), 8192);
  return {
      {"H 8 Hk 2 N 256 d 32 (64, 64) causal",
       "flash2",
       grouped(eight, 8, 2, Packing::unpacked),
       393216,
       67584,
       925696,
       41943040,
       {},
       {},
       {},
       80},
      {"... packed", "flash2", grouped(eight, 8, 2, Packing::packed), 393216, 67584, 925696, 41943040, {}, {}, {}, 80},
      {"H 6 Hk 2 N 250 d 32 (64, 48) causal packed", "flash2", grouped(six, 6, 2, Packing::packed), 288896, 49500,
       679792, 29682688, 231896},
      {"decode H 32 Hk 8 Nk 8192 d 128", "flash2", grouped(decode, 32, 8, Packing::unpacked), 67112960, 4128, 134234240,
       134217728},
      {"... packed", "flash2", grouped(decode, 32, 8, Packing::packed), 16781312, 4128, 33570944, 134217728},
  };
}

Case two_kernels(Case point) {
  point.options.variant = Variant::two_kernels;
  return point;
}

std::vector<GoldenRow> backward_rows() {
  const Case square = head(1024, 64, 64, 128);
  const Case eight = grouped(causal(keys(head(100, 32, 64, 64), 200)), 8, 2, Packing::unpacked);
  return {
      {"Algorithm 3, N 512", "standard_backward", one_head(512, 64), 1474560, 622592, 4194304, 134217728, 0},
      {"N 1000 (64, 196) causal", "flash1_backward", causal(head(1000, 64, 64, 196)), 932960, 327680, 2533760,
       386867200, 604480, 0, 91840},
      {"N 1024 (64, 196)", "flash1_backward", head(1024, 64, 64, 196), 1716224, 524288, 4505600, 671088640},
      {"N 1024 (64, 128) atomics", "flash2_backward", square, 1916928, 787456, 7802880, 671088640, 1048576, 0, 61568},
      {"... two kernels", "flash2_backward", two_kernels(square), 3557376, 197632, 7548928, 939524096, 2097152},
      {"... causal, atomics", "flash2_backward", causal(square), 1221632, 558080, 5021696, 377487360},
      {"... causal, two kernels", "flash2_backward", causal(two_kernels(square)), 2173952, 197632, 4767744, 528482304},
      {"H 8 Hk 2 Nq 100 Nk 200 d 32 (64, 64) causal", "flash2_backward", eight, 545024, 266016, 2080896, 49889280},
  };
}

Case split(Case point, Count splits) {
  point.options.splits = splits;
  return point;
}

/// One decoding query of 32 heads that share 8 K/V heads, over a cache of 8192 keys.
std::vector<GoldenRow> split_rows() {
  const Case packed = grouped(keys(head(1, 128, 64, 128), 8192), 32, 8, Packing::packed);
  constexpr Count flops = 134217728;
  constexpr Count scores = 262144;
  return {
      {"decode packed, 1 split", "split_kv", split(packed, 1), 16781312, 4128, 33570944, flops, scores},
      {"... 4 splits", "split_kv", split(packed, 4), 16810112, 20640, 33727616, flops, scores},
      {"... 8 splits", "split_kv", split(packed, 8), 16843008, 37152, 33892480, flops, scores},
      {"... 16 splits", "split_kv", split(packed, 16), 16908800, 70176, 34222208, flops, scores},
      {"... 48 splits (16 empty)", "split_kv", split(packed, 48), 17106432, 202272, 35410048, flops, scores},
  };
}

std::vector<GoldenRow> chunked_rows() {
  const auto chunks = [](Count seq, Count key_chunk, Variant variant) {
    Case point = head(seq, 64, 1024, key_chunk);
    point.options.variant = variant;
    return point;
  };
  return {
      {"on-chip, N 4096, chunks (1024, 64)", "chunked", chunks(4096, 64, Variant::onchip), 2359296, 262144, 5242880,
       4294967296, 16777216},
      {"... fused", "chunked", chunks(4096, 64, Variant::fused), 19660800, 17563648, 143654912, 4294967296, 16777216},
      {"... op by op", "chunked", chunks(4096, 64, Variant::unfused), 69730304, 51118080, 310902784, 4294967296,
       16777216},
      {"on-chip, N 16384, chunks (1024, 4096)", "chunked", chunks(16384, 4096, Variant::onchip), 34603008, 1048576,
       71303168, 68719476736, 268435456},
      {"... fused", "chunked", chunks(16384, 4096, Variant::fused), 38928384, 5373952, 105906176, 68719476736,
       268435456},
      {"... op by op", "chunked", chunks(16384, 4096, Variant::unfused), 578945024, 542244864, 2259681280, 68719476736,
       268435456},
  };
}

}  // namespace

std::vector<GoldenRow> golden_rows() {
  std::vector<GoldenRow> all;
  for (const auto& rows :
       {standard_rows(), flash1_rows(), flash2_rows(), grouped_rows(), split_rows(), backward_rows(), chunked_rows()}) {
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

}  // namespace tilemeter::tables
