// Section: reads the options of one section with their expected types.
//
// It keeps the first error and continues with a harmless value, so that a layer is read without
// checks in between and asked for errors once, at its end.
#pragma once

#include <optional>
#include <string>

#include "partition/readers/darknet/cfg.hpp"

namespace shingle::darknet {

struct Range {
  int32_t low = 0, high = 0;  // both inclusive
};

class Section {
 public:
  // `layer` counts the sections after [net] from 0, as Darknet does; -1 for [net] itself.
  Section(const CfgSection& cfg, int32_t layer) : cfg_(cfg), layer_(layer) {}

  std::string_view kind() const { return cfg_.kind; }
  int32_t layer() const { return layer_; }
  bool has(std::string_view key) const { return value(key).has_value(); }

  // Absent options have the value `usual`.
  int32_t integer(std::string_view key, int32_t usual, Range range);
  float number(std::string_view key, float usual);
  bool flag(std::string_view key) { return integer(key, 0, {INT32_MIN, INT32_MAX}) != 0; }
  std::string_view text(std::string_view key, std::string_view usual) const;
  std::vector<int32_t> integers(std::string_view key);  // separated by commas; absent: none
  std::vector<float> numbers(std::string_view key);

  // Refuses the section unless the option is absent or has this value: shingle does not implement
  // other values.
  void insist(std::string_view key, float value);

  void refuse(std::string what);
  bool sound() const { return wrong_.empty(); }
  const std::string& wrong() const { return wrong_; }

 private:
  std::optional<std::string_view> value(std::string_view key) const;
  void refuse_value(std::string_view key, std::string_view value, const char* wanted);
  template <class T>
  std::vector<T> list(std::string_view key, const char* wanted);

  const CfgSection& cfg_;
  int32_t layer_;
  std::string wrong_;  // a sentence that names the place; empty: no error so far
};

}  // namespace shingle::darknet
