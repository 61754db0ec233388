// Compares a row of a table with its closed form and with the figures that a source printed.
#pragma once

#include <string>
#include <string_view>

#include "model/work.hpp"
#include "tools/tables/table.hpp"

namespace tilemeter::tables {

/// A figure as a source prints it: digits with at most one point, "33.2".
class Printed {
 public:
  explicit Printed(std::string digits);

  double value() const { return value_; }
  /// A Count without a point, else a Decimal with as many decimals.
  Cell cell() const;
  /// Whether `computed` rounds to the printed digits.
  bool is_rounded(double computed) const;
  const std::string& digits() const { return digits_; }

 private:
  std::string digits_;
  double value_ = 0;
  int decimals_ = 0;
};

/// The verdict on one row. A check that fails is noted in the table; so is a figure that was declared to be off and is
/// not.
class Judge {
 public:
  /// `row` names the row in failures.
  Judge(Table& table, std::string row) : table_(table), row_(std::move(row)) {}

  /// The count equals the closed form, tensor by tensor, with FLOPs, exponentials and tiles.
  Judge& counts(const Work& counted, const Work& closed);
  Judge& equal(std::string_view figure, Count computed, Count reference);
  /// The printed figure is `computed`, rounded.
  Judge& rounds(std::string_view figure, double computed, const Printed& reference);
  /// At most `tolerance` apart.
  Judge& close(std::string_view figure, double computed, double reference, double tolerance);
  /// Same order of magnitude: at most a factor of 10 apart.
  Judge& same_order(std::string_view figure, double computed, double reference);
  /// The printed figure is not what `computed` says, for the reason given.
  Judge& off(std::string_view figure, double computed, const Printed& reference, std::string why);
  /// The tiles of the row do not fit: "x1.203 of M".
  Judge& infeasible(std::string why);
  Judge& remark(std::string text);

  /// "equal", "same order", "off: ...", "does not fit: ...", "DIFFERS: ...", joined by "; ".
  std::string verdict() const;

 private:
  void agree();
  void fail(std::string_view figure, const std::string& computed, const std::string& reference);
  void say(const std::string& words);

  Table& table_;
  std::string row_;
  std::string words_;
  std::string agreement_;
};

}  // namespace tilemeter::tables
