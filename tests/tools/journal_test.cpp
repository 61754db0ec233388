#include "tools/sweep/journal.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "model/error.hpp"
#include "tests/support/catch.hpp"
#include "tools/sweep/pool.hpp"

using namespace tilemeter;

namespace {

const SweepIdentity identity{.version = "1.0", .command_line = "sweep --seq 1:8:*2", .inputs = 7};

/// A path that no file has, in the folder for temporary files.
struct Place {
  std::string path =
      (std::filesystem::temp_directory_path() / ("tilemeter_journal_" + std::to_string(std::rand()) + ".partial"))
          .string();
  Place() { std::filesystem::remove(path); }
  ~Place() { std::filesystem::remove(path); }
};

void append_to(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::app | std::ios::binary) << text;
}

}  // namespace

TEST_CASE("the checksum is CRC-32") {
  CHECK(crc32("123456789") == 0xcbf43926U);
  CHECK(crc32("") == 0U);
}

TEST_CASE("a journal keeps good records and drops a torn last one") {
  const Place place;
  {
    Journal journal = Journal::start(place.path, identity, 4);
    journal.append(2, "{\"b\":2}");
    journal.append(0, "{\"a\":1}");
  }
  const auto whole = std::filesystem::file_size(place.path);
  append_to(place.path, "0123abcd 1 {\"torn");
  Journal journal = Journal::resume(place.path, identity, 4);
  CHECK(journal.size() == 2);
  CHECK(journal.read(2) == "{\"b\":2}");
  CHECK_FALSE(journal.has(1));
  CHECK(std::filesystem::file_size(place.path) == whole);
  journal.append(1, "{\"c\":3}");
  CHECK(Journal::resume(place.path, identity, 4).read(1) == "{\"c\":3}");
}

TEST_CASE("a journal that was killed while it began is begun again") {
  const Place whole;
  { Journal::start(whole.path, identity, 4); }
  std::ostringstream header;
  header << std::ifstream(whole.path, std::ios::binary).rdbuf();
  for (std::size_t size = 0; size < header.str().size(); ++size) {
    const Place place;
    append_to(place.path, header.str().substr(0, size));
    Journal journal = Journal::resume(place.path, identity, 4);
    journal.append(3, "x");
    CHECK(Journal::resume(place.path, identity, 4).read(3) == "x");
  }
}

TEST_CASE("records longer than what is read at a time are found, and torn at every place") {
  const Place place;
  const std::string large(200'000, 'y');
  {
    Journal journal = Journal::start(place.path, identity, 4);
    for (const std::size_t point : {3, 1, 0}) journal.append(point, large + std::to_string(point));
  }
  const auto size = std::filesystem::file_size(place.path);
  Journal journal = Journal::resume(place.path, identity, 4);
  for (const std::size_t point : {3, 1, 0}) CHECK(journal.read(point) == large + std::to_string(point));
  std::filesystem::resize_file(place.path, size - 1);
  CHECK(Journal::resume(place.path, identity, 4).size() == 2);
  CHECK(std::filesystem::file_size(place.path) < size - large.size());
}

TEST_CASE("a record with a wrong checksum ends what is kept") {
  const Place place;
  { Journal::start(place.path, identity, 4).append(0, "x"); }
  append_to(place.path, "00000000 1 y\n");
  CHECK(Journal::resume(place.path, identity, 4).size() == 1);
}

TEST_CASE("another sweep's journal is refused, and an existing one is not overwritten") {
  const Place place;
  { Journal::start(place.path, identity, 4); }
  SweepIdentity other = identity;
  other.command_line = "sweep --seq 5";
  CHECK_THROWS_WITH(Journal::resume(place.path, other, 4), contains("another command line"));
  other = identity;
  other.version = "2.0";
  CHECK_THROWS_WITH(Journal::resume(place.path, other, 4), contains("another version"));
  other = identity;
  other.inputs = 8;
  CHECK_THROWS_WITH(Journal::resume(place.path, other, 4), contains("has changed"));
  CHECK_THROWS_WITH(Journal::start(place.path, identity, 4), contains("--resume"));
  CHECK(is_journal(place.path));
}

TEST_CASE("a pool hands points over in order, whatever the number of threads") {
  for (const std::size_t threads : {1U, 3U, 8U}) {
    std::string order;
    const std::size_t taken = run_pool({.threads = threads, .delivery = Delivery::in_order},
                                       {.count = 100,
                                        .skip = [](std::size_t i) { return i % 10 == 3; },
                                        .make = [](std::size_t i) { return std::to_string(i) + ","; },
                                        .take = [&](std::size_t, std::string text) { order += text; },
                                        .progress = nullptr,
                                        .stop = nullptr});
    CHECK(taken == 90);
    std::string expected;
    for (int i = 0; i < 100; ++i) expected += i % 10 == 3 ? "" : std::to_string(i) + ",";
    CHECK(order == expected);
  }
}

TEST_CASE("an error in a point ends the pool and comes back to the caller") {
  const auto run = [] {
    run_pool({.threads = 2, .delivery = Delivery::as_finished}, {.count = 1000,
                                                                 .skip = nullptr,
                                                                 .make = [](std::size_t i) -> std::string {
                                                                   if (i == 17) throw InputError("point 17");
                                                                   return {};
                                                                 },
                                                                 .take = [](std::size_t, std::string) {},
                                                                 .progress = nullptr,
                                                                 .stop = nullptr});
  };
  CHECK_THROWS_WITH(run(), contains("point 17"));
}
