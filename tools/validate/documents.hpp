// The kinds of documents that observations are read from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/json.hpp"
#include "tools/validate/observation.hpp"

namespace tilemeter {

/// What was read, and what was left out.
struct Findings {
  std::vector<Observation>& observations;
  std::vector<std::string>& notes;
};

/// A document: where it lies, what messages call it, and what it holds.
struct ObservedDocument {
  std::string path;
  std::string name;
  Json json;
};

// Each adds what it finds. Members that a document of its kind must have and that are not there are Json::exception.
void observe_measured(const ObservedDocument& document, Findings findings);  ///< of `measure`
void observe_peers(const ObservedDocument& document, Findings findings);     ///< of tools/peers.py
void observe_rows(const ObservedDocument& document, Findings findings);      ///< tables of others' times and counters

/// The description that ships under `name`; nothing when there is none.
std::optional<KernelDescription> shipped_kernel(const std::string& name);

/// The time with an empty L2 of a point, where it was measured and is valid.
std::optional<ObservedTime> cold_time(const Json& point);

/// "flash3_n4096_d128.json, point 1".
std::string place_in(const ObservedDocument& document, const char* what, std::size_t index);

}  // namespace tilemeter
