// Facts to a Device: every key once, in its own form, and in agreement with the others.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "model/device_schema.hpp"
#include "model/quantity.hpp"

namespace tilemeter {
namespace {

void check_spelling(const RawFact& fact, const KeyRule& rule, const std::string& place) {
  if (fact.spelling == Spelling::setting || fact.spelling == rule.spelling) return;
  std::string found = fact.value;
  if (fact.spelling == Spelling::text) found = "the text " + in_quotes(fact.value);
  if (fact.spelling == Spelling::whole_number) found = "the bare number " + fact.value;
  throw InputError(place + ": found " + found + "; expected " + rule.expected);
}

/// "+- 0.3 %" as 0.003.
double parse_interval(const std::string& text, const std::string& place) {
  constexpr std::string_view before = "+- ", after = " %";
  const bool framed = text.size() > before.size() + after.size() && text.substr(0, before.size()) == before &&
                      text.substr(text.size() - after.size()) == after;
  double percent = -1;
  if (framed) {
    const char* end = text.data() + text.size() - after.size();
    const auto read = std::from_chars(text.data() + before.size(), end, percent);
    if (read.ec != std::errc() || read.ptr != end) percent = -1;
  }
  if (!(percent >= 0) || !std::isfinite(percent)) {
    throw InputError(place + " " + in_quotes(text) + ": expected a share of the value, such as \"+- 0.3 %\"");
  }
  return percent / 100;
}

/// Whether `text` has the form of "2025-01-31T12:00:00Z".
bool is_utc_time(std::string_view text) {
  constexpr std::string_view form = "dddd-dd-ddTdd:dd:ddZ";
  const auto fits = [](char c, char wanted) { return wanted == 'd' ? c >= '0' && c <= '9' : c == wanted; };
  return std::equal(text.begin(), text.end(), form.begin(), form.end(), fits);
}

void check_provenance(const RawFact& fact, const std::string& place) {
  const Provenance& given = fact.provenance;
  if (!given.interval.empty()) parse_interval(given.interval, place + ".interval");
  if (!given.clock.empty()) parse_frequency(given.clock, place + ".clock");
  if (!given.date.empty() && !is_utc_time(given.date)) {
    throw InputError(place + ".date " + in_quotes(given.date) +
                     ": expected a time in UTC, such as \"2025-01-31T12:00:00Z\"");
  }
}

/// How well a probe's figure is known.
void add_interval(Device& device, const RawFact& fact) {
  const auto figure = device.probes.find(fact.key);
  if (figure == device.probes.end() || fact.provenance.interval.empty()) return;
  figure->second.half_width95 = figure->second.value * parse_interval(fact.provenance.interval, fact.key);
}

void add_fact(Device& device, const RawFact& fact, const KeyRule& rule, std::string_view origin) {
  const std::string place = std::string(origin) + ": " + rule.key;
  check_spelling(fact, rule, place);
  rule.read(device, {.value = fact.value, .place = place});
  check_provenance(fact, place);
  add_interval(device, fact);
  device.facts.push_back({.key = fact.key, .value = fact.value, .source = fact.source, .provenance = fact.provenance});
}

const RawFact* find_fact(const std::vector<RawFact>& facts, std::string_view key) {
  const auto fact = std::find_if(facts.begin(), facts.end(), [&](const RawFact& f) { return f.key == key; });
  return fact == facts.end() ? nullptr : &*fact;
}

void check_keys(const std::vector<RawFact>& facts, std::string_view origin) {
  for (const RawFact& fact : facts) {
    rule_of(fact.key, origin);
    if (find_fact(facts, fact.key) != &fact) {
      throw InputError(std::string(origin) + ": " + fact.key + " is given twice; expected once");
    }
  }
}

/// Relations between keys that hold on every GPU.
void check_together(const Device& device, std::string_view origin) {
  const Device::Sm& sm = device.sm;
  const auto refuse = [&](const std::string& message) { throw InputError(std::string(origin) + ": " + message); };
  const Bytes block = sm.shared_per_block + sm.shared_reserved;
  if (block > sm.shared_per_sm) {
    refuse("sm.shared_per_block " + exact_text(sm.shared_per_block) + " with sm.shared_reserved " +
           exact_text(sm.shared_reserved) + " passes sm.shared_per_sm " + exact_text(sm.shared_per_sm) +
           "; lower sm.shared_per_block, or raise sm.shared_per_sm to " + exact_text(block));
  }
  if (sm.shared_default > sm.shared_per_block) {
    refuse("sm.shared_default " + exact_text(sm.shared_default) + " passes sm.shared_per_block " +
           exact_text(sm.shared_per_block) + "; expected at most that");
  }
  if (sm.threads % 32 != 0) {
    refuse("sm.threads " + std::to_string(sm.threads) + ": expected a multiple of 32, the threads of a warp");
  }
  if (sm.blocks > sm.threads) {
    refuse("sm.blocks " + std::to_string(sm.blocks) + " passes sm.threads " + std::to_string(sm.threads) +
           "; a block has a thread or more");
  }
  if (device.l2.size > device.hbm.size) {
    refuse("l2.size " + exact_text(device.l2.size) + " passes hbm.size " + exact_text(device.hbm.size) +
           "; expected a cache smaller than its memory");
  }
}

}  // namespace

Device build_device(const std::vector<RawFact>& facts, std::string_view origin) {
  check_keys(facts, origin);
  Device device;
  for (const KeyRule& rule : key_rules()) {
    const RawFact* fact = find_fact(facts, rule.key);
    if (fact != nullptr) {
      add_fact(device, *fact, rule, origin);
    } else if (rule.presence == Presence::required) {
      throw InputError(std::string(origin) + ": " + rule.key + " is missing; expected { value, source } with " +
                       rule.expected);
    }
  }
  for (const RawFact& fact : facts) {
    if (is_below_fit(fact.key)) add_fact(device, fact, rule_of(fact.key, origin), origin);
  }
  check_together(device, origin);
  return device;
}

}  // namespace tilemeter
