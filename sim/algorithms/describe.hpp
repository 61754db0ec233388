// From an algorithm's class to its row in the catalog.
#pragma once

#include "sim/catalog.hpp"
#include "sim/gpu.hpp"

namespace tilemeter {

/// `Program` has static members name, idea, source, options, and run<P>(Gpu<P>&, const Case&).
template <class Program>
Algorithm describe() {
  return {.name = Program::name,
          .idea = Program::idea,
          .source = Program::source,
          .options = Program::options,
          .count = &Program::template run<Ghost>,
          .run_float = &Program::template run<Real<float>>,
          .run_double = &Program::template run<Real<double>>};
}

}  // namespace tilemeter
