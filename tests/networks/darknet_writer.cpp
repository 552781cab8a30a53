#include "tests/networks/darknet_writer.hpp"

#include <cmath>

namespace shingle::networks {

namespace {

template <class T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

DarknetWriter::DarknetWriter(Shape input, uint64_t seed) : random_(seed), shapes_{input} {
  files_.cfg = "[net]\n";
  option("width", input.w);
  option("height", input.h);
  option("channels", input.c);
  for (const int32_t part : {0, 2, 5}) append(files_.weights, part);
  append(files_.weights, uint64_t{32'013'312});  // images seen
}

void DarknetWriter::begin(std::string_view kind) {
  files_.cfg.append("\n[").append(kind).append("]\n");
}

void DarknetWriter::option(std::string_view key, std::string_view value) {
  files_.cfg.append(key).append("=").append(value).append("\n");
}

void DarknetWriter::option(std::string_view key, int64_t value) {
  option(key, std::to_string(value));
}

void DarknetWriter::write(float value) { append(files_.weights, value); }

void DarknetWriter::write_uniform(int64_t count, float low, float high) {
  for (int64_t i = 0; i < count; ++i) write(random_.uniform(low, high));
}

void DarknetWriter::write_weights(int64_t count, int64_t fan_in, float gain) {
  const float deviation = gain * std::sqrt(2.0F / static_cast<float>(fan_in));
  for (int64_t i = 0; i < count; ++i) write(random_.normal() * deviation);
}

// Scales, means, variances.
void DarknetWriter::write_statistics(int32_t channels) {
  std::vector<float> variances(static_cast<size_t>(channels));
  for (float& variance : variances) variance = random_.uniform(0.5F, 2.0F);
  for (const float variance : variances) write(std::sqrt(variance) * random_.uniform(0.8F, 1.2F));
  write_uniform(channels, -0.2F, 0.2F);
  for (const float variance : variances) write(variance);
}

void DarknetWriter::convolutional(const DarknetConvolution& options) {
  begin("convolutional");
  if (options.normalise) option("batch_normalize", 1);
  option("filters", options.filters);
  option("size", options.size);
  option("stride", options.stride);
  option("pad", 1);
  if (options.groups != 1) option("groups", options.groups);
  option("activation", options.activation);
  const int64_t fan_in = int64_t{last().c} / options.groups * options.size * options.size;
  write_uniform(options.filters, -0.1F, 0.1F);
  if (options.normalise) write_statistics(options.filters);
  write_weights(fan_in * options.filters, fan_in, options.gain);
  const Window window{options.size, options.stride, 1, options.size / 2, options.size / 2};
  shapes_.push_back(
      {output_size(window, last().h), output_size(window, last().w), options.filters});
}

void DarknetWriter::connected(int32_t outputs, std::string_view activation, bool normalise) {
  begin("connected");
  if (normalise) option("batch_normalize", 1);
  option("output", outputs);
  option("activation", activation);
  write_uniform(outputs, -0.1F, 0.1F);
  write_weights(last().elements() * outputs, last().elements(), 1.0F);
  if (normalise) write_statistics(outputs);
  shapes_.push_back({1, 1, outputs});
}

void DarknetWriter::maxpool(int32_t size, int32_t stride) {
  begin("maxpool");
  option("size", size);
  option("stride", stride);
  shapes_.push_back({(last().h - 1) / stride + 1, (last().w - 1) / stride + 1, last().c});
}

void DarknetWriter::avgpool() {
  begin("avgpool");
  shapes_.push_back({1, 1, last().c});
}

void DarknetWriter::upsample(int32_t stride) {
  begin("upsample");
  option("stride", stride);
  shapes_.push_back({last().h * stride, last().w * stride, last().c});
}

void DarknetWriter::reorg(int32_t stride) {
  begin("reorg");
  option("stride", stride);
  shapes_.push_back({last().h / stride, last().w / stride, last().c * stride * stride});
}

void DarknetWriter::route(const std::vector<int32_t>& sources, int32_t groups, int32_t group) {
  begin("route");
  std::string list;
  Shape joined{0, 0, 0};
  for (const int32_t source : sources) {
    list.append(list.empty() ? "" : ", ").append(std::to_string(source));
    const Shape read =
        shapes_[static_cast<size_t>(source < 0 ? layers() + source + 1 : source + 1)];
    joined = {read.h, read.w, joined.c + read.c / groups};
  }
  option("layers", list);
  if (groups != 1) option("groups", groups);
  if (groups != 1) option("group_id", group);
  shapes_.push_back(joined);
}

void DarknetWriter::shortcut(int32_t from, std::string_view activation) {
  begin("shortcut");
  option("from", from);
  option("activation", activation);
  shapes_.push_back(last());
}

void DarknetWriter::section(std::string_view kind, std::string_view options) {
  begin(kind);
  files_.cfg.append(options).append("\n");
  shapes_.push_back(last());
}

}  // namespace shingle::networks
