// Which times a split fits and which it holds out.
#include "sim/catalog.hpp"
#include "tests/support/catch.hpp"
#include "tools/validate/experiment.hpp"

using namespace tilemeter;
using namespace tilemeter::validation;

namespace {

struct Sizes {
  Count seq = 4096;
  Count head_dim = 128;
  MaskKind mask = MaskKind::none;
  double seconds = 1;
};

ValidatedPoint point_of(const char* kernel, const Sizes& sizes, bool own = true) {
  ValidatedPoint point;
  point.observation.kernel = kernel;
  point.observation.own = own;
  point.observation.time = ObservedTime{.seconds = sizes.seconds};
  point.observation.request.algorithm = &find_algorithm("flash2");
  point.result.request.algorithm = &find_algorithm("flash2");
  point.result.problem = {
      .seq_q = sizes.seq, .seq_k = sizes.seq, .head_dim = sizes.head_dim, .mask = {.kind = sizes.mask}};
  point.prepared = PreparedPoint{};
  return point;
}

using Roles = std::vector<std::optional<Role>>;

Roles roles(const char* split, const std::vector<ValidatedPoint>& points) {
  return roles_of(find_split(split), points);
}

constexpr auto fitted = Role::fitted;
constexpr auto held_out = Role::held_out;

}  // namespace

TEST_CASE("splits by length, head dimension and mask") {
  const std::vector<ValidatedPoint> points = {point_of("a", {.seq = 1024}), point_of("a", {.seq = 1025}),
                                              point_of("a", {.seq = 512, .head_dim = 64}),
                                              point_of("a", {.seq = 2048, .mask = MaskKind::causal})};
  CHECK(roles("none", points) == Roles(4, Role::unfitted));
  CHECK(roles("all", points) == Roles(4, fitted));
  CHECK(roles("length", points) == Roles{fitted, held_out, fitted, held_out});
  CHECK(roles("dim", points) == Roles{fitted, fitted, held_out, fitted});
  CHECK(roles("mask", points) == Roles{fitted, fitted, fitted, held_out});
}

TEST_CASE("a kernel of which nothing is fitted, a point without a time and one without lengths are left out") {
  std::vector<ValidatedPoint> points = {point_of("a", {.seq = 1024}), point_of("b", {.seq = 4096}),
                                        point_of("a", {.seq = 4096}), point_of("a", {.seq = 512})};
  points[2].observation.time.reset();
  points[3].result.request.algorithm = &find_algorithm("gemm");
  CHECK(roles("length", points) == Roles{fitted, std::nullopt, std::nullopt, std::nullopt});
}

TEST_CASE("rungs are predicted by the kernel whose ladder they are of, and never fitted") {
  const std::vector<ValidatedPoint> points = {point_of("flash3", {.seq = 1024}), point_of("flash3_rung1", {.seq = 512}),
                                              point_of("other_rung1", {.seq = 512})};
  const Roles made = roles("length", points);
  CHECK(made == Roles{fitted, held_out, std::nullopt});
  CHECK(figures_of_kernel(SplitName::length, points[1], points, made) == "flash3");
  CHECK(roles("none", points) == Roles(3, Role::unfitted));
}

TEST_CASE("of others the shortest half is fitted, and the figures are those of the kernel that is alike") {
  std::vector<ValidatedPoint> points = {point_of("fa2", {.seconds = 3}, false),
                                        point_of("fa2", {.seconds = 1}, false),
                                        point_of("fa2", {.seconds = 2}, false),
                                        point_of("single", {.seconds = 1}, false),
                                        point_of("flash2_plain", {}),
                                        point_of("flash2", {}),
                                        point_of("flash2_plain", {})};
  points[4].observation.execution.matrix = MatrixPath::scalar;
  points[6].observation.execution.matrix = MatrixPath::scalar;
  const Roles made = roles("kernel", points);
  CHECK(made == Roles{held_out, fitted, fitted, std::nullopt, fitted, fitted, fitted});
  CHECK(figures_of_kernel(SplitName::kernel, points[0], points, made) == "flash2");
  points[0].observation.execution.matrix = MatrixPath::wgmma;
  CHECK(figures_of_kernel(SplitName::kernel, points[0], points, made).empty());
  CHECK(figures_of_kernel(SplitName::all, points[0], points, made) == "fa2");
}

TEST_CASE("an unknown split is refused with the names that exist") {
  CHECK_THROWS_WITH(find_split("lenght"),
                    contains("--split lenght") && contains("none, all, length, dim, mask, kernel"));
}
