// The test programs' main: Catch2's session, failing when a filter selects no test.
#ifdef TILEMETER_CATCH2_V3
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

#include <cstdio>

#include "tests/support/precondition.hpp"

int main(int argc, char** argv) {
  Catch::Session session;
  const int usage = session.applyCommandLine(argc, argv);
  if (usage != 0) return usage;
  if (precondition != nullptr) {
    if (const auto reason = precondition()) {
      std::printf("skipped: %s\n", reason->c_str());
      return skip_status;
    }
  }
  return session.run();
}
