// What ranks tell each other, as text.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tilemeter {

/// From a thread of another rank to rank 0: what it made, and how many points it takes next.
struct Request {
  std::size_t wanted = 0;  ///< 0: it was told to stop
  std::vector<std::pair<std::size_t, std::string>> made;
};

/// The last word of a rank.
struct Farewell {
  std::size_t failures = 0;  ///< points that failed their check
  std::string error;         ///< why it could not go on; empty when it could
};

/// The lane of farewells; threads have those from 1.
constexpr int farewell_lane = 0;

std::string text_of(const Request& request);
std::string text_of(const Farewell& farewell);
std::string text_of(const std::vector<std::size_t>& points);

Request request_in(const std::string& text);
Farewell farewell_in(const std::string& text);
std::vector<std::size_t> points_in(const std::string& text);

}  // namespace tilemeter
