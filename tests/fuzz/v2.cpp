// Fuzzes inference requests of the protocol v2. The first byte says where the JSON ends, or that
// all is JSON; a path and a host are the body's first lines. What is read has bytes that fit its
// shapes, and what is answered to it reads back the same.
#include "apps/serve/v2/host_rule.hpp"
#include "apps/serve/v2/infer_answer.hpp"
#include "apps/serve/v2/infer_request.hpp"
#include "apps/serve/v2/route.hpp"
#include "tests/fuzz/target.hpp"

namespace shingle::fuzz {
namespace {

using namespace serve;

void expect_bounded(const InferRequest& request, size_t body_bytes) {
  expect(request.inputs.size() <= InferLimits::tensors, "inputs are bounded");
  expect(request.outputs.size() <= InferLimits::tensors, "outputs are bounded");
  expect(request.id.size() <= InferLimits::text_bytes, "an id is bounded");
  size_t bytes = 0;
  for (const TensorValue& input : request.inputs) {
    const auto elements = elements_of(input.info.shape);
    expect(elements && *elements * bytes_of(input.info.type) == input.bytes.size(),
           "bytes fit the shape");
    expect(input.info.shape.size() <= InferLimits::rank, "a rank is bounded");
    bytes += input.bytes.size();
  }
  expect(bytes <= 4 * body_bytes, "values take a small multiple of the body");
}

// Each input of FP32 as an output, in JSON and in bytes.
void expect_round_trip(const InferRequest& request) {
  InferRequest all;
  std::vector<OutputView> outputs;
  for (const TensorValue& input : request.inputs)
    if (input.info.type == DataType::fp32)
      outputs.push_back({input.info.name,
                         input.info.shape,
                         {reinterpret_cast<const float*>(input.bytes.data()),
                          input.bytes.size() / sizeof(float)}});
  if (outputs.empty()) return;
  all.binary_outputs = true;
  const auto binary = write_infer("m", all, outputs);
  expect(binary.ok(), "bytes can say every value");
  size_t values = 0;
  for (const OutputView& output : outputs) values += output.values.size_bytes();
  expect(binary->body.size() == *binary->json_bytes + values, "bytes follow the JSON");
  all.binary_outputs = false;
  const auto text = write_infer("m", all, outputs);
  if (!text) return expect_sentence(text.error());
  std::string again = text->body;
  again.replace(again.find("\"outputs\""), 9, "\"inputs\"");
  const auto read = read_infer(std::as_bytes(std::span(again)), std::nullopt);
  expect(read.ok(), "an answer reads as a request: " + (read ? "" : read.error()));
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto bytes = std::as_bytes(outputs[i].values);
    expect(std::equal(bytes.begin(), bytes.end(), read->inputs[i].bytes.begin(),
                      read->inputs[i].bytes.end()),
           "numbers read back as the same floats");
  }
}

}  // namespace

void v2(Bytes bytes) {
  if (bytes.empty()) return;
  const auto end = static_cast<size_t>(bytes[0]);
  const Bytes body = bytes.subspan(1);
  const std::string_view text = text_of(body);
  const std::string_view line = text.substr(0, text.find('\n'));
  if (const auto route = route_of(line))
    expect(route->model.find('/') == std::string::npos, "a model's name has no slash");
  static_cast<void>(HostRule{}.allows(line));
  std::optional<size_t> json;
  if (end != 255) json = std::min(body.size(), end * 16);
  const auto read = read_infer(body, json);
  if (!read) return expect_sentence(read.error());
  expect_bounded(*read, body.size());
  expect_round_trip(*read);
}

}  // namespace shingle::fuzz
