#include "tools/report/trace_document.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tools/report/node.hpp"

namespace tilemeter::report {
namespace {

using Json = nlohmann::json;

/// More spans would make a page too large, and show nothing that these do not.
constexpr std::size_t most_spans = 60000;

/// Rows of waits carry a number from the second on; the page shows them in one row.
constexpr std::string_view wait_unit = "waits";

struct Sm {
  std::string name;
  std::vector<Json> spans;
};

class Reader {
 public:
  void take(const Node& event) {
    event.require(Json::value_t::object, "an event that simulate --trace wrote is accepted");
    event.text("ph");
    const std::string kind = event.member("ph").value();
    if (kind == "M") return name(event);
    if (kind != "X") event.member("ph").refuse("events of kind X and M are accepted");
    span(event);
  }

  Json document() const {
    Json document = {{"schema", 1}, {"command", "simulate --trace"}, {"version", "not in a trace"}};
    document["units"] = units_;
    document["left_out"] = left_out_;
    document["sms"] = Json::array();
    for (const auto& [number, sm] : sms_) document["sms"].push_back({{"name", sm.name}, {"spans", sm.spans}});
    return document;
  }

 private:
  void name(const Node& event) {
    if (event.member("name").value() != "process_name") return;
    event.member("args").text("name");
    sms_[number_of(event)].name = event.member("args").member("name").value();
  }

  void span(const Node& event) {
    for (const char* key : {"name", "cat"}) event.text(key);
    for (const char* key : {"ts", "dur"}) event.number(key);
    if (taken_ == most_spans) {
      ++left_out_;
      return;
    }
    ++taken_;
    const Node block = event.member("args").member("block");
    const Node waited = event.member("args").member("waited for");
    sms_[number_of(event)].spans.push_back({unit_of(event), event.member("name").value(), event.member("ts").value(),
                                            event.member("dur").value(), block.present() ? block.value() : Json(),
                                            waited.present() ? waited.value() : Json()});
  }

  static std::int64_t number_of(const Node& event) {
    event.number("pid");
    return event.member("pid").value();
  }

  std::size_t unit_of(const Node& event) {
    const std::string category = event.member("cat").value();
    const std::string unit = category == "wait" ? std::string(wait_unit) : category;
    const auto found = std::find(units_.begin(), units_.end(), unit);
    if (found != units_.end()) return static_cast<std::size_t>(found - units_.begin());
    units_.push_back(unit);
    return units_.size() - 1;
  }

  std::map<std::int64_t, Sm> sms_;
  std::vector<std::string> units_;
  std::size_t taken_ = 0;
  std::size_t left_out_ = 0;
};

}  // namespace

bool is_trace(const Json& document) { return document.is_object() && document.contains("traceEvents"); }

Json document_of_trace(const Json& trace, std::string_view origin) {
  const Node events = Node("", &trace, origin).member("traceEvents");
  events.require(Json::value_t::array, "a list of events is needed");
  Reader reader;
  for (std::size_t i = 0; i < events.value().size(); ++i) reader.take(events.item(i));
  return reader.document();
}

}  // namespace tilemeter::report
