// Shared bandwidth, by hand: bytes per picosecond are round numbers.
#include "sim/time/transfers.hpp"

#include "tests/support/catch.hpp"

using namespace tilemeter;

namespace {

/// Everything that leaves a server, until it is empty.
std::vector<std::pair<int, Picoseconds>> leaves(FluidServer& server) {
  std::vector<std::pair<int, Picoseconds>> out;
  while (server.next() != never) {
    const Picoseconds time = server.next();
    out.emplace_back(server.leave(), time);
  }
  return out;
}

MachineRates rates_of(double l2, double hbm, double port) {
  MachineRates rates;
  rates.sms = 2;
  rates.clock_hz = 1e12;
  rates.port = port;
  rates.l2 = l2 * 1e12;
  rates.hbm = hbm * 1e12;
  return rates;
}

std::vector<Served> all(Transfers& transfers) {
  std::vector<Served> out;
  Served served;
  while (transfers.next() != never) {
    if (transfers.step(served)) out.push_back(served);
  }
  return out;
}

}  // namespace

TEST_CASE("a server gives each customer an equal share") {
  FluidServer server(2, 2);
  server.enter(0, 100, 0);
  server.enter(0, 200, 1);
  server.enter(50, 100, 2);
  // Two at 1 B/ps until 50; then three at 2/3 until the first, with 50 left, goes at 125; the third has 50 left and
  // goes at 175; the second has 50 left then and goes at 200.
  CHECK(leaves(server) == std::vector<std::pair<int, Picoseconds>>{{0, 125}, {2, 175}, {1, 200}});
}

TEST_CASE("a server gives no customer more than its port takes") {
  FluidServer server(10, 2);
  server.enter(0, 100, 0);
  server.enter(10, 100, 1);
  CHECK(leaves(server) == std::vector<std::pair<int, Picoseconds>>{{0, 50}, {1, 60}});
}

TEST_CASE("customers that leave together leave in the order in which they came") {
  FluidServer server(2, 2);
  for (int i = 0; i < 4; ++i) server.enter(0, 50, i);
  CHECK(leaves(server) == std::vector<std::pair<int, Picoseconds>>{{0, 100}, {1, 100}, {2, 100}, {3, 100}});
}

TEST_CASE("times are rounded up") {
  FluidServer server(3, 3);
  server.enter(0, 100, 0);
  CHECK(server.next() == 34);
}

TEST_CASE("a port serves one transfer after the other, a store port beside it") {
  Transfers transfers(rates_of(100, 100, 2), 2);
  transfers.ask(0, {.edge = 100, .tag = 0});
  transfers.ask(0, {.edge = 100, .tag = 1});
  transfers.ask(0, {.edge = 100, .tag = 2, .port = Port::store});
  const std::vector<Served> served = all(transfers);
  REQUIRE(served.size() == 3);
  CHECK(served[0].transfer.tag == 0);
  CHECK(served[0].end == 50);
  CHECK(served[1].transfer.tag == 2);
  CHECK(served[1].end == 50);
  CHECK(served[2].transfer.tag == 1);
  CHECK(served[2].begin == 50);
  CHECK(served[2].end == 100);
}

TEST_CASE("a transfer is served when both servers have let its bytes pass") {
  Transfers transfers(rates_of(100, 1, 2), 2);
  transfers.ask(0, {.edge = 100, .hbm = 80, .tag = 0, .sm = 0});
  transfers.ask(0, {.edge = 100, .tag = 1, .sm = 1});
  const std::vector<Served> served = all(transfers);
  REQUIRE(served.size() == 2);
  CHECK(served[0].transfer.tag == 1);
  CHECK(served[0].end == 50);
  CHECK(served[1].end == 80);
}
