// Catch2 under one name, whichever major version is installed.
#pragma once

#include <string>

#ifdef TILEMETER_CATCH2_V3
#include <catch2/catch_all.hpp>
using Catch::Approx;
inline auto contains(const std::string& text) { return Catch::Matchers::ContainsSubstring(text); }
#else
#include <catch2/catch.hpp>
inline auto contains(const std::string& text) { return Catch::Matchers::Contains(text); }
#endif
