// render_report IN.json OUT.html TITLE: the report of a file, for the browser test.
#include <fstream>
#include <iostream>
#include <iterator>

#include "model/error.hpp"
#include "tools/report/report.hpp"

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: render_report IN.json OUT.html TITLE\n";
    return 2;
  }
  std::ifstream in(argv[1], std::ios::binary);
  std::ofstream out(argv[2], std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  try {
    out << tilemeter::render_report(text, argv[3]);
  } catch (const tilemeter::InputError& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
  return in && out.flush() ? 0 : 1;
}
