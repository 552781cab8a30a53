// The parts of a file's decoding (file.cpp, graph.cpp). All throw Refusal, or protozero's
// exceptions if the bytes are not a protocol buffer. Internal to the reader.
#pragma once

#include "partition/readers/onnx/file.hpp"

namespace shingle::onnx {

// Where a message lies: graphs stand in attributes of nodes of graphs.
struct Within {
  const OnnxLimits& limits;
  int depth = 0;  // of the graphs around it
};

inline constexpr int deepest_graph = 8;

TensorProto decode_tensor(std::string_view message);
ValueInfo decode_value_info(std::string_view message);
void decode_opset(std::string_view message,
                  int64_t& opset);  // of ONNX's own domain; else as it was

void decode_graph(std::string_view message, Within within, Graph& graph);
Function decode_function(std::string_view message, const OnnxLimits& limits);

}  // namespace shingle::onnx
