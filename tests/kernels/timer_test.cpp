// Law 7: the timer on work whose time is known.
#include "kernels/timer.hpp"

#include "tests/kernels/spin.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;
using namespace tilemeter::kernels;

namespace {

TimedWork spinning(long long nanoseconds) {
  return {.launch = [=](Stream stream) { launch_spin(nanoseconds, stream); }};
}

double median(const TimedSamples& samples) { return summarise(samples).seconds.p50; }

/// The time is the known one, and a launch's fixed cost at most.
void check_time(double seconds, double known) {
  INFO(seconds * 1e6 << " us, known " << known * 1e6);
  CHECK(seconds > known * 0.97);
  CHECK(seconds < known * 1.03 + 6e-6);
}

}  // namespace

TEST_CASE("law 7: a kernel that spins for a known time takes that time", "[timer]") {
  Timer timer;
  for (const long long nanoseconds : {15'000, 40'000, 200'000, 2'000'000}) {
    const double known = 1e-9 * static_cast<double>(nanoseconds);
    const TimedSamples warm = timer.sample(spinning(nanoseconds), CacheState::warm);
    check_time(median(warm), known);
    CHECK(warm.seconds.size() == static_cast<std::size_t>(Timer::default_samples));
    CHECK(warm.method == (known < 50e-6 ? TimingMethod::graph_replay : TimingMethod::single_launch));
    CHECK(warm.launches >= (known < 50e-6 ? 10 : 1));
    CHECK(warm.launches <= (known < 50e-6 ? 14 : 1));
    CHECK(warm.flushed == Bytes(0));
    const TimedSamples cold = timer.sample(spinning(nanoseconds), CacheState::cold, 20);
    check_time(median(cold), known);
    CHECK(cold.method == TimingMethod::single_launch);
    CHECK(cold.seconds.size() == 20);
  }
}

TEST_CASE("law 7: sustained launches take the known time", "[timer]") {
  Timer timer;
  for (const long long nanoseconds : {20'000, 300'000}) {
    const TimedSamples samples = timer.sustain(spinning(nanoseconds), {0.5});
    check_time(median(samples), 1e-9 * static_cast<double>(nanoseconds));
    CHECK(samples.seconds.size() >= 15);
    CHECK(samples.launches * nanoseconds >= 10'000'000);
  }
}

TEST_CASE("F4: the flush is at least twice the L2 and 256 MiB, and recorded", "[timer]") {
  Timer timer;
  CHECK(timer.l2_size() > Bytes(0));
  CHECK(timer.flush_size() >= 2 * timer.l2_size());
  CHECK(timer.flush_size() >= Bytes(Count{256} << 20));
  CHECK(timer.sample(spinning(1000), CacheState::cold, 5).flushed == timer.flush_size());
}

TEST_CASE("a cold launch finds nothing in the L2, a warm one does", "[timer]") {
  constexpr std::size_t size = 16 << 20;
  Buffer<unsigned> memory(size / sizeof(unsigned)), sink(read_threads);
  memory.poison();
  Timer timer;
  const TimedWork reading{.launch = [&](Stream stream) { launch_read(memory.data(), size / 16, sink.data(), stream); }};
  const double cold = median(timer.sample(reading, CacheState::cold));
  const double warm = median(timer.sample(reading, CacheState::warm));
  INFO(cold * 1e6 << " us cold, " << warm * 1e6 << " us warm");
  CHECK(cold > 1.3 * warm);
}

TEST_CASE("work that cannot be captured is timed in batches", "[timer]") {
  Timer timer;
  const TimedWork work{.launch = [](Stream stream) {
    launch_spin(20'000, stream);
    TILEMETER_CHECK(cudaStreamSynchronize(stream));
  }};
  const TimedSamples samples = timer.sample(work, CacheState::warm, 5);
  CHECK(samples.method == TimingMethod::batch);
  CHECK(samples.launches >= 5);
  CHECK(median(samples) > 20e-6);
}

TEST_CASE("what is prepared before a sample is not timed", "[timer]") {
  Timer timer;
  int prepared = 0;
  const TimedWork work{.launch = [](Stream stream) { launch_spin(100'000, stream); },
                       .prepare =
                           [&](Stream stream) {
                             ++prepared;
                             launch_spin(300'000, stream);
                           }};
  check_time(median(timer.sample(work, CacheState::cold, 10)), 100e-6);
  CHECK(prepared == 11);
}

TEST_CASE("I2: samples during a slowdown are discarded, and none left is an error", "[timer]") {
  int readings = 0;
  Timer always([] { return ClockReading{.slowed_down = true}; });
  const TimedSamples none = always.sample(spinning(1000), CacheState::cold, 5);
  CHECK(none.seconds.empty());
  CHECK(none.discarded == 10);
  CHECK_THROWS_AS(summarise(none), NoValidSamples);
  Timer sometimes([&] { return ClockReading{.slowed_down = ++readings % 2 == 0}; });
  const TimedSamples half = sometimes.sample(spinning(1000), CacheState::cold, 5);
  CHECK(half.seconds.size() == 5);
  CHECK(half.discarded == 4);
}

TEST_CASE("J5: a launch that fails ends the measurement", "[timer]") {
  Timer timer;
  const TimedWork work{.launch = [](Stream) { TILEMETER_CHECK(cudaErrorInvalidConfiguration); }};
  CHECK_THROWS_AS(timer.sample(work, CacheState::warm, 5), CudaError);
}

TEST_CASE("a launch that does nothing costs microseconds", "[timer]") {
  Timer timer;
  const double cold = timer.empty_launch(CacheState::cold).value, warm = timer.empty_launch(CacheState::warm).value;
  INFO(cold * 1e6 << " us cold, " << warm * 1e6 << " us warm");
  CHECK(cold > 0.3e-6);
  CHECK(cold < 20e-6);
  CHECK(warm > 0.3e-6);
  CHECK(warm < 10e-6);
}
