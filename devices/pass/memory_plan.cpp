#include "devices/pass/memory_plan.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <iterator>

#include "devices/pass/tile_pass.hpp"

namespace shingle {

namespace {

std::string megabytes(int64_t bytes) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f MB", static_cast<double>(bytes) * 1e-6);
  return text.data();
}

// Bytes in use while each strip runs.
std::vector<int64_t> bytes_by_strip(const MemoryPlan& plan) {
  std::vector<int64_t> bytes(plan.strips, 0);
  for (const MemoryPlan::Buffer& buffer : plan.buffers) {
    for (size_t i = buffer.first_strip; i <= buffer.last_strip; ++i) bytes[i] += buffer.bytes;
  }
  return bytes;
}

// The buffers that live while most bytes are in use, the largest first.
std::string fullest(const MemoryPlan& plan) {
  const std::vector<int64_t> bytes = bytes_by_strip(plan);
  const auto peak = static_cast<size_t>(std::ranges::max_element(bytes) - bytes.begin());
  std::vector<MemoryPlan::Buffer> live;
  std::ranges::copy_if(plan.buffers, std::back_inserter(live), [&](const auto& buffer) {
    return buffer.first_strip <= peak && peak <= buffer.last_strip;
  });
  std::ranges::stable_sort(live, std::greater{}, &MemoryPlan::Buffer::bytes);
  std::string text = "in use at once, in strip " + std::to_string(peak) + ":\n";
  for (const MemoryPlan::Buffer& buffer : live)
    text += "  " + megabytes(buffer.bytes) + "  " + std::to_string(buffer.rows) + " of " +
            std::to_string(buffer.of_rows) + " rows  " + buffer.map + "\n";
  return text;
}

std::string line_of(const MemoryPlan::Buffer& buffer, const std::string& life) {
  std::array<char, 128> text{};
  std::snprintf(text.data(), text.size(), "%10lld %11s %5d of %-5d %-28.28s |",
                static_cast<long long>(buffer.offset), megabytes(buffer.bytes).c_str(), buffer.rows,
                buffer.of_rows, buffer.map.c_str());
  return text.data() + life + "|\n";
}

// How much of the arena is in use, from 0 to 9, a tenth each; the fullest strip of each column.
std::string filling(const MemoryPlan& plan, size_t width) {
  const std::vector<int64_t> bytes = bytes_by_strip(plan);
  std::string line(width, '0');
  for (size_t i = 0; i < bytes.size(); ++i) {
    const int64_t tenth = bytes[i] * 10 / std::max<int64_t>(plan.arena_bytes, 1);
    char& column = line[i * width / bytes.size()];
    column = std::max(column, static_cast<char>('0' + std::min<int64_t>(tenth, 9)));
  }
  return line;
}

// Written where the caller wants it.
bool is_output(const TileProgram& program, const Slice& map) {
  return std::find(program.outputs.begin(), program.outputs.end(), map) != program.outputs.end();
}

}  // namespace

int64_t layer_wise_bytes(const Model& model, const TileProgram& program) {
  const size_t nobody = program.steps.size();
  std::vector<size_t> last_reader(model.tensors.size(), nobody);
  for (size_t i = 0; i < program.steps.size(); ++i) {
    for (TensorId input : model.at(program.steps[i].layer).inputs) last_reader[input.value] = i;
  }
  std::vector<int64_t> freed(program.steps.size() + 1, 0);  // by the step that reads last
  int64_t held = 0, most = 0;
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const TensorId map = model.at(program.steps[i].layer).output;
    if (!is_output(program, {map, program.steps[i].output})) {
      const int64_t bytes = bytes_of(program.steps[i].output, ElementType::f32);
      held += bytes;
      freed[last_reader[map.value]] += bytes;
    }
    most = std::max(most, held);
    held -= freed[i];
  }
  return most;
}

MemoryPlan memory_plan(const Model& model, const TilePass& pass) {
  MemoryPlan plan{.buffers = {},
                  .strips = pass.strips.size(),
                  .arena_bytes = pass.arena_bytes,
                  .live_bytes = 0,
                  .layer_wise_bytes = layer_wise_bytes(model, pass.program)};
  for (const TensorPlace& place : pass.places) {
    if (place.kind != TensorPlace::Kind::arena) continue;
    const std::string packed = place.kept ? " (packed)" : "";
    plan.buffers.push_back({.map = model.at(place.tensor).name + packed,
                            .offset = place.offset,
                            .bytes = bytes_of(place),
                            .rows = place.rows,
                            .of_rows = rows_of(place.held).size(),
                            .first_strip = place.first_strip,
                            .last_strip = place.last_strip});
  }
  std::stable_sort(plan.buffers.begin(), plan.buffers.end(),
                   [](const auto& a, const auto& b) { return a.first_strip < b.first_strip; });
  for (const int64_t bytes : bytes_by_strip(plan)) {
    plan.live_bytes = std::max(plan.live_bytes, bytes);
  }
  return plan;
}

std::string draw(const MemoryPlan& plan, size_t width) {
  const size_t columns = std::min(width, std::max<size_t>(plan.strips, 1));
  std::string text = "  bytes at        size   rows stored  map";
  text += std::string(27, ' ') + "strips 0 to " + std::to_string(plan.strips) + "\n";
  for (const MemoryPlan::Buffer& buffer : plan.buffers) {
    std::string life(columns, '.');
    for (size_t i = buffer.first_strip; i <= buffer.last_strip; ++i) {
      life[i * columns / plan.strips] = '#';
    }
    text += line_of(buffer, life);
  }
  text += std::string(43, ' ') + "tenths of the arena in use |" + filling(plan, columns) + "|\n";
  if (!plan.buffers.empty()) text += fullest(plan);
  return text + "arena " + megabytes(plan.arena_bytes) + " for " +
         std::to_string(plan.buffers.size()) + " maps; at most " + megabytes(plan.live_bytes) +
         " are in use at once; map by map " + megabytes(plan.layer_wise_bytes) + "\n";
}

}  // namespace shingle
