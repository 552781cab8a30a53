// The page of a sweep.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "apps/simulate/drawing.hpp"
#include "apps/sweep/sweep_report.hpp"
#include "sim/sweep/figures.hpp"

namespace shingle {
namespace {

using namespace sim;

constexpr size_t most_points = 6000;  // that a plot shows beside the front
constexpr double width = 1000.0, height = 460.0, left = 70.0, right = 20.0, top = 16.0,
                 bottom = 48.0;

template <class... Values>
std::string text(const char* format, Values... values) {
  char line[512];
  std::snprintf(line, sizeof line, format, values...);
  return line;
}

std::string named(Objective objective) {
  const std::string unit = unit_of(objective);
  return objective_names()[static_cast<size_t>(objective)] + (unit.empty() ? "" : ", " + unit);
}

std::string section(const std::string& title, const std::string& words, const std::string& body) {
  return "<section><h2>" + title + "</h2><p class=\"note\">" + words + "</p>" + body +
         "</section>\n";
}

std::string design_text(const SweepTable& table, const DesignResult& result) {
  std::string out;
  for (size_t i = 0; i < table.axes.size(); ++i)
    out += (i == 0 ? "" : ", ") + table.axes[i].name + " " + table.axes[i].values[result.design[i]];
  return out;
}

// A value's place along an axis of the picture.
struct Scale {
  double low = 0.0, high = 1.0, from = 0.0, to = 1.0;
  double operator()(double value) const {
    return from + (value - low) / std::max(1e-300, high - low) * (to - from);
  }
};

class FrontPlot {
 public:
  FrontPlot(const SweepTable& table, const SweepAnalysis& analysis, size_t x, size_t y)
      : table_(table),
        analysis_(analysis),
        x_(x),
        y_(y),
        svg_(width, height, named(table.figures[y]) + " over " + named(table.figures[x])) {
    x_scale_ = scale_of(x, left, width - right);
    y_scale_ = scale_of(y, height - bottom, top);
  }

  std::string str() {
    draw_axes();
    const size_t step = analysis_.feasible.size() / most_points + 1;
    for (size_t i = 0; i < analysis_.feasible.size(); i += step) dot(i, 1.6, "#b8c4d0", "");
    for (const auto& ties : analysis_.ties)
      for (size_t i = 0; i < std::min<size_t>(ties.size(), 50); ++i)
        dot(ties[i], 2.2, "#f2b04e", "tie: ");
    for (const size_t place : analysis_.front) dot(place, 4.2, colour(0), "front: ");
    return svg_.str();
  }

 private:
  double mean(size_t place, size_t objective) const {
    return analysis_.figures[place][objective].mean;
  }
  Scale scale_of(size_t objective, double from, double to) const {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < analysis_.figures.size(); ++i) {
      low = std::min(low, mean(i, objective));
      high = std::max(high, mean(i, objective));
    }
    const double margin = high > low ? 0.03 * (high - low) : 0.5;
    return {low - margin, high + margin, from, to};
  }
  void draw_axes() {
    for (const double value : ticks(x_scale_.low, x_scale_.high, 8)) {
      svg_.line(x_scale_(value), top, x_scale_(value), height - bottom, "rule");
      svg_.words(x_scale_(value), height - bottom + 18, Svg::Anchor::middle, "soft",
                 text("%g", value));
    }
    for (const double value : ticks(y_scale_.low, y_scale_.high, 6)) {
      svg_.line(left, y_scale_(value), width - right, y_scale_(value), "rule");
      svg_.words(left - 8, y_scale_(value) + 4, Svg::Anchor::end, "soft", text("%g", value));
    }
    svg_.words(width - right, height - 8, Svg::Anchor::end, "strong", named(table_.figures[x_]));
    svg_.words(left + 6, top + 12, Svg::Anchor::start, "strong", named(table_.figures[y_]));
  }
  void dot(size_t place, double radius, const std::string& fill, const std::string& what) {
    const std::string words =
        what.empty() ? std::string()
                     : what + design_text(table_, table_.results[analysis_.feasible[place]]) +
                           ": " + figure_text(analysis_.figures[place][x_]) + ", " +
                           figure_text(analysis_.figures[place][y_]);
    svg_.box({x_scale_(mean(place, x_)) - radius, y_scale_(mean(place, y_)) - radius, 2 * radius,
              2 * radius},
             fill, words, text(" rx=\"%.1f\"", radius));
  }

