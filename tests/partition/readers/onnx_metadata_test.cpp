// Metadata that exporters write beside the graph.
#include <doctest/doctest.h>

#include "partition/readers/onnx.hpp"
#include "tests/networks/networks.hpp"
#include "tests/networks/onnx_graph.hpp"

using namespace shingle;
using networks::OnnxGraph;

namespace {

OnnxMetadata metadata_of(std::string_view file) {
  return read_onnx_metadata(std::as_bytes(std::span(file)));
}

OnnxGraph graph_with(size_t entries, const std::string& value) {
  OnnxGraph graph;
  graph.input("in", {1, 4, 6, 6}, ElementType::f32);
  graph.node("Relu", {"in"}, {}, "out");
  graph.output("out", {1, 4, 6, 6});
  for (size_t i = 0; i < entries; ++i) graph.metadata("key " + std::to_string(i), value);
  return graph;
}

}  // namespace

TEST_CASE("metadata are read in the file's order and the model is the same") {
  OnnxGraph graph = graph_with(2, "a value");
  graph.metadata("names", "{0: 'car'}");
  const std::string file = graph.file();
  CHECK(metadata_of(file) ==
        OnnxMetadata{{"key 0", "a value"}, {"key 1", "a value"}, {"names", "{0: 'car'}"}});
  CHECK(read_onnx(std::as_bytes(std::span(file))).ok());
  CHECK(metadata_of(graph_with(0, "").file()).empty());
}

TEST_CASE("metadata without bound are left out beyond the bound") {
  CHECK(metadata_of(graph_with(5000, "x").file()).size() == 1000);
  size_t bytes = 0;
  for (const MetadataEntry& entry : metadata_of(graph_with(100, std::string(100'000, 'x')).file()))
    bytes += entry.key.size() + entry.value.size();
  CHECK(bytes > 0);
  CHECK(bytes <= 1 << 20);
}

TEST_CASE("bytes that are broken give what stood before the break, never worse") {
  const std::string good = graph_with(3, "a value").file();
  size_t before = 0;
  for (size_t length = 0; length <= good.size(); ++length) {
    const size_t entries = metadata_of(std::string_view(good).substr(0, length)).size();
    CHECK(entries >= before);  // entries that are complete stay
    before = entries;
  }
  CHECK(before == 3);
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    CAPTURE(seed);
    networks::Random random(seed);
    std::string bad = good;
    for (int32_t changes = random.between(1, 6); changes > 0; --changes)
      bad[random.next() % bad.size()] = static_cast<char>(random.next());
    size_t bytes = 0;
    for (const MetadataEntry& entry : metadata_of(bad))
      bytes += entry.key.size() + entry.value.size();
    CHECK(bytes <= bad.size());
  }
  CHECK(metadata_of(std::string(100'000, '\xff')).empty());
  CHECK(metadata_of("").empty());
}
