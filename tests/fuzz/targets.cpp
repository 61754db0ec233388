#include "tests/fuzz/targets.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "model/device.hpp"
#include "model/error.hpp"
#include "model/kernel_description.hpp"
#include "model/layout_file.hpp"
#include "model/quantity.hpp"
#include "tests/fuzz/command_lines.hpp"
#include "tests/support/source_dir.hpp"
#include "tools/complexity/document.hpp"
#include "tools/json.hpp"
#include "tools/options/mask.hpp"
#include "tools/options/range.hpp"
#include "tools/options/segments.hpp"
#include "tools/options/text.hpp"
#include "tools/output/csv.hpp"
#include "tools/report/report.hpp"
#include "tools/sweep/journal.hpp"
#include "tools/validate/observation.hpp"
#include "traces/ncu.hpp"

namespace tilemeter::fuzz {
namespace {

namespace fs = std::filesystem;

/// A file that holds `text` while it lives.
class TextFile {
 public:
  TextFile(std::string_view text, const char* ending)
      : path_(fs::temp_directory_path() / ("tilemeter_fuzz_" + std::to_string(::getpid()) + ending)) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~TextFile() {
    std::error_code none;
    fs::remove(path_, none);
  }
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

void read_device(std::string_view text) {
  static const Device h200 = load_device("h200");
  if (text.starts_with("base")) {
    Device changed = h200;
    apply_overlay(changed, text, "fuzz.toml");
  } else {
    parse_device(text, "fuzz.toml");
  }
}

void read_kernel(std::string_view text) { parse_kernel(text, "fuzz.toml"); }

void read_layout(std::string_view text) {
  static const Device h200 = load_device("h200");
  parse_layout(text, "fuzz.toml").unsupported_on(h200);
}

void read_profile(std::string_view text) { read_ncu(text, "fuzz.csv"); }

void read_segments(std::string_view text) { parse_segments("fuzz.txt", text); }

void read_setting(std::string_view text) {
  static const Device h200 = load_device("h200");
  Device changed = h200;
  apply_setting(changed, text);
}

/// One value of an option; the first character says of which.
void read_value(std::string_view text) {
  if (text.empty()) return;
  const std::string_view value = text.substr(1);
  switch (text.front()) {
    case 'c':
      parse_counts("--seq", value, 1);
      break;
    case 's':
      parse_sizes("--sram", value);
      break;
    case 'm':
      parse_masks("--mask", value);
      break;
    case 'w':
      parse_window("--window", value);
      break;
    case 'b':
      parse_bytes(value, "--memory", ByteUnits::binary_or_decimal, Zero::allowed);
      break;
    case 'r':
      parse_bandwidth(value, "--rate");
      break;
    case 'f':
      parse_flops(value, "--flops");
      break;
    case 'h':
      parse_frequency(value, "--clock");
      break;
    case 't':
      parse_time(value, "--time");
      break;
    case 'p':
      parse_share(value, "--sustained");
      break;
    default:
      read_setting(value);
  }
}

/// As `tilemeter report` does it.
void read_json_document(std::string_view text) {
  complexity::page_of_any(text, "fuzz", "report input");
}

void read_csv_document(std::string_view text) {
  Json document = document_json("sweep");
  document["points"] = points_of_csv(text, "fuzz.csv");
  render_report(document.dump(), "fuzz");
}

void read_measurement(std::string_view text) {
  const TextFile file(text, ".json");
  std::vector<std::string> notes;
  read_observations({file.path()}, notes);
}

void read_journal(std::string_view text) {
  const TextFile file(text, ".partial");
  const SweepIdentity identity{.version = "1.0", .command_line = "sweep --seq 1:8:*2", .inputs = 7};
  const Journal journal = Journal::resume(file.path(), identity, 4);
  for (std::size_t point = 0; point < 4; ++point) {
    if (journal.has(point)) journal.read(point);
  }
}

/// Words by lines.
void read_words(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string_view word : split(text, '\n')) {
    if (word.find('\0') == std::string_view::npos) words.emplace_back(word);
  }
  read_command_line(words);
}

const std::vector<Target>& table() {
  static const std::vector<Target> all = {
      {"device", {"model/devices", "traces/measured/h200/rates.toml"}, ".toml", read_device},
      {"kernel", {"model/kernels"}, ".toml", read_kernel},
      {"layout", {"tests/golden/layouts"}, ".toml", read_layout},
      {"profile", {"traces/measured/h200/profiles", "traces/measured/h200/peers"}, ".csv", read_profile},
      {"segments", {}, "", read_segments},
      {"value", {}, "", read_value},
      {"report_json", {"traces/measured/h200/profiles"}, ".json", read_json_document},
      {"report_csv", {}, "", read_csv_document},
      {"measurement", {"traces/measured/h200/profiles", "traces/measured/h200/other"}, ".json", read_measurement},
      {"journal", {}, "", read_journal},
      {"command_line", {}, "", read_words},
  };
  return all;
}

std::vector<fs::path> files_of(const fs::path& path, std::string_view ending) {
  if (!fs::exists(path)) return {};  // a target without a corpus of its own has the project's files alone
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(path)) {
    if (entry.is_regular_file() && entry.path().string().ends_with(ending)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::span<const Target> targets() { return table(); }

const Target& target_named(std::string_view name) {
  std::string names;
  for (const Target& target : targets()) {
    if (target.name == name) return target;
    names += (names.empty() ? "" : ", ") + std::string(target.name);
  }
  throw InputError("target " + std::string(name) + ": expected one of " + names);
}

void run(const Target& target, std::string_view text) {
  try {
    target.read(text);
  } catch (const InputError& error) {
    if (std::string_view(error.what()).empty()) throw std::logic_error("an error without a message");
  }
}

std::vector<std::string> seed_texts(const Target& target, std::size_t longest) {
  const fs::path root = TILEMETER_SOURCE_DIR;
  std::vector<fs::path> files = files_of(root / "tests/fuzz/corpus" / target.name, "");
  for (const std::string_view seed : target.seeds) {
    for (const fs::path& file : files_of(root / seed, target.ending)) files.push_back(file);
  }
  std::vector<std::string> texts;
  for (const fs::path& file : files) {
    if (fs::file_size(file) > longest) continue;
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    texts.push_back(text.str());
  }
  return texts;
}

}  // namespace tilemeter::fuzz
