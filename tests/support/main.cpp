// The test programs' main: Catch2's session, failing when a filter selects no test.
#ifdef TILEMETER_CATCH2_V3
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

int main(int argc, char** argv) {
  Catch::Session session;
  const int usage = session.applyCommandLine(argc, argv);
  return usage != 0 ? usage : session.run();
}
