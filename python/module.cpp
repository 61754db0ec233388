// The Python module tilemeter._core: options in, documents as JSON text out. The package `tilemeter` makes keywords of
// the one and dictionaries of the other.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>

#include "model/error.hpp"
#include "model/suggest.hpp"
#include "tools/attend.hpp"
#include "tools/commands/all.hpp"
#include "tools/commands/answers.hpp"
#include "tools/errors/line.hpp"
#include "tools/options/text.hpp"
#include "tools/output/columns.hpp"
#include "tools/version.hpp"

namespace tilemeter {
namespace {

namespace py = pybind11;

/// A keyword, "seq_q", and its value; absent for True.
using Keyword = std::pair<std::string, std::optional<std::string>>;
using Keywords = std::vector<Keyword>;

/// Options of the program that say how a result is printed or kept.
constexpr std::array<std::string_view, 9> of_the_program = {"--format", "-o",       "-q",        "-v",        "--color",
                                                            "--resume", "--triton", "--cutlass", "--rejected"};

struct Asked {
  Command command;
  CommandAnswer (*answer)(const Arguments&) = nullptr;
};

Asked asked_for(const std::string& name) {
  if (name == "count") return {count_command(), count_answer};
  if (name == "sweep") return {sweep_command(), nullptr};
  if (name == "predict") return {predict_command(), predict_answer};
  if (name == "estimate") return {predict_command(), estimate_answer};
  if (name == "tune") return {tune_command(), tune_answer};
  throw std::invalid_argument("no command \"" + name + "\": expected count, sweep, predict or tune");
}

std::string keyword_of(const OptionSpec& spec) {
  std::string keyword(split(spec.names, ',').front());
  keyword.erase(0, keyword.find_first_not_of('-'));
  std::replace(keyword.begin(), keyword.end(), '-', '_');
  return keyword;
}

std::vector<OptionSpec> specs_of(const Command& command) {
  std::vector<OptionSpec> specs;
  for (const OptionSpec& spec : command.options) {
    const bool left_out = std::find(of_the_program.begin(), of_the_program.end(), spec.name()) != of_the_program.end();
    if (!left_out) specs.push_back(spec);
  }
  return specs;
}

/// "seq_q" as the command line would have it.
std::string option_of(std::string keyword) {
  std::replace(keyword.begin(), keyword.end(), '_', '-');
  return "--" + keyword;
}

const OptionSpec& spec_of(const std::vector<OptionSpec>& specs, const std::string& keyword, std::string_view command) {
  std::vector<std::string> known;
  for (const OptionSpec& spec : specs) {
    known.push_back(option_of(keyword_of(spec)));
    if (keyword_of(spec) == keyword) return spec;
  }
  const std::string option = option_of(keyword);
  throw InputError("unknown option " + option + " of " + std::string(command) +
                   suggestion(option, {known.begin(), known.end()}) + ": tilemeter.options(\"" + std::string(command) +
                   "\") lists the keywords");
}

std::string value_of(const OptionSpec& spec, const Keyword& given) {
  const std::string name(spec.name());
  const std::optional<std::string>& value = given.second;
  if (spec.value.empty()) {
    if (value) throw InputError(name + "=" + *value + ": the flag takes no value; leave it out to switch it off");
    return {};
  }
  if (value) return *value;
  if (spec.alone.empty()) throw InputError(name + " needs a value: expected " + name + " " + std::string(spec.value));
  return std::string(spec.alone);
}

/// What the command line would make of the same options.
Arguments arguments_of(const Command& command, const Keywords& keywords) {
  const std::vector<OptionSpec> specs = specs_of(command);
  std::vector<Arguments::Given> given;
  for (const Keyword& keyword : keywords) {
    const OptionSpec& spec = spec_of(specs, keyword.first, command.name);
    given.push_back({std::string(spec.name()), value_of(spec, keyword)});
  }
  return {std::move(given), {}};
}

/// The words by which messages are taken apart.
CommandWords words_of(const Command& command, const Keywords& keywords) {
  CommandWords words{.command = &command, .words = {}};
  for (const auto& [keyword, value] : keywords) {
    words.words.push_back(option_of(keyword));
    if (value) words.words.push_back(*value);
  }
  return words;
}

/// What `compute` gives as JSON text, or {"error": {...}} of wrong input. Without the GIL.
template <class Compute>
std::string reply_of(const Command& command, const Keywords& keywords, Compute compute) {
  const py::gil_scoped_release released;
  try {
    const CommandAnswer answer = compute(arguments_of(command, keywords));
    return Json{{"document", answer.document}, {"failures", answer.failures}}.dump();
  } catch (const InputError& error) {
    return json_line("error", error.what(), words_of(command, keywords));
  }
}

std::string ask(const std::string& name, const Keywords& keywords) {
  const Asked asked = asked_for(name);
  return reply_of(asked.command, keywords, asked.answer);
}

/// Points on their way to Python: threads add them, the calling thread hands them on, and the threads wait for it.
class Batches {
 public:
  explicit Batches(py::function take) : take_(std::move(take)) {}

