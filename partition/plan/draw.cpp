// Draws a plan: for each block what it computes, then its largest output map as a grid of tiles. A
// cell shows the tile and its home node, then the rows and columns of the map that it makes, then
// those of the block's largest input that it reads (only their sizes if cells are narrow):
//
//     +-----------------+-----------------+        +--------+--------+--------+
//     | 0        node 1 | 1        node 1 |        | 0   n1 | 1   n1 | 2   n2 |
//     | 0..13, 0..26    | 0..13, 26..52   |        | 13x26  | 13x26  | 13x26  |
//     | 0..15, 0..28    | 0..15, 24..52   |        | 15x28  | 15x30  | 15x30  |
//     +-----------------+-----------------+        +--------+--------+--------+
#include <algorithm>
#include <cstdio>

#include "partition/plan/plan.hpp"
#include "partition/plan/plan_summary.hpp"

namespace shingle {
namespace {

constexpr int margin = 9;              // where text and maps begin
constexpr int narrowest_cell = 8;      // inside of a cell of sizes
constexpr int widest_cell = 30;        // a wider cell would only add blanks
constexpr size_t most_grid_rows = 16;  // of one map; the others are only counted

std::string fixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

// 1234567 -> "1.23 M"
std::string scaled(int64_t count) {
  const char* const units[] = {"", " k", " M", " G", " T", " P"};
  double value = static_cast<double>(count);
  size_t unit = 0;
  while (value >= 1000.0 && unit + 1 < std::size(units)) value /= 1000.0, ++unit;
  if (unit == 0) return std::to_string(count) + " ";
  return fixed(value, value >= 100.0 ? 0 : value >= 10.0 ? 1 : 2) + units[unit];
}

std::string percent(double part) { return fixed(part * 100.0, 1) + " %"; }

std::string fit(std::string text, int width) {
  const auto size = static_cast<size_t>(std::max(width, 0));
  if (text.size() > size) text.resize(size);
  text.append(size - text.size(), ' ');
  return text;
}

std::string count_of(size_t count, const char* one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

class Picture {
 public:
  Picture(const Plan& plan, const Model& model, int columns)
      : plan_(plan), model_(model), columns_(std::max(columns, 40)) {}

  std::string text() {
    line("", "plan " + short_name(hash_of(plan_)) + " for model " + short_name(plan_.model) + ": " +
                 count_of(plan_.blocks.size(), "block") + ", " +
                 count_of(static_cast<size_t>(tile_count(plan_)), "tile") + " on " +
                 count_of(homes(plan_).size(), "node"));
    for (size_t i = 0; i < plan_.blocks.size(); ++i) block(i);
    totals();
    return std::move(text_);
  }

 private:
  // A label in the margin and text after it; text that is too long continues on the next line.
  void line(const std::string& label, std::string words) {
    std::string start = label.empty() && text_.empty() ? "" : fit(label, margin);
    while (true) {
      const size_t room = static_cast<size_t>(columns_) - start.size();
      size_t end = words.size();
      if (end > room) {
        end = words.rfind(' ', room);
        if (end == std::string::npos || end == 0) end = room;
      }
      put(start + words.substr(0, end));
      if (end >= words.size()) return;
      words.erase(0, words[end] == ' ' ? end + 1 : end);
      start = fit("", margin);
    }
  }

  void put(std::string row) {
    row.erase(row.find_last_not_of(' ') + 1);
    text_.append(row).push_back('\n');
  }

  std::string tensors(const std::vector<TensorId>& ids) const {
    std::string list;
    for (TensorId id : ids) {
      const Tensor& tensor = model_.at(id);
      list += (list.empty() ? "" : ", ") + short_tensor_name(tensor.name) + " " +
              to_string(tensor.shape) + (tensor.type == ElementType::u8 ? " u8" : "");
    }
    return list;
  }

  // Names from exporters are paths; their ends differ.
  static std::string short_tensor_name(const std::string& name) {
    constexpr size_t most = 32;
    return name.size() <= most ? name : "..." + name.substr(name.size() - (most - 3));
  }

  std::string layer_list(const FusedBlock& block) const {
    if (block.layers.empty()) return "no layers";
    const Layer& first = model_.at(block.layers.front().id);
    const Layer& last = model_.at(block.layers.back().id);
    return count_of(block.layers.size(), "layer") + ", " +
           std::to_string(block.layers.front().id.value) + " (" + name_of(first.op) + ") to " +
           std::to_string(block.layers.back().id.value) + " (" + name_of(last.op) + ")";
  }

  void block(size_t index) {
    const FusedBlock& block = plan_.blocks[index];
    const int64_t needed = layer_macs(model_, block);
    int64_t computed = 0;
    for (const Tile& tile : block.tiles) computed += tile.macs;
    const int64_t all = std::max<int64_t>(1, total_macs(model_));
    put("");
    line("block " + std::to_string(index), layer_list(block));
    std::string work = scaled(needed) + "MAC, " +
                       percent(static_cast<double>(needed) / static_cast<double>(all)) +
                       " of the model";
    if (needed > 0) {
      work += "; halos add " +
              percent(static_cast<double>(computed) / static_cast<double>(needed) - 1.0);
    }
    line("", work);
    line("  reads", tensors(block_inputs(model_, block)));
    line("  makes", tensors(block_outputs(model_, block)));
    if (!block.tiles.empty()) map(block);
  }

  // The tensor of which all tiles together have the largest slices.
  static TensorId largest(const FusedBlock& block, std::vector<Slice> Tile::*list) {
    std::vector<std::pair<TensorId, int64_t>> held;
    for (const Tile& tile : block.tiles) {
      for (const Slice& slice : tile.*list) {
        const auto at = std::find_if(held.begin(), held.end(),
                                     [&](const auto& h) { return h.first == slice.tensor; });
        if (at == held.end()) {
          held.emplace_back(slice.tensor, slice.region.elements());
        } else {
          at->second += slice.region.elements();
        }
      }
    }
    const auto most = std::max_element(
        held.begin(), held.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == held.end() ? TensorId{} : most->first;
  }

  // The lines of one tile's cell, without its frame.
  struct Cell {
    std::string tile, node, made, read;
  };

  static const Region* on(const std::vector<Slice>& slices, TensorId tensor) {
    for (const Slice& slice : slices) {
      if (slice.tensor == tensor) return &slice.region;
    }
    return nullptr;
  }

  static std::string ranges(const Region* region) {
    return region ? to_string(region->y) + ", " + to_string(region->x) : "nothing";
  }

  static std::string sizes(const Region* region) {
    if (!region) return "-";
    return std::to_string(region->y.size()) + "x" + std::to_string(region->x.size());
  }

  static std::vector<Cell> cells(const FusedBlock& block, TensorId made, TensorId read, bool wide) {
    const auto place = wide ? ranges : sizes;
    std::vector<Cell> cells;
    for (const Tile& tile : block.tiles) {
      cells.push_back({std::to_string(tile.id.value),
                       (wide ? "node " : "n") + std::to_string(tile.home.value),
                       place(on(tile.outputs, made)), place(on(tile.inputs, read))});
    }
    return cells;
  }

  static int needed_width(const std::vector<Cell>& cells) {
    size_t width = 0;
    for (const Cell& cell : cells) {
      width = std::max(
          {width, cell.tile.size() + 1 + cell.node.size(), cell.made.size(), cell.read.size()});
    }
    return static_cast<int>(width);
  }

  // Number of tiles in the first row of the grid.
  static size_t grid_columns(const FusedBlock& block, TensorId tensor) {
    const auto rows = [&](const Tile& tile) {
      const Region* region = on(tile.outputs, tensor);
      return region ? region->y : Span{};
    };
    size_t columns = 1;
    while (columns < block.tiles.size() && rows(block.tiles[columns]) == rows(block.tiles[0])) {
      ++columns;
    }
    return columns;
  }

  void map(const FusedBlock& block) {
    const TensorId made = largest(block, &Tile::outputs), read = largest(block, &Tile::inputs);
    const int columns = static_cast<int>(grid_columns(block, made));
    const size_t rows =
        (block.tiles.size() + static_cast<size_t>(columns) - 1) / static_cast<size_t>(columns);
    const int room = columns_ - margin - 1;
    int width = std::min(widest_cell, room / columns - 3);
    std::vector<Cell> all = cells(block, made, read, true);
    if (needed_width(all) > width) {
      all = cells(block, made, read, false);
      width = std::max({narrowest_cell, width, needed_width(all)});
    }
    line("  tiles", std::to_string(rows) + " x " + std::to_string(columns) + " of " +
                        tensors({made}) + ", reading " + tensors({read}));
    const int abreast = std::max(1, room / (width + 3));
    for (size_t row = 0; row < std::min(rows, most_grid_rows); ++row) {
      const size_t first = row * static_cast<size_t>(columns);
      const size_t count = std::min(static_cast<size_t>(columns), all.size() - first);
      grid_row({&all[first], count}, static_cast<size_t>(abreast), width);
    }
    border(std::min({static_cast<size_t>(columns), static_cast<size_t>(abreast), all.size()}),
           width);
    if (rows > most_grid_rows) {
      line("", "... and " + std::to_string(rows - most_grid_rows) +
                   (rows == most_grid_rows + 1 ? " more row like these" : " more rows like these"));
    }
  }

  void border(size_t cells, int width) {
    std::string row = fit("", margin) + "+";
    for (size_t i = 0; i < cells; ++i) {
      row += std::string(static_cast<size_t>(width) + 2, '-') + "+";
    }
    put(row);
  }

  // One row of the grid; broken into several if it is wider than the page.
  void grid_row(std::span<const Cell> row, size_t abreast, int width) {
    for (size_t first = 0; first < row.size(); first += abreast) {
      const size_t count = std::min(abreast, row.size() - first);
      border(std::min(abreast, row.size()), width);
      std::string text[3];
      for (const Cell& cell : row.subspan(first, count)) {
        const int gap = width - static_cast<int>(cell.node.size());
        text[0] += "| " + fit(cell.tile, gap) + cell.node + " ";
        text[1] += "| " + fit(cell.made, width) + " ";
        text[2] += "| " + fit(cell.read, width) + " ";
      }
      for (const std::string& part : text) put(fit("", margin) + part + "|");
    }
  }

  void totals() {
    const PlanSummary summary = summarize(plan_, model_);
    const Prediction& predicted = plan_.predicted;
    put("");
    line("total", count_of(static_cast<size_t>(summary.tiles), "tile") + ": " +
                      scaled(summary.macs) + "MAC for the model's " + scaled(summary.model_macs) +
                      "MAC, halos add " + percent(summary.redundancy));
    line("", percent(summary.spread_share) + " of the MACs in blocks of 4 or more tiles");
    line("", scaled(predicted.wire_bytes) + "B on the wires per frame, at most " +
                 scaled(predicted.peak_bytes) + "B on a node");
    line("", "predicted " + fixed(in_nanoseconds(predicted.latency) * 1e-6, 1) +
                 " ms a frame, a frame every " + fixed(in_nanoseconds(predicted.period) * 1e-6, 1) +
                 " ms");
    for (const NodeShare& node : summary.nodes) {
      const auto bar = static_cast<size_t>(node.share * 40.0 + 0.5);
      line("node " + std::to_string(node.node.value),
           fit(count_of(static_cast<size_t>(node.tiles), "tile"), 11) +
               fit(percent(node.share), 8) + std::string(bar, '#'));
    }
  }

  const Plan& plan_;
  const Model& model_;
  const int columns_;
  std::string text_;
};

}  // namespace

std::string draw(const Plan& plan, const Model& model, int columns) {
  return Picture(plan, model, columns).text();
}

}  // namespace shingle
