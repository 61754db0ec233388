// Device files that are wrong: each is one InputError that names file, key, what was found and what is expected.
#include "model/device_file.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "model/shipped_devices.hpp"
#include "model/toml_tree.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;

namespace {

std::string text_of(std::string_view name) {
  for (const ShippedDevice& device : shipped_devices()) {
    if (device.name == name) return std::string(device.toml);
  }
  return "";
}
const std::string good = text_of("h200");

/// The H200's file with one piece of text replaced.
std::string changed(const std::string& from, const std::string& to) {
  std::string text = good;
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

Device parse(const std::string& text) { return parse_device(text, "mine.toml"); }

/// A folder of this test that is removed with it.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("tilemeter_device_test_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return (path_ / name).string();
  }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace

TEST_CASE("a file of the user is read like a shipped one") {
  const Folder folder;
  const Device device = load_device(folder.file("mine.toml", changed("\"4.8 TB/s\"", "\"5 TB/s\"")));
  CHECK(device.hbm.bandwidth.value == 5e12);
  CHECK(load_device(folder.file("no-suffix", good)).name == "h200");
}

TEST_CASE("a path that is no readable file is refused by name") {
  const Folder folder;
  CHECK_THROWS_WITH(load_device(folder.path() + "/missing.toml"),
                    contains("missing.toml") && contains("does not exist"));
  CHECK_THROWS_WITH(load_device("missing.toml"), contains("\"missing.toml\"") && contains("does not exist"));
  CHECK_THROWS_WITH(load_device(folder.path() + "/"), contains("is a directory"));
  CHECK_THROWS_WITH(load_device(folder.file("big.toml", std::string(2 << 20, '#'))), contains("is too large"));
  CHECK_THROWS_WITH(load_device("/dev/zero"), contains("is too large"));
  CHECK_THROWS_AS(load_device(std::string(5000, 'x') + "/y.toml"), InputError);
  CHECK_THROWS_WITH(load_device(folder.file("empty.toml", "")), contains("name is missing"));
}

TEST_CASE("deleting any required key names that key") {
  const Device device = load_device("h200");
  int required = 0;
  for (const KeyRule& rule : key_rules()) {
    CAPTURE(rule.key);
    std::vector<RawFact> facts = read_facts(good, "mine.toml");
    const auto gone = std::erase_if(facts, [&](const RawFact& fact) { return fact.key == rule.key; });
    if (rule.presence == Presence::optional) {
      CHECK_NOTHROW(build_device(facts, "mine.toml"));
      continue;
    }
    ++required;
    CHECK(gone == 1);
    CHECK_THROWS_WITH(build_device(facts, "mine.toml"),
                      contains("mine.toml: " + rule.key + " is missing; expected") && contains(rule.expected));
  }
  CHECK(required == 18);
}

TEST_CASE("deleting any line of a file loads or names a key") {
  std::size_t begin = 0;
  while (begin < good.size()) {
    const std::size_t end = std::min(good.find('\n', begin), good.size() - 1) + 1;
    const std::string line = good.substr(begin, end - begin);
    const std::string without = good.substr(0, begin) + good.substr(end);
    CAPTURE(line);
    if (line.find("value") == std::string::npos) {
      try {
        parse(without);
      } catch (const InputError& error) {
        CHECK_THAT(error.what(), contains("mine.toml"));
      }
    } else if (line.rfind("tensor", 0) != 0 && line.rfind("bf16", 0) != 0 && line.rfind("fp64", 0) != 0 &&
               line.rfind("fp8", 0) != 0 && line.rfind("int8", 0) != 0 && line.rfind("sustained", 0) != 0) {
      CHECK_THROWS_WITH(parse(without), contains("is missing") && contains(line.substr(0, line.find(' '))));
    }
    begin = end;
  }
}

TEST_CASE("wrong files name key, finding and expectation") {
  struct Case {
    std::string from, to;
    std::vector<std::string> expected;
  };
  const std::vector<Case> cases = {
      {"count = { value = 132", "count = { value = \"132\"", {"sm.count", "the text \"132\"", "a whole number"}},
      {"count = { value = 132", "count = { value = 132.5", {"sm.count", "a number with a fraction", "a whole number"}},
      {"count = { value = 132", "count = { value = true", {"sm.count", "true or false", "a whole number"}},
      {"count = { value = 132", "count = { value = 0", {"sm.count \"0\"", "at least 1"}},
      {"count = { value = 132", "count = { value = -132", {"sm.count \"-132\"", "at least 1"}},
      {"count = { value = 132", "count = { value = 1000000", {"sm.count", "no GPU has this", "1 to 100000"}},
      {"count = { value = 132", "count = { value = 99999999999999999999", {"not a TOML file"}},
      {"count = { value = 132", "count = { amount = 132", {"sm.count", "unknown key \"amount\""}},
      {"count = { value = 132,", "count = {", {"sm.count.value is missing"}},
      {"count = { value = 132, source", "count = { value = 132, note", {"sm.count", "unknown key \"note\""}},
      {"count = { value = 132", "count = { unit = \"SMs\", value = 132", {"sm.count", "unknown key \"unit\""}},
      {"count = {", "cuont = {", {"unknown key \"sm.cuont\"", "did you mean \"sm.count\"?", "the keys are: name arch"}},
      {"[sm]", "[sn]", {"unknown key \"sn.", "did you mean \"sm."}},
      {"[sm]", "[sm]\ncolour = { value = 1, source = \"x\" }", {"unknown key \"sm.colour\""}},
      {"[sm]", "[extra]\n[sm]", {"\"extra\"", "an empty table"}},
      {"[sm]", "[sm]\nnote = \"x\"", {"\"sm.note\"", "found text", "{ value = ..., source"}},
      {"[sm]", "[sm]\nlist = [1, 2]", {"\"sm.list\"", "an array"}},
      {"[sm]", "[sm.deep.deeper]\nx = { value = 1, source = \"y\" }\n[sm]", {"unknown key \"sm.deep.deeper.x\""}},
      {"[sm]", "[sm]\ncount = { value = 1, source = \"x\" }", {"not a TOML file"}},
      {"[sm]", "\"sm.count\" = { value = 1, source = \"x\" }\n[sm]", {"sm.count is given twice"}},
      {"[sm]", "when = 2024-01-01\n[sm]", {"\"when\"", "a date or time"}},
      {"\"227 KiB\"", "\"227 KB\"", {"sm.shared_per_block \"227 KB\"", "B KiB MiB GiB"}},
      {"\"227 KiB\"", "232448", {"sm.shared_per_block", "the bare number 232448", "a byte size"}},
      {"\"227 KiB\"", "\"229 KiB\"", {"sm.shared_per_block 229 KiB", "passes sm.shared_per_sm 228 KiB", "230 KiB"}},
      {"\"227 KiB\"", "\"\"", {"sm.shared_per_block \"\"", "B KiB MiB GiB"}},
      {"\"48 KiB\"", "\"228 KiB\"", {"sm.shared_default 228 KiB", "passes sm.shared_per_block 227 KiB"}},
      {"\"4.8 TB/s\"", "\"0 TB/s\"", {"hbm.bandwidth \"0 TB/s\"", "positive"}},
      {"\"4.8 TB/s\"", "\"-4.8 TB/s\"", {"hbm.bandwidth \"-4.8 TB/s\"", "positive"}},
      {"\"4.8 TB/s\"", "\"4.8 TiB/s\"", {"hbm.bandwidth \"4.8 TiB/s\"", "MB/s GB/s TB/s PB/s"}},
      {"\"4.8 TB/s\"", "\"4.8 PB/s\"", {"hbm.bandwidth \"4.8 PB/s\"", "no GPU has this", "200 TB/s"}},
      {"\"4.8 TB/s\"", "4.8e12", {"hbm.bandwidth", "a number with a fraction", "\"3.35 TB/s\""}},
      {"\"141 GB\"", "\"1 MiB\"", {"hbm.size", "no GPU has this"}},
      {"\"60 MiB\"", "\"200 GiB\"", {"l2.size 200 GiB", "passes hbm.size"}},
      {"value = 2048", "value = 2047", {"sm.threads 2047", "multiple of 32"}},
      {"value = 32,", "value = 4096,", {"sm.blocks 4096", "passes sm.threads 2048"}},
      {"\"sm_90\"", "\"hopper\"", {"arch \"hopper\"", "sm_90"}},
      {"\"h200\"", "\"  \"", {"name \"  \"", "printable"}},
      {"\"h200\"", "\"h\\n200\"", {"name \"h?200\"", "printable"}},
      {"[rate.exp]", "[rate.sfu]", {"unknown key \"rate.sfu.fp32\""}}};
  for (const Case& wrong : cases) {
    CAPTURE(wrong.from, wrong.to);
    const std::string text = changed(wrong.from, wrong.to);
    CHECK_THROWS_AS(parse(text), InputError);
    CHECK_THROWS_WITH(parse(text), contains("mine.toml"));
    for (const std::string& part : wrong.expected) CHECK_THROWS_WITH(parse(text), contains(part));
  }
}

TEST_CASE("a source must be there and say something") {
  const std::string source = "source = \"cudaGetDeviceProperties of an H200, driver 580.159.04\" }";
  CHECK_THROWS_WITH(parse(changed(", " + source, " }")), contains("mine.toml: sm.count.source is missing"));
  CHECK_THROWS_WITH(parse(changed(source, "source = \" \" }")), contains("sm.count.source: found empty text"));
  CHECK_THROWS_WITH(parse(changed(source, "source = 5 }")), contains("sm.count.source: found a whole number"));
}

TEST_CASE("text that is no TOML is refused with its line") {
  CHECK_THROWS_WITH(parse("name = {\n"), contains("mine.toml:") && contains("not a TOML file"));
  CHECK_THROWS_AS(parse("\xff\xfe\x00garbage"), InputError);
  CHECK_THROWS_AS(parse(std::string(100, '\0')), InputError);
  CHECK_THROWS_AS(parse("x = " + std::string(20000, '[')), InputError);
  CHECK_THROWS_AS(parse("{\"name\": \"json\"}"), InputError);
  for (const char* header : {"[)sm]", "[\x7fsm]", "[", "[[", "[=]", "[\xc3\xbc]", "\xc3\xbc = 1", "x = \xe2\x80\xa8"})
    CHECK_THROWS_AS(parse(header), InputError);
}

TEST_CASE("characters outside ASCII are welcome in quotes and comments") {
  const std::string comment = "# \xc3\xbc \" '\n";
  CHECK(parse(comment + changed("NVIDIA H200", "NVIDIA \\\"H200\\\" \xc3\xbc")).name == "h200");
  for (const char* text : {"x = '\xc3\xbc'", "x = [\"\xc3\xbc\", '\xc3\xbc']",
                           "'\xc3\xbc'.\"\xc3\xbc\" = {y = \"\xc3\xbc\"}", "x = \"\"\"\xc3\xbc\"\"\"",
                           "x = '' # \xc3\xbc", "x = \"\"\"\n\xc3\xbc\n\"\"\"", "\xef\xbb\xbfx = '\xc3\xbc'"}) {
    CAPTURE(text);
    CHECK_NOTHROW(parse_toml(text, "mine.toml"));
  }
}

TEST_CASE("characters outside ASCII are refused elsewhere, before the parser sees them") {
  for (const char* text : {"x = 8'\xc3\xbc'", "x = '' \xc3\xbc", "x = 'a' '\xc3\xbc'", "x = 'a\n\xc3\xbc'",
                           "\"a\\\\\" \xc3\xbc", "x = [0{'\xcf\x9b\"\n", "\xc3\xbc = 1"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH(parse_toml(text, "mine.toml"),
                      contains("mine.toml:") && contains("shown as ?, are accepted in quotes and comments only"));
  }
}

TEST_CASE("a truncated file is an error or a whole device, never a crash") {
  for (const ShippedDevice& device : shipped_devices()) {
    for (std::size_t length = 0; length <= device.toml.size(); length += length + 97 < device.toml.size() ? 61 : 1) {
      const std::string_view rest = device.toml.substr(length);
      std::string message;
      try {
        parse_device(device.toml.substr(0, length), "cut.toml");
      } catch (const InputError& error) {
        message = error.what();
      }
      CAPTURE(device.name, length, message);
      const bool complete = rest.find_first_not_of('\n') == std::string_view::npos;
      CHECK(message.empty() == complete);
      CHECK((complete || message.rfind("cut.toml:", 0) == 0));
    }
  }
}

TEST_CASE("a damaged file is an error or a device, never a crash") {
  constexpr unsigned seed = 20261129;
  std::mt19937 random(seed);
  for (int i = 0; i < 3000; ++i) {
    std::string text = good;
    for (auto changes = 1 + random() % 4; changes > 0; --changes) {
      text[random() % text.size()] = static_cast<char>(random() % 256);
    }
    try {
      parse(text);
    } catch (const InputError& error) {
      CHECK_THAT(error.what(), contains("mine.toml"));
    }
  }
}

TEST_CASE("a section may be empty when only its optional keys are left out") {
  std::vector<RawFact> facts = read_facts("[l2]\n[rate]\n[rate.mma]\n", "overlay.toml");
  CHECK(facts.empty());
  CHECK_THROWS_WITH(read_facts("[l3]\n", "overlay.toml"), contains("\"l3\"") && contains("an empty table"));
}
