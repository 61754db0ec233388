#include "tools/sweep/ranks/agree.hpp"

#include <exception>

#include "model/error.hpp"

namespace tilemeter {
namespace {

constexpr char failed = '!';
constexpr char made = '=';

std::string complaint(const std::string& text, std::size_t rank) {
  const std::string who = "rank " + std::to_string(rank);
  if (text.front() == failed) return who + ": " + text.substr(1);
  return who + " has '" + text.substr(1) + "'";
}

}  // namespace

bool agree(Ranks& ranks, const std::function<std::string()>& work) {
  std::exception_ptr own;
  std::string text;
  try {
    text = made + work();
  } catch (const std::exception& error) {
    own = std::current_exception();
    text = failed + std::string(error.what());
  }
  const std::vector<std::string> texts = ranks.exchange(text);
  if (own && ranks.rank() == 0) std::rethrow_exception(own);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const bool is_good = texts[i].front() == made && texts[i] == texts.front();
    if (is_good) continue;
    if (ranks.rank() > 0) return false;
    throw InputError(complaint(texts[i], i) + (texts[i].front() == failed
                                                   ? std::string()
                                                   : ": expected what rank 0 has, '" + texts.front().substr(1) + "'"));
  }
  return true;
}

}  // namespace tilemeter
