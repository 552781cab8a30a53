#include "apps/shingle/export_advice.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "apps/models/open_sizes.hpp"

namespace shingle {
namespace {

using Texts = std::vector<std::string>;

constexpr double worth_a_word = 0.05;  // of the multiply-adds

// Operators that an export holds for one reason, and what to do about it.
struct Cause {
  std::vector<std::string_view> begins;  // of operators' names
  const char* advice;
};

const std::array<Cause, 5>& causes() {
  static const auto& all = *new std::array<Cause, 5>{
      {{{"EfficientNMS", "BatchedNMS"},
        "Export without suppression (Ultralytics: nms=False; torchvision: the model without its "
        "postprocessing): shingle suppresses overlapping boxes itself."},
       {{"Quantize", "Dequantize", "DynamicQuantize", "QLinear", "ConvInteger", "MatMulInteger"},
        "Export the network before quantisation, in float."},
       {{"Loop", "Scan", "Sequence", "Optional", "SplitToSequence", "ConcatFromSequence"},
        "Export a traced network, in which loops of fixed length are unrolled (torch.jit.trace, "
        "or torch.onnx.export of the plain module)."},
       {{"com.microsoft"},
        "Give the file from before ONNX Runtime's optimiser: operators of com.microsoft are that "
        "program's own."},
       {{"Random", "Multinomial", "Bernoulli", "Dropout"},
        "Export the network for inference (model.eval()), without random operators."}}};
  return all;
}

bool concerns(const Cause& cause, const OnnxUnread& unread) {
  const auto ends_in = std::string_view(unread.op).substr(unread.op.rfind('.') + 1);
  return std::any_of(cause.begins.begin(), cause.begins.end(), [&](std::string_view begin) {
    return ends_in.starts_with(begin) || unread.op.starts_with(begin);
  });
}

std::string dims_text(const OnnxInput& input) {
  std::string text;
  for (const OnnxDimension& dim : input.dims)
    text.append(text.empty() ? "" : "x").append(dim.size > 0 ? std::to_string(dim.size) : "?");
  return text;
}

std::string percent(int64_t part, int64_t all) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%",
                100.0 * static_cast<double>(part) / static_cast<double>(std::max<int64_t>(all, 1)));
  return text;
}

// The reader has laid it out as the picture that it is.
bool takes_channels_last(const OnnxInput& input, const Tensor& tensor) {
  return tensor.shape.c == input.dims[3].size;
}

void advise_head(const Reading& reading, Texts& advice) {
  if (reading.head != &raw_head) return;
  const auto possible = possible_heads(reading.clues);
  if (possible.empty()) return;
  std::string names;
  for (const Head* head : possible)
    names.append(names.empty() ? "" : " or ").append("--head ").append(head->name);
  advice.push_back("Name the head (" + names +
                   "), or give --names with a name for each class: the outputs alone do not say "
                   "which it is.");
}

void advise_kernels(const ModelCheck& check, Texts& advice) {
  const auto slow = [&](std::string_view op) {
    int64_t macs = 0;
    for (const CheckedLayer& layer : check.layers)
      if (!layer.why_slow.empty() && layer.op.find(op) != std::string::npos) macs += layer.macs;
    return macs;
  };
  if (const int64_t macs = slow("TransposedConvolution"); macs > 0)
    advice.push_back(
        "Transposed convolutions in groups, or with a stride of more than twice the "
        "kernel, are slow here (" +
        percent(macs, check.macs) +
        " of the multiply-adds); those of one group and depthwise ones are fast.");
  if (const int64_t macs = slow("grouped Convolution"); macs > 0)
    advice.push_back("Convolutions of many narrow groups are slow here (" +
                     percent(macs, check.macs) +
                     " of the multiply-adds); groups of 16 output channels and more are fast, and "
                     "so are depthwise ones.");
}

void advise_cuts(const ModelCheck& check, Texts& advice) {
  const int64_t whole = check.macs - check.distributed_macs;
  if (static_cast<double>(whole) > worth_a_word * static_cast<double>(check.macs))
    advice.push_back(percent(whole, check.macs) +
                     " of the multiply-adds run on one node, because their layers need whole maps: "
                     "pool or flatten as late, and on as small a map, as the network allows.");
}

}  // namespace

Texts advice_for(const Model& model, const Reading& reading, const ModelCheck& check,
                 const std::vector<OnnxInput>& inputs) {
  Texts advice;
  if (model.sized)
    advice.push_back(
        "Export with fixed sizes (torch.onnx.export without dynamic_axes; Ultralytics: "
        "dynamic=False); then no verb needs --shape.");
  for (size_t i = 0; i < std::min(inputs.size(), model.inputs.size()); ++i)
    if (has_channels_last(inputs[i]) && !takes_channels_last(inputs[i], model.at(model.inputs[i])))
      advice.push_back("Export '" + inputs[i].name + "' as NCHW (tf2onnx: --inputs-as-nchw " +
                       inputs[i].name + "): it is " + dims_text(inputs[i]) +
                       ", and the network does not bring it to channels first itself, so pictures "
                       "cannot be given to it.");
  advise_head(reading, advice);
  advise_kernels(check, advice);
  advise_cuts(check, advice);
  return advice;
}

Texts advice_for(const std::vector<OnnxUnread>& unread, const OnnxExport& exported) {
  Texts advice;
  const OnnxOpsets read = onnx_opsets();
  if (exported.opset > read.newest || (exported.opset != 0 && exported.opset < read.oldest))
    advice.push_back("Export with opset " + std::to_string(read.newest) +
                     " (torch.onnx.export: opset_version=" + std::to_string(read.newest) +
                     "; tf2onnx and Ultralytics: opset " + std::to_string(read.newest) + ").");
  for (const Cause& cause : causes())
    if (std::any_of(unread.begin(), unread.end(),
                    [&](const OnnxUnread& each) { return concerns(cause, each); }))
      advice.push_back(cause.advice);
  return advice;
}

}  // namespace shingle
