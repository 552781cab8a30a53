#include "devices/pass/takeover.hpp"

#include <algorithm>
#include <map>

namespace shingle {

namespace {

// One use of a map by a strip. `row` is the end of the rows that the strip writes, or the first row
// that it reads; rows are counted from the first row of the map.
struct Use {
  size_t strip = 0;
  int32_t row = 0;
};

class Takeovers {
 public:
  Takeovers(const Model& model, const TilePass& pass)
      : model_(model), pass_(pass), written_(pass.places.size()), read_(pass.places.size()) {
    for (size_t i = 0; i < pass.strips.size(); ++i) note(i);
  }

  std::vector<std::optional<size_t>> find() const {
    std::map<std::pair<int64_t, int32_t>, std::vector<size_t>> alike;  // by bytes of a row, rows
    for (const PassStep& step : pass_.steps) {
      const TensorPlace& place = pass_.places[step.output];
      if (is_whole(place) && !written_[step.output].empty())
        alike[{bytes_of_row(place), place.rows}].push_back(step.output);
    }
    std::vector<std::optional<size_t>> taken(pass_.places.size());
    for (auto& [form, places] : alike) pair_up(places, taken);
    return taken;
  }

 private:
  static bool is_whole(const TensorPlace& place) {
    return place.kind == TensorPlace::Kind::arena && place.stored.box == place.held &&
           place.rows == rows_of(place.held).size() && place.rows > 1;
  }

  static int64_t bytes_of_row(const TensorPlace& place) {
    return bytes_of(with_rows(place.held, {0, 1}), ElementType::f32);
  }

  void note(size_t strip) {
    const PassStrip& planned = pass_.strips[strip];
    const PassStep& step = pass_.steps[planned.step];
    const auto first_row = [&](size_t place) { return rows_of(pass_.places[place].held).begin; };
    written_[step.output].push_back({strip, planned.rows.end - first_row(step.output)});
    for (size_t input = 0; input < step.inputs.size(); ++input) {
      const size_t place = step.inputs[input];
      if (pass_.places[place].kind != TensorPlace::Kind::arena) continue;
      const Region read = read_in_strip(model_, step, input, planned.rows);
      if (read.empty()) continue;
      const Span rows = read.*row_axis(pass_.places[place].held);
      read_[place].push_back({strip, rows.begin - first_row(place)});
    }
  }

  void pair_up(std::vector<size_t>& places, std::vector<std::optional<size_t>>& taken) const {
    std::ranges::stable_sort(places, {},
                             [&](size_t place) { return written_[place].front().strip; });
    std::vector<bool> gone(places.size(), false);
    for (size_t later = 0; later < places.size(); ++later) {
      for (size_t earlier = 0; earlier < later; ++earlier) {
        const bool in_order = places[earlier] < places[later];  // as their steps
        if (!in_order || gone[earlier] || !replaces(places[later], places[earlier])) continue;
        gone[earlier] = true;
        taken[places[later]] = places[earlier];
        break;
      }
    }
  }

  bool replaces(size_t later, size_t earlier) const {
    const std::vector<Use>&writes = written_[later], &reads = read_[earlier];
    const size_t begin = writes.front().strip;
    const bool together = !reads.empty() && reads.back().strip > begin;
    if (!together || written_[earlier].back().strip >= begin) return false;
    auto read = reads.rbegin();
    int32_t first_needed = INT32_MAX;  // in the strip of a write or behind it
    for (auto write = writes.rbegin(); write != writes.rend(); ++write) {
      for (; read != reads.rend() && read->strip >= write->strip; ++read)
        first_needed = std::min(first_needed, read->row);
      if (first_needed < write->row) return false;
    }
    return true;
  }

  const Model& model_;
  const TilePass& pass_;
  std::vector<std::vector<Use>> written_, read_;  // by place, in the order of the strips
};

}  // namespace

std::vector<std::optional<size_t>> takeovers(const Model& model, const TilePass& pass) {
  return Takeovers(model, pass).find();
}

}  // namespace shingle
