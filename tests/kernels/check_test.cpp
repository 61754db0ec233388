#include "kernels/check.hpp"

#include "kernels/present.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter::kernels;

TEST_CASE("a failed CUDA call throws its text, place, name and meaning") {
  CHECK_NOTHROW(TILEMETER_CHECK(cudaSuccess));
  CHECK_THROWS_WITH(TILEMETER_CHECK(cudaErrorInvalidValue), contains("cudaErrorInvalidValue at ") &&
                                                                contains("check_test.cpp:") &&
                                                                contains("cudaErrorInvalidValue (invalid argument)"));
}

TEST_CASE("the twin for destructors cannot throw") { CHECK(noexcept(TILEMETER_REPORT(cudaErrorInvalidValue))); }

TEST_CASE("a machine without a usable device has a reason in one line") {
  const auto reason = missing_device();
  if (!reason) return;
  CHECK_THAT(*reason, contains("no CUDA device ("));
  CHECK(reason->find('\n') == std::string::npos);
}
