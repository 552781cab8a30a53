// Fields of protocol buffers for the ONNX reader. A field of an unexpected wire type is skipped
// here, because protozero only asserts its type. Internal to the reader.
#pragma once

#include <protozero/pbf_reader.hpp>
#include <string_view>
#include <vector>

#include "partition/readers/onnx/refusal.hpp"

namespace shingle::onnx {

using protozero::pbf_reader;
using protozero::pbf_wire_type;

inline bool is(const pbf_reader& reader, pbf_wire_type type) { return reader.wire_type() == type; }

inline bool read(pbf_reader& reader, std::string_view& value) {
  if (!is(reader, pbf_wire_type::length_delimited)) return false;
  const protozero::data_view view = reader.get_view();
  value = {view.data(), view.size()};
  return true;
}

inline bool read(pbf_reader& reader, int64_t& value) {
  if (!is(reader, pbf_wire_type::varint)) return false;
  value = reader.get_int64();
  return true;
}

inline bool read(pbf_reader& reader, int32_t& value) {
  if (!is(reader, pbf_wire_type::varint)) return false;
  value = reader.get_int32();
  return true;
}

inline bool read(pbf_reader& reader, float& value) {
  if (!is(reader, pbf_wire_type::fixed32)) return false;
  value = reader.get_float();
  return true;
}

inline bool read(pbf_reader& reader, double& value) {
  if (!is(reader, pbf_wire_type::fixed64)) return false;
  value = reader.get_double();
  return true;
}

inline auto packed(pbf_reader& reader, const std::vector<int64_t>&) {
  return reader.get_packed_int64();
}
inline auto packed(pbf_reader& reader, const std::vector<float>&) {
  return reader.get_packed_float();
}
inline auto packed(pbf_reader& reader, const std::vector<double>&) {
  return reader.get_packed_double();
}

// A repeated number, packed or not.
template <class T>
bool append(pbf_reader& reader, std::vector<T>& values) {
  if (is(reader, pbf_wire_type::length_delimited)) {
    for (const T value : packed(reader, values)) values.push_back(value);
    return true;
  }
  T value{};
  if (!read(reader, value)) return false;
  values.push_back(value);
  return true;
}

// A repeated element of a list that holds at most `limit`.
template <class T>
T& grow(std::vector<T>& list, size_t limit, const char* what) {
  if (list.size() >= limit) {
    refuse("the ONNX file has more than " + std::to_string(limit) + " " + what);
  }
  return list.emplace_back();
}

// Calls field(reader) for each field of the message; skips a field for which it returns false.
template <class Field>
void each_field(std::string_view message, Field field) {
  pbf_reader reader(message.data(), message.size());
  while (reader.next()) {
    if (!field(reader)) reader.skip();
  }
}

}  // namespace shingle::onnx
