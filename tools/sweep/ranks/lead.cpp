#include "tools/sweep/ranks/lead.hpp"

#include "model/error.hpp"

namespace tilemeter {

bool Lead::serve(SharedPoints& points) noexcept {
  while (const auto message = ranks_.receive(std::nullopt)) take(*message, points);
  std::erase_if(waiting_, [&](const Waiting& waiting) { return answer(waiting, points); });
  return gone_ + 1 == ranks_.size();
}

void Lead::take(const Message& message, SharedPoints& points) {
  if (message.lane == farewell_lane) return take_farewell(message, points);
  Request request = request_in(message.text);
  for (auto& [point, text] : request.made) points.deliver(point, std::move(text));
  if (request.wanted > 0) {
    waiting_.push_back({message.rank, message.lane, request.wanted});
  } else {
    points.stop();
  }
}

void Lead::take_farewell(const Message& message, SharedPoints& points) {
  const Farewell farewell = farewell_in(message.text);
  failures_ += farewell.failures;
  ++gone_;
  if (farewell.error.empty()) return;
  points.fail(std::make_exception_ptr(InputError("rank " + std::to_string(message.rank) + ": " + farewell.error)));
}

bool Lead::answer(const Waiting& waiting, SharedPoints& points) {
  const std::vector<std::size_t> found = points.claim(waiting.wanted);
  if (found.empty() && !points.over()) return false;
  ranks_.send({waiting.rank, waiting.lane, text_of(found)});
  return true;
}

}  // namespace tilemeter
