#include "tests/kernels/machine_code.hpp"

#include <algorithm>
#include <cctype>

#include "kernels/catalog.hpp"
#include "model/closed_form/catalog.hpp"
#include "tests/support/catch.hpp"

using tilemeter::kernels::Architecture;
using tilemeter::kernels::Kernel;

namespace {

constexpr int hopper = 90;

bool counts(const KernelId& kernel) { return kernel.name.find("CountTraffic") != std::string::npos; }

/// The twin of a kernel that counts.
KernelId not_counting(KernelId kernel) {
  constexpr std::string_view counting = "12CountTraffic";
  for (std::size_t at = 0; (at = kernel.name.find(counting, at)) != std::string::npos;) {
    kernel.name.replace(at, counting.size(), "7NoCount");
  }
  return kernel;
}

std::size_t times(const Code& code, int opcode) {
  const auto found = opcodes(code);
  return static_cast<std::size_t>(std::count(found.begin(), found.end(), opcode));
}

/// Whether an identifier of the mangled name starts with `word`: identifiers follow their length.
bool has_identifier(std::string_view mangled, std::string_view word) {
  for (std::size_t at = mangled.find(word); at != std::string_view::npos; at = mangled.find(word, at + 1)) {
    if (at > 0 && std::isdigit(static_cast<unsigned char>(mangled[at - 1])) != 0) return true;
  }
  return false;
}

/// The row of the catalog that a function belongs to: the one with the longest name that the function's starts with.
const Kernel* row_of(const KernelId& function) {
  const Kernel* row = nullptr;
  for (const Kernel& kernel : tilemeter::kernels::catalog()) {
    const bool longer = row == nullptr || kernel.name.size() > row->name.size();
    if (longer && has_identifier(function.name, kernel.name)) row = &kernel;
  }
  return row;
}

/// Whether the kernel has products of 16-bit matrices to do.
bool wants_tensor_cores(const Kernel& kernel) {
  using tilemeter::Computation;
  const Computation computation = tilemeter::formula_of(kernel.algorithm).computation;
  const bool products = computation != Computation::softmax && computation != Computation::chain;
  return products && kernel.dtypes.front() != tilemeter::DType::fp32;
}

std::size_t warpgroup_products(const Code& code) {
  return times(code, tensor_from_shared) + times(code, tensor_from_registers) + times(code, tensor8_from_shared) +
         times(code, tensor8_from_registers);
}

bool has_tensor_instructions(const Code& code) { return times(code, tensor) + warpgroup_products(code) > 0; }

bool runs_on(const Kernel& kernel, int architecture) {
  return architecture == hopper || kernel.tilings.front().architecture == Architecture::ampere;
}

/// Of the functions in `path` that do not count: no spills where the tilings were chosen, on Hopper, and tensor
/// instructions in every row that wants them.
void check_functions(const std::string& path, int architecture) {
  const auto functions = kernels_in(path);
  for (const Kernel& kernel : tilemeter::kernels::catalog()) {
    if (!runs_on(kernel, architecture)) continue;
    INFO(kernel.name << " for sm_" << architecture);
    std::size_t found = 0, tensor_functions = 0;
    for (const auto& [function, code] : functions) {
      if (function.architecture != architecture || counts(function) || row_of(function) != &kernel) continue;
      INFO(function.name);
      if (architecture == hopper) {
        CHECK(times(code, local_load) == 0);
        CHECK(times(code, local_store) == 0);
      }
      if (kernel.tilings.front().architecture == Architecture::hopper) {
        CHECK(warpgroup_products(code) > 0);
      }
      ++found;
      tensor_functions += has_tensor_instructions(code) ? 1 : 0;
    }
    CHECK(found > 0);
    CHECK((tensor_functions > 0) == wants_tensor_cores(kernel));
  }
}

}  // namespace

TEST_CASE("kernels that do not count are, byte for byte, the kernels without counter calls") {
  const auto shipped = kernels_in(SHIPPED_KERNELS);
  const auto bare = kernels_in(BARE_KERNELS);
  std::size_t compared = 0;
  for (const auto& [kernel, code] : shipped) {
    if (counts(kernel) || row_of(kernel) == nullptr || kernel.architecture != hopper) continue;
    INFO("sm_" << kernel.architecture << " " << kernel.name);
    REQUIRE(bare.count(kernel) == 1);
    CHECK(code.size() >= 128);
    CHECK((code == bare.at(kernel)));
    ++compared;
  }
  CHECK(compared >= tilemeter::kernels::catalog().size());
}

TEST_CASE("the comparison sees counter calls: kernels that count differ") {
  const auto bare = kernels_in(BARE_KERNELS);
  std::size_t compared = 0;
  for (const auto& [kernel, code] : kernels_in(SHIPPED_KERNELS)) {
    if (!counts(kernel) || kernel.architecture != hopper) continue;
    const KernelId silent = not_counting(kernel);
    INFO("sm_" << silent.architecture << " " << silent.name);
    REQUIRE(bare.count(silent) == 1);
    CHECK((code != bare.at(silent)));
    ++compared;
  }
  CHECK(compared >= tilemeter::kernels::catalog().size());
}

TEST_CASE("shipped tilings use the tensor cores and do not spill registers to local memory") {
  check_functions(SHIPPED_KERNELS, hopper);
}

TEST_CASE("other GPUs get tensor-core code") {
  for (const int architecture : {80, 89, 120}) check_functions(PORTABLE_KERNELS, architecture);
}

TEST_CASE("the search for spills sees local memory") {
  std::size_t found = 0;
  for (const auto& [kernel, code] : kernels_in(BARE_KERNELS)) {
    if (kernel.name.find("uses_local_memory") == std::string::npos) continue;
    CHECK(times(code, local_load) > 0);
    CHECK(times(code, local_store) > 0);
    ++found;
  }
  CHECK(found > 0);
}
