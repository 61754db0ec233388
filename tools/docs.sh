#!/usr/bin/env bash
# Builds the API reference of model, traces and sim into build/docs/html. Whatever Doxygen warns of is an error.
set -euo pipefail
cd "$(dirname "$0")/.."

tools/setup.sh docs
version=$(sed -n 's/^project(tilemeter VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
rm -rf build/docs
mkdir -p build/docs
TILEMETER_VERSION=$version TILEMETER_DOCS=build/docs doxygen docs/Doxyfile
pages=$(find build/docs/html -name '*.html' | wc -l)
[ "$pages" -gt 300 ] || { echo "docs: only $pages pages; were the headers found?" >&2; exit 1; }
echo "docs: $pages pages; open build/docs/html/index.html"
