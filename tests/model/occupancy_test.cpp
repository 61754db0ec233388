// Resident blocks: laws over random blocks on every device, and NVIDIA's own calculator.
#include "model/occupancy.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <random>
#include <sstream>

#include "tests/support/catch.hpp"
#include "tests/support/source_dir.hpp"

using namespace tilemeter;

namespace {

BlockNeeds random_needs(std::mt19937_64& random, const Device& device) {
  const auto pick = [&](Count low, Count high) { return std::uniform_int_distribution<Count>(low, high)(random); };
  BlockNeeds needs;
  needs.threads = pick(0, 1) == 0 ? pick(1, 1024) : 32 * pick(1, 8);
  needs.registers = pick(1, std::max(Count{1}, registers_per_thread_limit(needs.threads, device)));
  needs.shared = Bytes(pick(0, device.sm.shared_per_block.value() / pick(1, 16)));
  return needs;
}

/// Runs `law(needs, device)` on random blocks of every device.
template <class Law>
void on_random_blocks(Law law) {
  const std::uint64_t seed = 71;
  std::mt19937_64 random(seed);
  for (const std::string_view name : device_names()) {
    const Device device = load_device(name);
    for (int i = 0; i < 200; ++i) {
      const BlockNeeds needs = random_needs(random, device);
      CAPTURE(seed, std::string(name), needs.threads, *needs.registers, needs.shared.value());
      law(needs, device);
    }
  }
}

/// Whether `blocks` such blocks find room on an SM, dealt out warp by warp over the four partitions.
bool have_room(Count blocks, const BlockNeeds& needs, const Device& device) {
  const Count warps = ceil_div(needs.threads, 32);
  const Count unit = device.capability() < 80 ? 256 : 128;
  Count shared = 0;
  std::array<Count, 4> registers{};
  for (Count block = 0; block < blocks; ++block) {
    const Count asked = (needs.shared + device.sm.shared_reserved).value();
    shared += (asked + unit - 1) / unit * unit;
    for (Count warp = 0; warp < warps; ++warp) {
      Count& partition = registers[static_cast<std::size_t>((block * warps + warp) % 4)];
      partition += (32 * *needs.registers + 255) / 256 * 256;
    }
  }
  const auto fits = [&](Count taken) { return taken <= device.sm.registers / 4; };
  return blocks <= device.sm.blocks && blocks * warps * 32 <= device.sm.threads &&
         shared <= device.sm.shared_per_sm.value() && std::all_of(registers.begin(), registers.end(), fits);
}

/// The cells of a golden CSV file, without its header.
std::vector<std::vector<std::string>> rows_of(const std::string& name) {
  std::ifstream file(std::string(TILEMETER_SOURCE_DIR) + "/tests/golden/" + name);
  std::vector<std::vector<std::string>> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    std::vector<std::string>& row = rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(cell);
  }
  return rows;
}

Count number(const std::string& cell) { return std::stoll(cell); }

bool names(const Occupancy& occupancy, SmLimit limit) {
  return std::find(occupancy.limiters.begin(), occupancy.limiters.end(), limit) != occupancy.limiters.end();
}

}  // namespace

TEST_CASE("law: resident blocks are the most that find room on an SM") {
  on_random_blocks([](const BlockNeeds& needs, const Device& device) {
    const Count blocks = occupancy_of(needs, device).blocks;
    CHECK(blocks >= 1);
    CHECK(have_room(blocks, needs, device));
    CHECK_FALSE(have_room(blocks + 1, needs, device));
  });
}

TEST_CASE("law: resident blocks never increase when a block needs more") {
  on_random_blocks([](const BlockNeeds& needs, const Device& device) {
    const Count blocks = occupancy_of(needs, device).blocks;
    BlockNeeds more = needs;
    more.shared = std::min(needs.shared + Bytes(97), device.sm.shared_per_block);
    CHECK(occupancy_of(more, device).blocks <= blocks);
    more = needs;
    more.registers = std::min(Count{255}, *needs.registers + 3);
    CHECK(occupancy_of(more, device).blocks <= blocks);
    more = needs;
    more.threads = std::min(Count{1024}, needs.threads + 40);
    CHECK(occupancy_of(more, device).blocks <= blocks);
  });
}

TEST_CASE("law: what is named as a limit is one, and every one is named") {
  on_random_blocks([](const BlockNeeds& needs, const Device& device) {
    const Occupancy found = occupancy_of(needs, device);
    CHECK(found.by_shared.value_or(found.blocks) >= found.blocks);
    CHECK(names(found, SmLimit::shared_memory) == (found.by_shared == found.blocks));
    CHECK(names(found, SmLimit::registers) == (found.by_registers == found.blocks));
    CHECK(names(found, SmLimit::warps) == (found.by_warps == found.blocks));
    CHECK(names(found, SmLimit::blocks) == (found.by_blocks == found.blocks));
    CHECK(found.warps() <= found.most_warps);
    CHECK(found.needs_opt_in == (needs.shared > device.sm.shared_default));
  });
}

TEST_CASE("law: a thread's register limit is the largest with which one block runs") {
  for (const std::string_view name : device_names()) {
    const Device device = load_device(name);
    for (Count threads = 1; threads <= 1024; threads += 31) {
      CAPTURE(std::string(name), threads);
      const Count limit = registers_per_thread_limit(threads, device);
      CHECK(blocks_by_registers(limit, threads, device) >= 1);
      if (limit < 255) CHECK(have_room(1, {.registers = limit, .threads = threads}, device));
      if (limit < 255) CHECK(blocks_by_registers(limit + 1, threads, device) == 0);
    }
  }
  const Device h200 = load_device("h200");
  CHECK(registers_per_thread_limit(128, h200) == 255);
  CHECK(registers_per_thread_limit(384, h200) == 168);
  CHECK(registers_per_thread_limit(512, h200) == 128);
  CHECK(registers_per_thread_limit(1024, h200) == 64);
}

