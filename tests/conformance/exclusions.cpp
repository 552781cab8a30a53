#include "tests/conformance/exclusions.hpp"

#include <algorithm>

namespace shingle::conformance {

namespace {

constexpr std::string_view sequences = "sequences", optionals = "optionals", strings = "strings",
                           losses = "training: a loss", quantised = "quantised operators",
                           random = "random numbers", audio = "audio", bitwise = "bitwise logic",
                           one_by_one = "ImageDecoder, Det, Unique, Loop and Scan";

struct Exclusion {
  std::string_view op, reason;
};
constexpr Exclusion exclusions[] = {
    {"ConcatFromSequence", sequences},
    {"SequenceAt", sequences},
    {"SequenceConstruct", sequences},
    {"SequenceEmpty", sequences},
    {"SequenceErase", sequences},
    {"SequenceInsert", sequences},
    {"SequenceLength", sequences},
    {"SequenceMap", sequences},
    {"SplitToSequence", sequences},
    {"Optional", optionals},
    {"OptionalGetElement", optionals},
    {"OptionalHasElement", optionals},
    {"RegexFullMatch", strings},
    {"StringConcat", strings},
    {"StringNormalizer", strings},
    {"StringSplit", strings},
    {"TfIdfVectorizer", strings},
    {"NegativeLogLikelihoodLoss", losses},
    {"SoftmaxCrossEntropyLoss", losses},
    {"ConvInteger", quantised},
    {"DequantizeLinear", quantised},
    {"DynamicQuantizeLinear", quantised},
    {"MatMulInteger", quantised},
    {"QLinearConv", quantised},
    {"QLinearMatMul", quantised},
    {"QuantizeLinear", quantised},
    {"Bernoulli", random},
    {"Multinomial", random},
    {"RandomNormal", random},
    {"RandomNormalLike", random},
    {"RandomUniform", random},
    {"RandomUniformLike", random},
    {"BlackmanWindow", audio},
    {"DFT", audio},
    {"HammingWindow", audio},
    {"HannWindow", audio},
    {"MelWeightMatrix", audio},
    {"STFT", audio},
    {"BitShift", bitwise},
    {"BitwiseAnd", bitwise},
    {"BitwiseNot", bitwise},
    {"BitwiseOr", bitwise},
    {"BitwiseXor", bitwise},
    {"Det", one_by_one},
    {"ImageDecoder", one_by_one},
    {"Loop", one_by_one},
    {"Scan", one_by_one},
    {"Unique", one_by_one},
};

constexpr std::string_view spatial[] = {
    "AffineGrid",    "AveragePool", "Col2Im",       "Conv",
    "ConvTranspose", "DeformConv",  "GlobalLpPool", "GlobalAveragePool",
    "GlobalMaxPool", "GridSample",  "LpPool",       "MaxPool",
    "MaxUnpool"};

}  // namespace

std::optional<std::string_view> excluded(std::string_view domain, std::string_view op) {
  if (domain.starts_with("ai.onnx.ml")) return "operators of ai.onnx.ml";
  if (domain.find("training") != std::string_view::npos) return "training";
  for (const Exclusion& each : exclusions)
    if (each.op == op) return each.reason;
  return std::nullopt;
}

bool is_spatial_operator(std::string_view op) {
  return std::ranges::find(spatial, op) != std::end(spatial);
}

}  // namespace shingle::conformance
