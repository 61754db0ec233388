// Standard attention in three kernels: S = QK^T, P = softmax(S), O = PV, with S and P in device memory.
#include "sim/algorithms/describe.hpp"
#include "sim/algorithms/textbook.hpp"

namespace tilemeter {
namespace {

struct Standard {
  static constexpr std::string_view name = "standard";
  static constexpr std::string_view idea =
      "Three kernels that pass S and P through device memory; the textbook bill, every GEMM operand read once.";
  static constexpr std::string_view source =
      "Vaswani et al., Attention Is All You Need, 2017; billed as in Dao et al., 2022, Algorithm 0";
  static constexpr std::string_view options = "--score-dtype";

  template <class P>
  static void run(Gpu<P>& gpu, const Case& point) {
    textbook::Memory<P> memory(gpu, point.problem);
    textbook::score_kernel(memory, score_scale(point.problem));
    textbook::softmax_kernel(memory, textbook::MaskHere::yes);
    textbook::output_kernel(memory, memory.p);
  }
};

}  // namespace

Algorithm standard() { return describe<Standard>(); }

}  // namespace tilemeter
