#include "tools/sweep/sweep.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <optional>

#include "tools/json.hpp"
#include "tools/log.hpp"
#include "tools/options/text.hpp"
#include "tools/output/list.hpp"
#include "tools/report/report.hpp"
#include "tools/sweep/interrupt.hpp"
#include "tools/sweep/ranks/agree.hpp"
#include "tools/sweep/ranks/help.hpp"
#include "tools/sweep/ranks/lead.hpp"
#include "tools/time/json.hpp"
#include "tools/version.hpp"

namespace tilemeter {
namespace {

constexpr std::size_t write_size = 1 << 16;

int status_of(std::size_t failures) {
  if (failures == 0) return 0;
  log_error(failures_message(failures));
  return 1;
}

Json json_of(const Sweep& sweep, std::size_t number, std::atomic<std::size_t>& failures) {
  const PointResult result = evaluate(sweep.grid[number], sweep.options);
  if (!result.consistent()) ++failures;
  Json point = point_json(result, Feasibility::stated);
  add_closed_form_time(result, point);
  return point;
}

bool is_consistent(const Json& point) {
  const auto closed = point.find("closed_form");
  if (closed == point.end()) return true;
  const auto numeric = point.find("numeric");
  return (*closed)["equal"] == true && (numeric == point.end() || (*numeric)["ok"] == true);
}

/// Runs the task on rank 0 with the other ranks.
std::size_t lead(const Sweep& sweep, Delivery delivery, PoolTask task, std::atomic<std::size_t>& failures) {
  Lead others(sweep.ranks, failures);
  if (sweep.ranks.size() > 1) task.serve = [&](SharedPoints& points) { return others.serve(points); };
  return run_pool({.threads = sweep.threads, .delivery = delivery}, task);
}

/// Makes FILE of the journal: rows are rendered by all threads and written in the order of the points.
int finish_file(const Sweep& sweep, const Target& target, Journal& journal) {
  const ListFormat list = list_format(target.format, sweep.head, sweep.grid);
  std::atomic<std::size_t> failures = 0;
  PendingFile file(*target.path, *target.path + ".writing");
  std::string text = list.head;
  run_pool({.threads = sweep.threads, .delivery = Delivery::in_order},
           {.count = sweep.grid.size(),
            .skip = nullptr,
            .make =
                [&](std::size_t i) {
                  const Json point = Json::parse(journal.read(i));
                  if (!is_consistent(point)) ++failures;
                  return list.row(point, i);
                },
            .take =
                [&](std::size_t, const std::string& row) {
                  text += row;
                  if (target.format == Format::html || text.size() < write_size) return;
                  file.write(text);
                  text.clear();
                },
            .progress = [](std::size_t) {},
            .stop = [] { return false; }});
  text += list.tail;
  file.write(target.format == Format::html ? render_report(text, "tilemeter sweep") : text);
  file.commit();
  journal.remove();
  return status_of(failures);
}

std::string how_to_resume(const Journal& journal, std::size_t points) {
  return "interrupted after " + std::to_string(journal.size()) + " of " + std::to_string(points) + " points, kept in " +
         journal.path() + ": run the same command with --resume to continue";
}

/// The checksum of the files that options name, so that a changed file is noticed.
std::uint32_t inputs_checksum(const Arguments& arguments) {
  std::string contents;
  for (const Arguments::Given& given : arguments.options()) {
    if (given.option != "--segments" && given.option != "--device") continue;
    for (const std::string_view name : split(given.value, ',')) {
      const std::string path(name);
      std::error_code ignored;
      if (std::filesystem::is_regular_file(path, ignored)) contents += read_file(given.option, path);
    }
  }
  return crc32(contents);
}

}  // namespace

std::string failures_message(std::size_t failures) {
  return std::to_string(failures) +
         " points failed their check: a count differs from its closed form, or numbers are wrong";
}

Swept sweep_to_stream(const Sweep& sweep, const SweepStream& stream) {
  std::atomic<std::size_t> failures = 0;
  const std::size_t points = lead(sweep, Delivery::in_order,
                                  {.count = sweep.grid.size(),
                                   .skip = nullptr,
                                   .make = [&](std::size_t i) { return stream.text(json_of(sweep, i, failures), i); },
                                   .take = [&](std::size_t, std::string text) { stream.take(std::move(text)); },
                                   .progress = stream.progress,
                                   .stop = stream.stop},
                                  failures);
  return {.points = points, .failures = failures};
}

int sweep_to_output(const Sweep& sweep, Format format) {
  const InterruptGuard guard;
  const ListFormat list = list_format(format, sweep.head, sweep.grid);
  if (sweep.ranks.rank() > 0) {
    std::atomic<std::size_t> failures = 0;
    const auto make = [&](std::size_t i) { return list.row(json_of(sweep, i, failures), i); };
    help(sweep.ranks, sweep.threads, make, InterruptGuard::requested, failures);
    return 0;
  }
  std::string whole = list.head;
  const auto flush = [&](std::string& text) {
    if (format == Format::html) return;
    write_out(text);
    text.clear();
  };
  Progress progress(::isatty(STDOUT_FILENO) != 0 ? Bar::hidden : sweep.bar, sweep.grid.size(), 0);
  const Swept swept = sweep_to_stream(sweep, {.text = list.row,
                                              .take =
                                                  [&](std::string text) {
                                                    whole += text;
                                                    flush(whole);
                                                  },
                                              .progress = [&](std::size_t done) { progress.show(done); },
                                              .stop = InterruptGuard::requested});
  whole += list.tail;
  if (swept.points < sweep.grid.size()) {
    flush(whole);
    throw Interrupted("interrupted after " + std::to_string(swept.points) + " of " + std::to_string(sweep.grid.size()) +
                      " points; with -o FILE an interrupted sweep can be resumed");
  }
  write_out(format == Format::html ? render_report(whole, "tilemeter sweep") : whole);
  return status_of(swept.failures);
}

int sweep_to_file(const Sweep& sweep, const Target& target, const SweepIdentity& identity, Start start) {
  const InterruptGuard guard;
  const std::size_t points = sweep.grid.size();
  std::atomic<std::size_t> failures = 0;
  const auto make = [&](std::size_t i) { return json_of(sweep, i, failures).dump(); };
  std::optional<Journal> journal;
  const auto open = [&] {
    if (sweep.ranks.rank() > 0) return std::string();
    require_writable(*target.path);
    const std::string partial = partial_path(*target.path);
    journal.emplace(start == Start::resumed ? Journal::resume(partial, identity, points)
                                            : Journal::start(partial, identity, points));
    return std::string();
  };
  if (!agree(sweep.ranks, open)) return 0;
  if (!journal) {
    help(sweep.ranks, sweep.threads, make, InterruptGuard::requested, failures);
    return 0;
  }
  log_info(std::to_string(journal->size()) + " of " + std::to_string(points) + " points are in " + journal->path());
  {
    Progress progress(sweep.bar, points, journal->size());
    lead(sweep, Delivery::as_finished,
         {.count = points,
          .skip = [&](std::size_t i) { return journal->has(i); },
          .make = make,
          .take = [&](std::size_t i, std::string text) { journal->append(i, text); },
          .progress = [&](std::size_t done) { progress.show(done); },
          .stop = InterruptGuard::requested},
         failures);
  }
  if (journal->size() < points) throw Interrupted(how_to_resume(*journal, points));
  return finish_file(sweep, target, *journal);
}

SweepIdentity identity_of(const Arguments& arguments) {
  constexpr std::array<std::string_view, 6> apart = {"-o", "-j", "-q", "-v", "--color", "--resume"};
  SweepIdentity identity{
      .version = std::string(program_version), .command_line = "sweep", .inputs = inputs_checksum(arguments)};
  for (const std::string& text : arguments.spelled_out(apart)) identity.command_line += " " + text;
  std::replace(identity.command_line.begin(), identity.command_line.end(), '\n', ' ');
  return identity;
}

}  // namespace tilemeter
