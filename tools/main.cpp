// The program: runs one subcommand and turns what it throws into an exit status.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <exception>
#include <new>
#include <utility>

#include "model/error.hpp"
#include "tools/command_line.hpp"
#include "tools/commands/shared.hpp"
#include "tools/errors/line.hpp"
#include "tools/log.hpp"
#include "tools/output/colour.hpp"
#include "tools/output/file.hpp"
#include "tools/output/number.hpp"
#include "tools/sweep/interrupt.hpp"
#include "tools/sweep/ranks/launch.hpp"

namespace {

constexpr int done = 0;
constexpr int wrong_input = 2;
constexpr int interrupted = 130;  // 128 + SIGINT, as shells report it

/// Whether a process speaks, or leaves that to the first of several.
enum class Voice { own, none };

int run(int argc, const char* const* argv, Voice voice) {
  const auto parsed = tilemeter::parse_command_line(tilemeter::commands(), argc, argv);
  if (const auto* page = std::get_if<tilemeter::Page>(&parsed)) {
    tilemeter::write_out(page->text);
    return done;
  }
  const auto& invocation = std::get<tilemeter::Invocation>(parsed);
  const tilemeter::Arguments& arguments = invocation.arguments;
  const tilemeter::Verbosity wanted = tilemeter::verbosity_of(arguments);
  if (voice == Voice::own) tilemeter::set_verbosity(wanted);
  tilemeter::set_colours(tilemeter::colours_for(arguments));
  tilemeter::log_detail(tilemeter::command_line_of(arguments, invocation.command->name));
  const auto start = std::chrono::steady_clock::now();
  const int status = invocation.command->run(arguments);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  tilemeter::log_info(std::string(invocation.command->name) + " took " + tilemeter::fixed(seconds, 3) +
                      " s, exit status " + std::to_string(status));
  return status;
}

/// Messages become JSON where the command line asks for it, also one that cannot be read.
void choose_log_line(int argc, const char* const* argv) {
  tilemeter::CommandWords given{.words = {argv + std::min(argc, 2), argv + argc}};
  if (!tilemeter::asks_for_json(given)) return;
  for (const tilemeter::Command& command : tilemeter::commands()) {
    if (command.name == argv[1]) given.command = &command;
  }
  if (given.command == nullptr) given.words.insert(given.words.begin(), argv[1]);
  tilemeter::set_log_line([given = std::move(given)](std::string_view level, std::string_view message) {
    return tilemeter::json_line(level, message, given);
  });
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file larger than the user's limit is a failed write
  // The other ranks of a sweep leave it to rank 0 to say what is wrong: a launcher ends the job at the first status
  // that is not 0, perhaps before rank 0 has said it.
  const bool is_follower = tilemeter::follows(argc, argv);
  if (is_follower) tilemeter::set_verbosity(tilemeter::Verbosity::silent);
  try {
    choose_log_line(argc, argv);
    return run(argc, argv, is_follower ? Voice::none : Voice::own);
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
  return is_follower ? done : wrong_input;
}
