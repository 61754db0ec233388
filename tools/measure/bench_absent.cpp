// The bench of a program that was built without CUDA.
#include "tools/measure/bench.hpp"

namespace tilemeter {

struct Bench::Machine {};

Bench::Bench(const MeasureOptions&) {
  throw InputError("measure needs a GPU: this program was built without CUDA; see kernels/README.md");
}
Bench::~Bench() = default;

MeasureSetting Bench::setting() const { return {}; }
void Bench::run(Measurement&, const std::optional<Device>&) {}

}  // namespace tilemeter
