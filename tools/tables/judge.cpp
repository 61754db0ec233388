#include "tools/tables/judge.hpp"

#include <cmath>

#include "model/digits.hpp"
#include "tools/output/number.hpp"

namespace tilemeter::tables {
namespace {

std::string digits_of(double value) { return significant_digits(value, 10); }

}  // namespace

Printed::Printed(std::string digits) : digits_(std::move(digits)), value_(number_in(digits_)) {
  const std::size_t point = digits_.find('.');
  if (point != std::string::npos) decimals_ = static_cast<int>(digits_.size() - point - 1);
}

Cell Printed::cell() const {
  if (decimals_ == 0) return Count{std::stoll(digits_)};
  return Decimal{value_, decimals_};
}

bool Printed::is_rounded(double computed) const { return fixed(computed, decimals_) == digits_; }

Judge& Judge::counts(const Work& counted, const Work& closed) {
  if (counted == closed) {
    if (agreement_.empty()) agreement_ = "count = formula";
  } else {
    fail("the count", with_separators(counted.total().total().value()) + " elements",
         with_separators(closed.total().total().value()) + " elements by closed form");
  }
  return *this;
}

Judge& Judge::equal(std::string_view figure, Count computed, Count reference) {
  agree();
  if (computed != reference) fail(figure, with_separators(computed), with_separators(reference));
  return *this;
}

Judge& Judge::rounds(std::string_view figure, double computed, const Printed& reference) {
  agree();
  if (!reference.is_rounded(computed)) fail(figure, digits_of(computed), reference.digits());
  return *this;
}

Judge& Judge::close(std::string_view figure, double computed, double reference, double tolerance) {
  agree();
  if (!(std::fabs(computed - reference) <= tolerance)) fail(figure, digits_of(computed), digits_of(reference));
  return *this;
}

Judge& Judge::same_order(std::string_view figure, double computed, double reference) {
  agreement_ = "same order";
  if (!(computed <= 10 * reference && reference <= 10 * computed)) {
    fail(figure, digits_of(computed), digits_of(reference));
  }
  return *this;
}

Judge& Judge::off(std::string_view figure, double computed, const Printed& reference, std::string why) {
  if (reference.is_rounded(computed)) {
    fail(figure, digits_of(computed) + " agrees", reference.digits() + ", declared off (" + why + ")");
  } else {
    say("off: " + why);
  }
  return *this;
}

Judge& Judge::infeasible(std::string why) {
  ++table_.infeasible;
  say("does not fit: " + why);
  return *this;
}

Judge& Judge::remark(std::string text) {
  say(text);
  return *this;
}

std::string Judge::verdict() const {
  if (agreement_.empty() || words_.starts_with("DIFFERS")) return words_;
  return words_.empty() ? agreement_ : agreement_ + "; " + words_;
}

void Judge::agree() {
  if (agreement_ != "same order") agreement_ = "equal";
}

void Judge::fail(std::string_view figure, const std::string& computed, const std::string& reference) {
  const std::string what = std::string(figure) + ": " + computed + " against " + reference;
  table_.failures.push_back(row_ + ": " + what);
  words_ = "DIFFERS: " + what + (words_.empty() ? "" : "; " + words_);
}

void Judge::say(const std::string& words) { words_ += (words_.empty() ? "" : "; ") + words; }

}  // namespace tilemeter::tables