TEST_CASE("resident blocks equal those of cuda_occupancy.h of CUDA 13.0") {
  const auto rows = rows_of("occupancy.csv");
  for (const std::vector<std::string>& row : rows) {
    CAPTURE(row);
    const Device device = load_device(row[0]);
    const Occupancy found = occupancy_of({Bytes(number(row[3])), number(row[2]), number(row[1])}, device);
    CHECK(found.blocks == number(row[4]));
    CHECK(found.by_shared.value() == number(row[5]));
    CHECK(found.by_registers.value() == number(row[6]));
    CHECK(found.by_warps == number(row[7]));
    CHECK(found.by_blocks == number(row[8]));
  }
  CHECK(rows.size() == 320);
}

TEST_CASE("resident blocks equal those that an H200 states for compiled kernels") {
  const Device h200 = load_device("h200");
  const auto rows = rows_of("occupancy-h200.csv");
  for (const std::vector<std::string>& row : rows) {
    CAPTURE(row);
    CHECK(occupancy_of({Bytes(number(row[2])), number(row[1]), number(row[0])}, h200).blocks == number(row[3]));
  }
  CHECK(rows.size() == 720);
}

TEST_CASE("limits are named, ties all") {
  const Device device = load_device("rtx5090");
  const Occupancy shared = occupancy_of({Bytes(67584), 232, 128}, device);
  CHECK(shared.blocks == 1);
  CHECK(shared.by_registers == 2);
  CHECK(shared.limiters == std::vector{SmLimit::shared_memory});
  CHECK(shared.percent() == Approx(100.0 * 4 / 48));
  const Occupancy tie = occupancy_of({Bytes(69632), 144, 256}, device);
  CHECK(tie.limiters == std::vector{SmLimit::shared_memory, SmLimit::registers});
  CHECK(occupancy_of({Bytes(34816), 128, 256}, device).blocks == 2);
  CHECK(occupancy_of({Bytes(0), std::nullopt, 1024}, device).limiters == std::vector{SmLimit::warps});
  CHECK(occupancy_of({Bytes(0), 16, 32}, device).limiters == std::vector{SmLimit::blocks});
}

TEST_CASE("opting in is needed past the default only") {
  const Device device = load_device("a100-80gb");
  CHECK_FALSE(occupancy_of({Bytes(49152), std::nullopt, 128}, device).needs_opt_in);
  CHECK(occupancy_of({Bytes(49153), std::nullopt, 128}, device).needs_opt_in);
}

TEST_CASE("accumulators are spread over the threads, and spill past what a thread holds") {
  const Device device = load_device("a100-80gb");
  const RegisterUse fine = register_use(Bytes(32768), std::nullopt, 128, device);
  CHECK(fine.accumulators_per_thread == 64);
  CHECK(fine.per_thread == 64);
  CHECK(fine.source == RegisterSource::accumulators);
  CHECK_FALSE(fine.spills());
  CHECK_FALSE(register_use(Bytes(255 * 128 * 4), std::nullopt, 128, device).spills());
  const RegisterUse over = register_use(Bytes(255 * 128 * 4 + 1), std::nullopt, 128, device);
  CHECK(over.accumulators_per_thread == 256);
  CHECK(over.per_thread == 255);
  CHECK(over.spills());
  CHECK(register_use(Bytes(32768), 63, 128, device).spills());
  CHECK_FALSE(register_use(Bytes(32768), 64, 128, device).spills());
  CHECK_FALSE(register_use(Bytes(0), std::nullopt, 128, device).per_thread.has_value());
}

TEST_CASE("a block that cannot run is refused with the arithmetic") {
  const Device device = load_device("h100-sxm");
  BlockPlan plan{
      .name = "mine",
      .tiles = {{.name = "Q", .rows = 64, .cols = 1816}, {.name = "pad", .rows = 1, .cols = 1, .dtype = DType::u8}}};
  CHECK(*refusal_of(plan, device) ==
        "mine needs 232449 B of shared memory: Q 232448 + pad 1; h100-sxm allows 232448 B a block (232449 B against "
        "232448 B, 1 B too many)");
  plan.tiles.pop_back();
  CHECK_FALSE(refusal_of(plan, device).has_value());
  plan.threads = 512;
  plan.registers = 129;
  CHECK(*refusal_of(plan, device) ==
        "mine needs 69632 registers: 16 warps of 32 x 129, 4352 in units of 256; h100-sxm allows 65536 a block, 128 a "
        "thread of 512");
  CHECK(occupancy_of(plan, device).blocks == 0);
  plan.tiles = {{.name = "O", .space = Space::registers, .rows = 256, .cols = 257, .dtype = DType::fp32}};
  plan.registers.reset();
  CHECK_THAT(*refusal_of(plan, device), contains("257.0 KiB of registers: O 257; h100-sxm allows 256.0 KiB a block"));
  CHECK(occupancy_of(plan, device).limiters == std::vector{SmLimit::registers});
}

TEST_CASE("threads and registers that no block can have are errors") {
  const Device device = load_device("t4");
  CHECK_THROWS_WITH(occupancy_of({Bytes(0), std::nullopt, 1025}, device), contains("1025") && contains("1 to 1024"));
  CHECK_THROWS_WITH(occupancy_of({Bytes(0), std::nullopt, 0}, device), contains("1 to 1024"));
  CHECK_THROWS_WITH(occupancy_of({Bytes(0), 256, 32}, device), contains("256") && contains("1 to 255"));
}
