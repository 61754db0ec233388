// The program: runs one subcommand and turns what it throws into an exit status.
#include <csignal>
#include <exception>
#include <new>

#include "model/error.hpp"
#include "tools/command_line.hpp"
#include "tools/log.hpp"
#include "tools/output/file.hpp"
#include "tools/sweep/interrupt.hpp"

namespace {

constexpr int done = 0;
constexpr int wrong_input = 2;
constexpr int interrupted = 130;  // 128 + SIGINT, as shells report it

int run(int argc, const char* const* argv) {
  const auto parsed = tilemeter::parse_command_line(tilemeter::commands(), argc, argv);
  if (const auto* page = std::get_if<tilemeter::Page>(&parsed)) {
    tilemeter::write_out(page->text);
    return done;
  }
  const auto& invocation = std::get<tilemeter::Invocation>(parsed);
  const tilemeter::Arguments& arguments = invocation.arguments;
  if (arguments.has("-q")) tilemeter::set_verbosity(tilemeter::Verbosity::quiet);
  if (arguments.has("-v")) tilemeter::set_verbosity(tilemeter::Verbosity::verbose);
  return invocation.command->run(arguments);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file larger than the user's limit is a failed write
  try {
    return run(argc, argv);
  } catch (const tilemeter::ClosedPipe&) {
    return done;
  } catch (const tilemeter::Interrupted& stop) {
    tilemeter::log_error(stop.what());
    return interrupted;
  } catch (const std::bad_alloc&) {
    tilemeter::log_error("not enough memory for this problem: use smaller sizes");
  } catch (const std::exception& error) {
    tilemeter::log_error(error.what());
  }
  return wrong_input;
}
