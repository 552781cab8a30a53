#include "devices/executor/workspace.hpp"

#include <algorithm>
#include <cassert>

namespace shingle {

void StripBuffers::reserve(const StripNeeds& needs) {
  output.reserve(needs.output_bytes);
  input.reserve(needs.input_bytes);
}

void ThreadScratch::reserve(const ThreadNeeds& needs) {
  floats.reserve(needs.bytes);
  output_rows.reserve(needs.output_rows);
  added_rows.reserve(needs.output_rows);
  input_rows.reserve(needs.input_rows);
  inputs.reserve(needs.inputs);
}

WorkNeeds larger(const WorkNeeds& a, const WorkNeeds& b) {
  return {.strips = {.input_bytes = std::max(a.strips.input_bytes, b.strips.input_bytes),
                     .output_bytes = std::max(a.strips.output_bytes, b.strips.output_bytes)},
          .thread = {.bytes = std::max(a.thread.bytes, b.thread.bytes),
                     .input_rows = std::max(a.thread.input_rows, b.thread.input_rows),
                     .output_rows = std::max(a.thread.output_rows, b.thread.output_rows),
                     .inputs = std::max(a.thread.inputs, b.thread.inputs)}};
}

Workspace::Workspace(MemoryAccount& account, int thread_count) : strips(account) {
  assert(thread_count >= 1);
  for (int i = 0; i < thread_count; ++i)
    threads.push_back(std::make_unique<ThreadScratch>(account));
}

void Workspace::reserve(const WorkNeeds& needs) {
  for (const auto& each : threads) each->reserve(needs.thread);
  strips.reserve(needs.strips);
}

}  // namespace shingle
