#include "apps/serve/v2/infer_answer.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "apps/serve/v2/descriptions.hpp"
#include "partition/base/text.hpp"

namespace shingle::serve {
namespace {

struct Chosen {
  const OutputView* output;
  bool binary;
};

Result<std::vector<Chosen>> chosen_by(const InferRequest& request,
                                      std::span<const OutputView> outputs) {
  std::vector<Chosen> chosen;
  for (const WantedOutput& wanted : request.outputs) {
    const auto found = std::ranges::find(outputs, wanted.name, &OutputView::name);
    if (found == outputs.end())
      return bad_input("the model has no output " + in_quotes(wanted.name));
    if (std::ranges::count(request.outputs, wanted.name, &WantedOutput::name) > 1)
      return bad_input("the output " + in_quotes(wanted.name) + " is asked for twice");
    chosen.push_back({&*found, wanted.binary.value_or(request.binary_outputs)});
  }
  if (request.outputs.empty())
    for (const OutputView& output : outputs) chosen.push_back({&output, request.binary_outputs});
  return chosen;
}

Status append_numbers(const OutputView& output, std::string& json) {
  char text[32];
  for (size_t i = 0; i < output.values.size(); ++i) {
    if (!std::isfinite(output.values[i]))
      return Error{"output " + in_quotes(output.name) +
                   " has values that are no numbers, which JSON cannot hold; ask for it with "
                   "binary_data"};
    if (i > 0) json += ',';
    json.append(text, std::to_chars(text, text + sizeof text, output.values[i]).ptr);
    if (output.values[i] == 0.0F && std::signbit(output.values[i]))
      json += ".0";  // readers take -0 for a whole number, which has no sign
  }
  return success();
}

Status append_output(const Chosen& chosen, std::string& json) {
  const OutputView& output = *chosen.output;
  json.append("{\"name\":").append(json_text(output.name));
  json.append(",\"datatype\":\"FP32\",\"shape\":").append(json_shape(output.shape));
  if (chosen.binary) {
    json.append(",\"parameters\":{\"binary_data_size\":");
    json.append(std::to_string(output.values.size_bytes())).append("}}");
    return success();
  }
  json += ",\"data\":[";
  if (const Status written = append_numbers(output, json); !written) return written;
  json += "]}";
  return success();
}

}  // namespace

Result<InferAnswer> write_infer(const std::string& model, const InferRequest& request,
                                std::span<const OutputView> outputs) {
  const auto chosen = chosen_by(request, outputs);
  if (!chosen) return chosen.failure();
  InferAnswer answer;
  std::string& body = answer.body;
  body.append("{\"model_name\":").append(json_text(model)).append(",\"model_version\":\"1\"");
  if (!request.id.empty()) body.append(",\"id\":").append(json_text(request.id));
  body += ",\"outputs\":[";
  for (const Chosen& each : *chosen) {
    if (&each != chosen->data()) body += ',';
    if (const Status written = append_output(each, body); !written) return written.failure();
  }
  body += "]}";
  const size_t json_bytes = body.size();
  for (const Chosen& each : *chosen) {
    if (!each.binary) continue;
    answer.json_bytes = json_bytes;
    const auto bytes = std::as_bytes(each.output->values);
    body.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  return answer;
}

}  // namespace shingle::serve
