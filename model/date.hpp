// Dates as records and pages state them.
#pragma once

#include <string>

namespace tilemeter {

/// Now, in UTC: "2025-01-31T12:00:00Z".
std::string utc_now();

/// Today in UTC, "2025-01-31"; the day of SOURCE_DATE_EPOCH (seconds since 1970) where the environment has it, so that what is made
/// anew can be the same to the byte (reproducible-builds.org).
std::string build_date();

}  // namespace tilemeter
