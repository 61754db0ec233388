// The sizes without which a computation is no point, and the options that only attention has.
#pragma once

#include <span>
#include <string_view>

#include "tools/command.hpp"

namespace tilemeter {

struct Algorithm;

/// Throws InputError that names an algorithm of the list and the sizes that it lacks: "count gemm needs --m, --n and
/// --k", "count needs a length: --seq N, ...". `who` names the subcommand.
void require_sizes(const Arguments& arguments, std::span<const Algorithm* const> algorithms, std::string_view who);

/// Throws InputError for an option of attention where no algorithm of the list has sequences.
void refuse_sequence_options(const Arguments& arguments, std::span<const Algorithm* const> algorithms);

}  // namespace tilemeter
