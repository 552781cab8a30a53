// The targets: one function for each kind of bytes that come from outside. The fuzzers and the
// replay of their corpora call them. A target takes any bytes. It returns if the product kept its
// promises; otherwise it ends the program with one sentence. An exception, a failed assert and a
// sanitizer's finding end the program as well.
//
// tests/fuzz/corpus/NAME/ holds inputs of the target NAME: seeds, and inputs that once failed.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shingle {
struct Model;
}

namespace shingle::fuzz {

using Bytes = std::span<const std::byte>;

void wire(Bytes bytes);          // header frames
void node(Bytes bytes);          // the events of a node
void onnx(Bytes bytes);          // ONNX files
void darknet(Bytes bytes);       // a .cfg, a zero, its .weights
void toml(Bytes bytes);          // cluster files and device profiles
void plan(Bytes bytes);          // plan texts
void keys(Bytes bytes);          // the files of a key folder
void compiled(Bytes bytes);      // indexes of compiled files
void announcement(Bytes bytes);  // texts that a broker forwards about nodes
void logs(Bytes bytes);          // flight logs of drones
void v2(Bytes bytes);            // inference requests over HTTP
void frigate(Bytes bytes);       // what a detector of Frigate sends

// The models for which plan texts are read.
const std::vector<Model>& plan_models();

struct Target {
  std::string_view name;
  void (*run)(Bytes);
};
inline constexpr Target targets[] = {{"wire", wire},
                                     {"node", node},
                                     {"onnx", onnx},
                                     {"darknet", darknet},
                                     {"toml", toml},
                                     {"plan", plan},
                                     {"keys", keys},
                                     {"compiled", compiled},
                                     {"announcement", announcement},
                                     {"logs", logs},
                                     {"v2", v2},
                                     {"frigate", frigate}};

// Ends the program with the sentence unless `holds`.
void expect(bool holds, std::string_view sentence);

// An error is a sentence: not empty, of limited length, and without control characters.
// expect_readable() checks the control characters alone.
void expect_sentence(const std::string& error);
void expect_readable(const std::string& text);

inline std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace shingle::fuzz
