#include "apps/sweep/sweep_report.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "sim/sweep/figures.hpp"

namespace shingle {
namespace {

using namespace sim;
using Json = nlohmann::ordered_json;

constexpr size_t most_rows = 40;  // of the front, for people

const std::string& name_of(Objective objective) {
  return objective_names()[static_cast<size_t>(objective)];
}

std::string number(double value) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return {text, end};
}

// With three or four digits that count.
std::string short_number(double value, double like) {
  const double size = std::max(std::abs(like), 1e-9);
  const int digits = std::clamp(2 - static_cast<int>(std::floor(std::log10(size))), 0, 6);
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

// Columns as wide as their widest cell, numbers to the right.
class TextTable {
 public:
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string str() const {
    std::vector<size_t> widths;
    for (const auto& row : rows_)
      for (size_t i = 0; i < row.size(); ++i) {
        if (widths.size() <= i) widths.push_back(0);
        widths[i] = std::max(widths[i], row[i].size());
      }
    std::string text;
    for (const auto& row : rows_) {
      std::string line;
      for (size_t i = 0; i < row.size(); ++i)
        line += std::string(widths[i] - row[i].size(), ' ') + row[i] + "  ";
      while (line.ends_with(' ')) line.pop_back();
      text += line + "\n";
    }
    return text;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

std::string heading(Objective objective) {
  const std::string unit = unit_of(objective);
  return name_of(objective) + (unit.empty() ? "" : " " + unit);
}

std::string front_table(const SweepTable& table, const SweepAnalysis& analysis) {
  TextTable text;
  std::vector<std::string> names;
  for (const auto& axis : table.axes) names.push_back(axis.name);
  for (const Objective objective : table.figures) names.push_back(heading(objective));
  names.emplace_back("ties");
  text.add(names);
  bool marked = false;
  for (size_t row = 0; row < std::min(most_rows, analysis.front.size()); ++row) {
    const size_t place = analysis.front[row];
    const DesignResult& result = table.results[analysis.feasible[place]];
    std::vector<std::string> cells;
    for (size_t i = 0; i < table.axes.size(); ++i)
      cells.push_back(table.axes[i].values[result.design[i]]);
    for (const Interval& figure : analysis.figures[place]) cells.push_back(figure_text(figure));
    cells.push_back(std::to_string(analysis.ties[row].size()) +
                    (result.extrapolated.empty() ? " " : "*"));
    marked = marked || !result.extrapolated.empty();
    text.add(cells);
  }
  std::string out = text.str();
  if (analysis.front.size() > most_rows)
    out += std::string("... and ") + std::to_string(analysis.front.size() - most_rows) +
           " more; --csv, --lines and --page have them all\n";
  if (marked) out += "* extrapolated: no measured table has it; --lines says what\n";
  return out;
}

std::string effect_table(const SweepTable& table, const SweepAnalysis& analysis) {
  TextTable text;
  std::vector<std::string> names{""};
  for (const Objective objective : table.figures) names.push_back(name_of(objective));
  text.add(names);
  std::vector<size_t> order;
  for (size_t i = 0; i < table.axes.size(); ++i) order.push_back(i);
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    return analysis.effects.front()[a].share > analysis.effects.front()[b].share;
  });
  for (const size_t axis : order) {
    std::vector<std::string> cells{table.axes[axis].name};
    for (const auto& effects : analysis.effects) {
      char share[32];
      std::snprintf(share, sizeof share, "%.1f %%", 100.0 * effects[axis].share);
      cells.emplace_back(share);
    }
    text.add(cells);
  }
  return text.str();
}

// By design, in the order of results: its place on the front, if it has one.
std::vector<bool> on_front(const SweepTable& table, const SweepAnalysis& analysis) {
  std::vector<bool> marks(table.results.size(), false);
  for (const size_t place : analysis.front) marks[analysis.feasible[place]] = true;
  return marks;
}

Json json_of(const SweepTable& table, const DesignResult& result) {
  Json design = Json::object();
  for (size_t i = 0; i < table.axes.size(); ++i)
    design[table.axes[i].name] = table.axes[i].values[result.design[i]];
  return design;
}

void add_figures(Json& out, const SweepTable& table, const std::vector<Interval>& figures) {
  for (size_t i = 0; i < figures.size(); ++i)
    out[name_of(table.figures[i])] = {{"mean", figures[i].mean},
                                      {"half_width", figures[i].half_width},
                                      {"runs", figures[i].values}};
}

}  // namespace

std::string figure_text(const Interval& interval) {
  std::string text = short_number(interval.mean, interval.mean);
  if (interval.values > 1 && interval.half_width > 0.0)
    text += " +/- " + short_number(interval.half_width, interval.mean);
  return text;
}

std::string report_text(const SweepHeader& header, const SweepAnalysis& analysis) {
  const SweepTable& table = header.table;
  const size_t without = table.results.size() - analysis.feasible.size();
  std::string out = table.title + "\n" + std::to_string(table.results.size()) + " designs, " +
                    std::to_string(table.seeds) + (table.seeds == 1 ? " run" : " runs") +
                    " of each where something is drawn";
  if (without > 0) {
    const auto first = std::ranges::find_if(
        table.results, [](const DesignResult& result) { return !result.failure.empty(); });
    out += std::string("; ") + std::to_string(without) +
           " without a result, such as: " + first->failure;
  }
  char volume[64];
  std::snprintf(volume, sizeof volume, "%.4f", analysis.hypervolume);
  out +=
      "\n\nThe front: no other design is better in one and at least as good in all. Ties: designs "
      "that the\n95 % interval of the difference does not tell apart.\n\n" +
      front_table(table, analysis) + "\nHypervolume " + volume +
      " of 1, between the best and the worst of each objective\n\n" +
      "What matters most: the share of the variance that each axis explains alone\n\n" +
      effect_table(table, analysis) + "\n" + header.program + ", sweep " +
      header.identity.substr(0, 16) + "\n";
  return out;
}

Json report_json(const SweepHeader& header, const SweepAnalysis& analysis) {
  const SweepTable& table = header.table;
  Json front = Json::array();
  for (size_t row = 0; row < analysis.front.size(); ++row) {
    const size_t place = analysis.front[row];
    const DesignResult& result = table.results[analysis.feasible[place]];
    Json entry = {{"design", json_of(table, result)}};
    add_figures(entry, table, analysis.figures[place]);
    entry["ties"] = analysis.ties[row].size();
    if (!result.extrapolated.empty()) entry["extrapolated"] = result.extrapolated;
    front.push_back(std::move(entry));
  }
  Json matters = Json::object();
  for (size_t i = 0; i < table.figures.size(); ++i)
    for (size_t axis = 0; axis < table.axes.size(); ++axis)
      matters[name_of(table.figures[i])][table.axes[axis].name] = analysis.effects[i][axis].share;
  return {{"title", table.title},
          {"program", header.program},
          {"identity", header.identity},
          {"method", sweep_methods()[static_cast<size_t>(table.method)]},
          {"designs", table.results.size()},
          {"without_result", table.results.size() - analysis.feasible.size()},
          {"seeds", table.seeds},
          {"hypervolume", analysis.hypervolume},
          {"front", front},
          {"matters", matters}};
}

std::string report_csv(const SweepHeader& header, const SweepAnalysis& analysis) {
  const SweepTable& table = header.table;
  const auto quoted = [](const std::string& text) {
    std::string out = "\"";
    for (const char letter : text)
      out += letter == '"' ? std::string("\"\"") : std::string(1, letter);
    return out + "\"";
  };
  std::string out;
  for (const auto& axis : table.axes) out += quoted(axis.name) + ",";
  for (const Objective objective : table.figures)
    out += name_of(objective) + "," + name_of(objective) + "_half_width,";
  out += "front,extrapolated,failure\n";
  const std::vector<bool> front = on_front(table, analysis);
  size_t place = 0;  // in feasible
  for (size_t i = 0; i < table.results.size(); ++i) {
    const DesignResult& result = table.results[i];
    for (size_t axis = 0; axis < table.axes.size(); ++axis)
      out += quoted(table.axes[axis].values[result.design[axis]]) + ",";
    if (result.figures.empty()) {
      out += std::string(2 * table.figures.size(), ',');
    } else {
      for (const Interval& figure : analysis.figures[place])
        out += number(figure.mean) + "," + number(figure.half_width) + ",";
      ++place;
    }
    out += std::string(front[i] ? "1," : "0,") + quoted(result.extrapolated) + "," +
           quoted(result.failure) + "\n";
  }
  return out;
}

std::string report_lines(const SweepHeader& header, const SweepAnalysis& analysis) {
  const SweepTable& table = header.table;
  const std::vector<bool> front = on_front(table, analysis);
  std::string out;
  size_t place = 0;
  for (size_t i = 0; i < table.results.size(); ++i) {
    const DesignResult& result = table.results[i];
    Json line = {{"design", json_of(table, result)}};
    if (result.figures.empty())
      line["failure"] = result.failure;
    else
      add_figures(line, table, analysis.figures[place++]);
    line["front"] = static_cast<bool>(front[i]);
    if (!result.extrapolated.empty()) line["extrapolated"] = result.extrapolated;
    out += line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  return out;
}

}  // namespace shingle
