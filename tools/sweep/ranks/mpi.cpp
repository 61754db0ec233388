// Ranks of an MPI job. The only source that knows MPI.
#include <mpi.h>

#include <exception>
#include <mutex>
#include <numeric>

#include "model/error.hpp"
#include "tools/sweep/ranks/alone.hpp"
#include "tools/sweep/ranks/launch.hpp"

namespace tilemeter {
namespace {

/// MPI ends the job on its own errors (MPI_ERRORS_ARE_FATAL), so that return values hold nothing to check.
class MpiRanks final : public Ranks {
 public:
  MpiRanks() {
    int provided = MPI_THREAD_SINGLE;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
    if (provided < MPI_THREAD_SERIALIZED) {
      MPI_Finalize();
      throw InputError("sweep: this MPI library serves one thread only: expected MPI_THREAD_SERIALIZED or more");
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }

  /// A rank that fails while others wait for it ends the job: they would wait forever.
  ~MpiRanks() override {
    if (rank_ > 0 && std::uncaught_exceptions() > 0) MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Finalize();
  }

  std::size_t rank() const override { return static_cast<std::size_t>(rank_); }
  std::size_t size() const override { return static_cast<std::size_t>(size_); }

  void send(const Message& message) override {
    const std::lock_guard lock(mutex_);
    MPI_Send(message.text.data(), static_cast<int>(message.text.size()), MPI_CHAR, static_cast<int>(message.rank),
             message.lane, MPI_COMM_WORLD);
  }

  std::optional<Message> receive(std::optional<int> lane) override {
    const std::lock_guard lock(mutex_);
    int there = 0;
    int size = 0;
    MPI_Status status{};
    MPI_Iprobe(MPI_ANY_SOURCE, lane.value_or(MPI_ANY_TAG), MPI_COMM_WORLD, &there, &status);
    if (there == 0) return std::nullopt;
    MPI_Get_count(&status, MPI_CHAR, &size);
    Message message{static_cast<std::size_t>(status.MPI_SOURCE), status.MPI_TAG,
                    std::string(static_cast<std::size_t>(size), '\0')};
    MPI_Recv(message.text.data(), size, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return message;
  }

  std::vector<std::string> exchange(const std::string& text) override {
    const std::lock_guard lock(mutex_);
    const int own = static_cast<int>(text.size());
    std::vector<int> sizes(size());
    MPI_Allgather(&own, 1, MPI_INT, sizes.data(), 1, MPI_INT, MPI_COMM_WORLD);
    std::vector<int> begins(size());
    std::exclusive_scan(sizes.begin(), sizes.end(), begins.begin(), 0);
    std::string all(static_cast<std::size_t>(begins.back() + sizes.back()), '\0');
    MPI_Allgatherv(text.data(), own, MPI_CHAR, all.data(), sizes.data(), begins.data(), MPI_CHAR, MPI_COMM_WORLD);
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < size(); ++i)
      texts.push_back(all.substr(static_cast<std::size_t>(begins[i]), static_cast<std::size_t>(sizes[i])));
    return texts;
  }

 private:
  std::mutex mutex_;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace

/// Without a launcher MPI is left alone: starting it takes longer than a small sweep.
std::unique_ptr<Ranks> join_ranks() {
  if (!launched()) return std::make_unique<Alone>();
  return std::make_unique<MpiRanks>();
}

std::string_view ranks_note() { return "built with MPI"; }

}  // namespace tilemeter
