// What the fuzzers and the replay of their corpora share: one function for each kind of bytes that
// come from outside. A target takes any bytes. It returns where the product kept its promises, and
// ends the program with one sentence where it did not; so does an exception, an assert, a
// sanitizer.
//
// tests/fuzz/corpus/NAME/ holds inputs of the target NAME: seeds, and what once went wrong.
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
void node(Bytes bytes);          // what a node hears, and what happens to it
void onnx(Bytes bytes);          // ONNX files
void darknet(Bytes bytes);       // a .cfg, a zero, its .weights
void toml(Bytes bytes);          // cluster files and device profiles
void plan(Bytes bytes);          // plan texts
void keys(Bytes bytes);          // the files of a key folder
void compiled(Bytes bytes);      // indexes of compiled files
void announcement(Bytes bytes);  // what a broker says of a node

// Those that plan texts are held against.
const std::vector<Model>& plan_models();

struct Target {
  std::string_view name;
  void (*run)(Bytes);
};
inline constexpr Target targets[] = {
    {"wire", wire},       {"node", node},         {"onnx", onnx},
    {"darknet", darknet}, {"toml", toml},         {"plan", plan},
    {"keys", keys},       {"compiled", compiled}, {"announcement", announcement}};

// Ends the program, with the sentence, where the promise is broken.
void expect(bool holds, std::string_view sentence);

// A refusal is one sentence: there, of bounded length, and no terminal stumbles over it.
void expect_sentence(const std::string& error);
void expect_readable(const std::string& text);

inline std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace shingle::fuzz
