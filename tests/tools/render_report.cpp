// render_report IN OUT.html TITLE: the report of a file (CSV when its name ends so, else JSON), for the browser test.
#include <fstream>
#include <iostream>
#include <iterator>
#include <string_view>

#include "model/error.hpp"
#include "tools/report/csv_document.hpp"
#include "tools/report/report.hpp"

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: render_report IN OUT.html TITLE\n";
    return 2;
  }
  std::ifstream in(argv[1], std::ios::binary);
  std::ofstream out(argv[2], std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  try {
    const bool is_csv = std::string_view(argv[1]).ends_with(".csv");
    out << tilemeter::render_report(is_csv ? tilemeter::document_of_csv(text) : text, argv[3]);
  } catch (const tilemeter::InputError& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
  return in && out.flush() ? 0 : 1;
}
