// Random choices.
#pragma once

#include <initializer_list>
#include <random>

template <class T>
T one_of(std::mt19937_64& random, std::initializer_list<T> values) {
  return values.begin()[std::uniform_int_distribution<std::size_t>(0, values.size() - 1)(random)];
}