  void wait_for_room() {
    constexpr std::size_t most_waiting = 8 << 20;
    std::unique_lock lock(mutex_);
    room_.wait(lock, [this] { return batch_.size() < most_waiting || stopped_; });
  }

  void add(const std::string& point) {
    const std::lock_guard lock(mutex_);
    batch_ += (batch_.empty() ? "[" : ",") + point;
  }

  /// Calls Python with what has come; what it raises, and Ctrl-C, stop the sweep.
  void hand_on() {
    std::string batch;
    {
      const std::lock_guard lock(mutex_);
      batch.swap(batch_);
    }
    room_.notify_all();
    const py::gil_scoped_acquire held;
    try {
      if (error_) return;
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (!batch.empty()) take_(batch + "]");
    } catch (const py::error_already_set&) {
      error_ = std::current_exception();
      const std::lock_guard lock(mutex_);  // or a thread that is about to wait would not see it
      stopped_ = true;
      room_.notify_all();
    }
  }

  bool stopped() const { return stopped_; }
  /// With the GIL.
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  py::function take_;
  std::mutex mutex_;
  std::condition_variable room_;
  std::string batch_;
  std::exception_ptr error_;
  std::atomic<bool> stopped_ = false;
};

std::string sweep(const Keywords& keywords, const std::string& reads, py::function take) {
  Batches batches(std::move(take));
  const SweepReader reader{.reads = reads == "rows" ? SweepReads::rows : SweepReads::points,
                           .wait = [&] { batches.wait_for_room(); },
                           .take = [&](const std::string& point) { batches.add(point); },
                           .progress = [&] { batches.hand_on(); },
                           .stop = [&] { return batches.stopped(); }};
  std::string reply = reply_of(sweep_command(), keywords, [&](const Arguments& arguments) {
    CommandAnswer answer = sweep_answer(arguments, reader);
    batches.hand_on();
    return answer;
  });
  batches.rethrow();
  return reply;
}

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// Heads x rows x columns, as a matrix a head.
std::vector<Matrix> matrices_of(const Numbers& numbers) {
  const auto view = numbers.unchecked<3>();
  std::vector<Matrix> heads;
  for (py::ssize_t head = 0; head < view.shape(0); ++head) {
    Matrix& matrix = heads.emplace_back(view.shape(1), view.shape(2));
    for (py::ssize_t row = 0; row < view.shape(1); ++row) {
      for (py::ssize_t col = 0; col < view.shape(2); ++col) matrix(row, col) = view(head, row, col);
    }
  }
  return heads;
}

/// Empty where there are none.
Numbers numbers_of(const std::vector<Matrix>& heads) {
  if (heads.empty()) return Numbers(std::vector<py::ssize_t>{0, 0, 0});
  Numbers numbers({static_cast<py::ssize_t>(heads.size()), heads.front().rows(), heads.front().cols()});
  auto view = numbers.mutable_unchecked<3>();
  for (py::ssize_t head = 0; head < view.shape(0); ++head) {
    const Matrix& matrix = heads[static_cast<std::size_t>(head)];
    for (py::ssize_t row = 0; row < view.shape(1); ++row) {
      for (py::ssize_t col = 0; col < view.shape(2); ++col) view(head, row, col) = matrix(row, col);
    }
  }
  return numbers;
}

/// (reply, O, LSE), heads x rows x columns; LSE is empty where the algorithm keeps no statistics.
py::tuple attention(const Keywords& keywords, const Numbers& q, const Numbers& k, const Numbers& v) {
  Values inputs{{TensorName::Q, matrices_of(q)}, {TensorName::K, matrices_of(k)}, {TensorName::V, matrices_of(v)}};
  Values outputs;
  const std::string reply = reply_of(count_command(), keywords, [&](const Arguments& arguments) {
    Attended attended = attend(arguments, std::move(inputs));
    outputs = std::move(attended.outputs);
    return CommandAnswer{.document = std::move(attended.point)};
  });
  return py::make_tuple(reply, numbers_of(outputs[TensorName::O]), numbers_of(outputs[TensorName::LSE]));
}

std::string table(const std::string& document) {
  try {
    return table_of(Json::parse(document)).dump();
  } catch (const InputError& error) {
    return json_line("error", error.what(), {});
  }
}

/// The names of the columns that rows of a sweep have.
std::vector<std::string> column_names() { return names_of(point_columns()); }

/// (keyword, option, value in the help or "", help, whether it may be given often) of each option.
std::vector<py::tuple> options(const std::string& name) {
  std::vector<py::tuple> rows;
  for (const OptionSpec& spec : specs_of(asked_for(name).command)) {
    rows.push_back(py::make_tuple(keyword_of(spec), std::string(spec.name()), std::string(spec.value),
                                  std::string(spec.help), spec.repeat == Repeat::often));
  }
  return rows;
}

}  // namespace
}  // namespace tilemeter

PYBIND11_MODULE(_core, module) {
  module.attr("version") = std::string(tilemeter::program_version);
  module.def("ask", tilemeter::ask);
  module.def("sweep", tilemeter::sweep);
  module.def("attention", tilemeter::attention);
  module.def("table", tilemeter::table);
  module.def("column_names", tilemeter::column_names);
  module.def("options", tilemeter::options);
}
