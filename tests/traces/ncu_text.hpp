// Exports of Nsight Compute as text, made for tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

struct TestMetric {
  std::string name;
  std::string unit;
  std::string value;
};

inline const std::string launch_columns =
    R"("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC")";

/// Cells that describe launch `id`.
inline std::string launch_cells(const std::string& id) {
  return '"' + id +
         R"x(","77","program","host","void f<(int)1, (bool)0>(int)","1","7","(128, 1, 1)","(32, 4, 16)","0","9.0")x";
}

/// The raw page of one launch.
inline std::string raw_page(const std::vector<TestMetric>& metrics) {
  std::string header = launch_columns;
  std::string units = R"("","","","","","","","","","","")";
  std::string row = launch_cells("0");
  for (const TestMetric& metric : metrics) {
    header += ",\"" + metric.name + '"';
    units += ",\"" + metric.unit + '"';
    row += ",\"" + metric.value + '"';
  }
  return header + "\n" + units + "\n" + row + "\n";
}

inline const std::string metric_header =
    launch_columns + R"(,"Section Name","Metric Name","Metric Unit","Metric Value","Rule Name")" + "\n";

inline std::string metric_row(const std::string& id, const TestMetric& metric) {
  return launch_cells(id) + R"(,"Command line profiler metrics",")" + metric.name + "\",\"" + metric.unit + "\",\"" +
         metric.value + "\",\"\"\n";
}
