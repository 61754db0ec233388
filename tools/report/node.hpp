// A place in a document: its value and the path that leads to it.
#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace tilemeter::report {

/// A value in the document and the path that leads to it: "points[3].traffic.elements". What is wrong is refused by an
/// InputError that names the place, what stands there and what is accepted.
class Node {
 public:
  using Json = nlohmann::json;

  /// `origin` begins the messages and outlives the node: a file's name.
  Node(std::string path, const Json* value, std::string_view origin)
      : path_(std::move(path)), value_(value), origin_(origin) {}

  bool present() const { return value_ != nullptr && !value_->is_null(); }
  const Json& value() const { return *value_; }

  Node member(const std::string& key) const;
  Node item(std::size_t index) const {
    return {path_ + "[" + std::to_string(index) + "]", &value_->at(index), origin_};
  }

  [[noreturn]] void refuse(const std::string& accepted) const;
  void require(Json::value_t type, const char* accepted) const;
  void object_if_present() const;
  void integers_if_present(std::initializer_list<const char*> keys) const;
  /// The member `key` is a number, a string, or nothing but a string.
  void number(const char* key) const;
  void text(const char* key) const;
  void text_if_present(const char* key) const;

  /// `check` on every item of the list at `key`.
  template <class Check>
  void each(const char* key, const char* accepted, Check check) const {
    const Node list = member(key);
    list.require(Json::value_t::array, accepted);
    for (std::size_t i = 0; i < list.value().size(); ++i) {
      list.item(i).require(Json::value_t::object, accepted);
      check(list.item(i));
    }
  }

 private:
  std::string path_;
  const Json* value_;
  std::string_view origin_;
};

}  // namespace tilemeter::report
