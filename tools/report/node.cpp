#include "tools/report/node.hpp"

#include "model/error.hpp"

namespace tilemeter::report {

Node Node::member(const std::string& key) const {
  const bool found = present() && value_->is_object() && value_->contains(key);
  return {path_.empty() ? key : path_ + "." + key, found ? &value_->at(key) : nullptr, origin_};
}

void Node::refuse(const std::string& accepted) const {
  const std::string place = std::string(origin_) + ": " + (path_.empty() ? "the document" : "\"" + path_ + "\"");
  if (value_ == nullptr) throw InputError(place + " is missing; " + accepted);
  std::string text = value_->dump(-1, ' ', true);  // ASCII, so that it can be cut anywhere
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  throw InputError(place + " is " + text + "; " + accepted);
}

void Node::require(Json::value_t type, const char* accepted) const {
  if (value_ == nullptr || value_->type() != type) refuse(accepted);
}

void Node::object_if_present() const {
  if (present()) require(Json::value_t::object, "an object is accepted");
}

void Node::integers_if_present(std::initializer_list<const char*> keys) const {
  object_if_present();
  for (const char* key : keys) {
    const Node number = member(key);
    if (number.present() && !number.value().is_number_integer()) number.refuse("an integer up to 2^64 - 1 is accepted");
  }
}

void Node::number(const char* key) const {
  const Node figure = member(key);
  if (!figure.present() || !figure.value().is_number()) figure.refuse("a number is needed");
}

void Node::text(const char* key) const { member(key).require(Json::value_t::string, "a string is needed"); }

void Node::text_if_present(const char* key) const {
  const Node words = member(key);
  if (words.present()) words.require(Json::value_t::string, "a string is accepted");
}

}  // namespace tilemeter::report
