// The processes that share a sweep: this one alone, or the ranks of an MPI job.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilemeter {

/// What one rank sends another; `lane` is the thread of the other rank that it is from or for.
struct Message {
  std::size_t rank = 0;
  int lane = 0;
  std::string text;
};

/// Rank 0 leads: it gives out the points, and it alone writes. Calls may come from several threads.
class Ranks {
 public:
  Ranks() = default;
  virtual ~Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  virtual std::size_t rank() const = 0;
  virtual std::size_t size() const = 0;

  virtual void send(const Message& message) = 0;
  /// A message that has arrived, for `lane` or for any; nothing when there is none. Never waits.
  virtual std::optional<Message> receive(std::optional<int> lane) = 0;
  /// The texts of all ranks in their order. Waits until each has come here.
  virtual std::vector<std::string> exchange(const std::string& text) = 0;
};

/// Joins the ranks that `mpirun` or `srun` started; alone where it was neither. Throws InputError when there are
/// several and the program was built without MPI.
std::unique_ptr<Ranks> join_ranks();

/// "built with MPI", or "built without MPI".
std::string_view ranks_note();

}  // namespace tilemeter
