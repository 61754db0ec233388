// The order of candidates by time.
#pragma once

#include "tools/tune/tune.hpp"

namespace tilemeter {

/// Events of a launch beyond which a candidate keeps the time of the closed form: about a second of work.
inline constexpr Count most_candidate_events = 5'000'000;

/// Makes `result` the bill of `tiled`, by closed forms.
void bill_tiling(PointResult& result, const Case& tiled);

/// Times the candidates that fit in closed form, runs the engine on the `options.simulate` fastest that do not spill,
/// and puts first what the engine ran, by its time, then the others, by the closed form; those that spill come last.
/// The first `options.top` that do not spill become the best; without one the result is a refusal.
void rank_by_time(TuneResult& result, const TuneOptions& options);

}  // namespace tilemeter