  const SweepTable& table_;
  const SweepAnalysis& analysis_;
  const size_t x_, y_;
  Svg svg_;
  Scale x_scale_, y_scale_;
};

// Of each axis a bar: how much of the variance it explains.
std::string effects_plot(const SweepTable& table, const SweepAnalysis& analysis, size_t objective) {
  constexpr double row = 26.0, names = 190.0, most = 700.0;
  Svg svg(width, row * static_cast<double>(table.axes.size()) + 6,
          "what matters most for " + named(table.figures[objective]));
  for (size_t axis = 0; axis < table.axes.size(); ++axis) {
    const double y = row * static_cast<double>(axis);
    const double share = analysis.effects[objective][axis].share;
    svg.words(names - 10, y + 17, Svg::Anchor::end, "", table.axes[axis].name);
    svg.box({names, y + 4, std::max(1.0, most * share), row - 8}, colour(objective));
    svg.words(names + most * share + 8, y + 17, Svg::Anchor::start, "soft",
              text("%.1f %%", 100.0 * share));
  }
  return svg.str();
}

// The mean over all designs with each value of the axis.
std::string means_plot(const SweepTable& table, const AxisEffect& effect, size_t axis,
                       size_t objective) {
  constexpr double tall = 190.0, floor = tall - 30.0;
  const std::vector<std::string>& values = table.axes[axis].values;
  Svg svg(width / 2, tall, named(table.figures[objective]) + " by " + table.axes[axis].name);
  double most = 0.0;
  for (const double mean : effect.means)
    if (!std::isnan(mean)) most = std::max(most, std::abs(mean));
  const double step = width / 2 / static_cast<double>(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (effect.counts[i] == 0) continue;
    const double x = step * static_cast<double>(i);
    const double bar = most > 0.0 ? (floor - 24.0) * std::abs(effect.means[i]) / most : 0.0;
    svg.box({x + 0.12 * step, floor - bar, 0.76 * step, bar}, colour(objective),
            values[i] + ": " + text("%g", effect.means[i]) + ", " +
                std::to_string(effect.counts[i]) + " designs");
    if (values.size() > 24) continue;
    svg.words(x + step / 2, floor + 16, Svg::Anchor::middle, "soft", values[i]);
    if (values.size() <= 12)
      svg.words(x + step / 2, floor - bar - 5, Svg::Anchor::middle, "soft",
                text("%.3g", effect.means[i]));
  }
  return svg.str();
}

std::string front_rows(const SweepTable& table, const SweepAnalysis& analysis) {
  std::string out = "<div class=\"wide\"><table><tr>";
  for (const auto& axis : table.axes) out += "<th>" + escaped(axis.name) + "</th>";
  for (const Objective objective : table.figures)
    out += "<th>" + escaped(named(objective)) + "</th>";
  out += "<th>ties</th><th></th></tr>";
  for (size_t row = 0; row < analysis.front.size(); ++row) {
    const size_t place = analysis.front[row];
    const DesignResult& result = table.results[analysis.feasible[place]];
    out += "<tr>";
    for (size_t i = 0; i < table.axes.size(); ++i)
      out += "<td>" + escaped(table.axes[i].values[result.design[i]]) + "</td>";
    for (const Interval& figure : analysis.figures[place])
      out += "<td>" + figure_text(figure) + "</td>";
    out += std::string("<td>") + std::to_string(analysis.ties[row].size()) + "</td><td>" +
           (result.extrapolated.empty() ? "" : "extrapolated: " + escaped(result.extrapolated)) +
           "</td></tr>";
  }
  return out + "</table></div>";
}

std::string card(const std::string& value, const std::string& name) {
  return "<div class=\"card\"><b>" + value + "</b><span>" + name + "</span></div>\n";
}

std::string cards(const SweepTable& table, const SweepAnalysis& analysis) {
  std::string out = card(std::to_string(table.results.size()), "designs") +
                    card(std::to_string(analysis.front.size()), "on the front") +
                    card(text("%.4f", analysis.hypervolume), "hypervolume, of 1");
  for (size_t i = 0; i < table.figures.size(); ++i) {
    const auto better = [&](const auto& a, const auto& b) {
      return is_larger_better(table.figures[i]) ? a[i].mean > b[i].mean : a[i].mean < b[i].mean;
    };
    const auto best = std::min_element(analysis.figures.begin(), analysis.figures.end(), better);
    out += card(figure_text((*best)[i]), "best " + escaped(named(table.figures[i])));
  }
  return "<div class=\"cards\">" + out + "</div>";
}

}  // namespace

std::string sweep_page(const SweepHeader& header, const SweepAnalysis& analysis) {
  const SweepTable& table = header.table;
  std::string out =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>" +
      escaped(table.title) + "</title><style>" + page_style() + "</style></head>\n<body><main>\n" +
      "<h1>" + escaped(table.title) + "</h1>\n<p class=\"lead\">" +
      sweep_methods()[static_cast<size_t>(table.method)] + ", " +
      std::to_string(table.results.size()) + " designs, " + std::to_string(table.seeds) +
      " runs of each where something is drawn. Simulated.</p>\n" + cards(table, analysis);
  const std::string legend =
      "<div class=\"legend\"><span style=\"--c:" + colour(0) +
      "\">on the front</span><span style=\"--c:#f2b04e\">a tie: chance alone tells it apart</span>"
      "<span style=\"--c:#b8c4d0\">others</span></div>";
  for (size_t y = 1; y < table.objectives; ++y)
    out += section("The front",
                   "No other design is better in one objective and at least as good in all. "
                   "Point at a design to read it.",
                   FrontPlot(table, analysis, 0, y).str() + legend);
  out += section("Designs on the front", "Intervals: 95 %, over the runs of a design",
                 front_rows(table, analysis));
  for (size_t i = 0; i < table.figures.size(); ++i) {
    std::string pictures = effects_plot(table, analysis, i) + "<div class=\"pair\">";
    for (size_t axis = 0; axis < table.axes.size(); ++axis)
      pictures += "<div><b>" + escaped(table.axes[axis].name) + "</b>" +
                  means_plot(table, analysis.effects[i][axis], axis, i) + "</div>";
    out += section("What matters most: " + escaped(named(table.figures[i])),
                   "The share of the variance over all designs that each axis explains alone, and "
                   "the mean over all designs with each of its values.",
                   pictures + "</div>");
  }
  return out + "<p class=\"note\">" + header.program + ", sweep <code>" + header.identity +
         "</code>.</p>\n</main></body></html>\n";
}

}  // namespace shingle
