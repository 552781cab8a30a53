// Structs that begin with their size: callers may have been compiled with an older or a newer
// header.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include "partition/base/result.hpp"

namespace shingle {

// What the caller gave, with zeros for what it does not know. `name`: of the type. `first_size`:
// that of the first version.
template <class T>
Result<T> read_struct(const T* given, const char* name, size_t first_size) {
  if (given == nullptr) return usage_error(std::string("the ") + name + " is null");
  size_t size = 0;
  std::memcpy(&size, given, sizeof size);
  if (size < first_size || size > 64 * sizeof(T))
    return usage_error(std::string("struct_size of the ") + name + " is " + std::to_string(size) +
                       "; set it to sizeof(" + name + "), which is " + std::to_string(sizeof(T)));
  T read{};
  std::memcpy(static_cast<void*>(&read), given, std::min(size, sizeof(T)));
  return read;
}

// Fills in what the caller has room for; struct_size stays.
template <class T>
Status write_struct(const T& value, T* target, const char* name, size_t first_size) {
  const auto given = read_struct(target, name, first_size);
  if (!given) return given.failure();
  const size_t size = given->struct_size;
  std::memcpy(static_cast<void*>(target), &value, std::min(size, sizeof(T)));
  target->struct_size = size;
  return success();
}

}  // namespace shingle
