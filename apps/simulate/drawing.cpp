#include "apps/simulate/drawing.hpp"

#include <array>
#include <cmath>
#include <cstdio>

namespace shingle {
namespace {

// Short: a page has thousands of them.
std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  std::string out = text;
  while (out.ends_with('0')) out.pop_back();
  if (out.ends_with('.')) out.pop_back();
  return out == "-0" ? "0" : out;
}

std::string attribute(const char* name, const std::string& value) {
  std::string text(" ");
  return text.append(name).append("=\"").append(value).append("\"");
}

const char* name_of(Svg::Anchor anchor) {
  switch (anchor) {
    case Svg::Anchor::start:
      return "start";
    case Svg::Anchor::middle:
      return "middle";
    case Svg::Anchor::end:
      break;
  }
  return "end";
}

}  // namespace

std::string escaped(const std::string& text) {
  std::string out;
  for (const char letter : text) {
    if (letter == '&')
      out += "&amp;";
    else if (letter == '<')
      out += "&lt;";
    else if (letter == '>')
      out += "&gt;";
    else if (letter == '"')
      out += "&quot;";
    else
      out += letter;
  }
  return out;
}

Svg::Svg(double width, double height, const std::string& label)
    : width_(width), height_(height), label_(label) {}

void Svg::box(const Box& box, const std::string& fill, const std::string& title,
              const std::string& more) {
  body_ += "<rect" + attribute("x", number(box.x)) + attribute("y", number(box.y)) +
           attribute("width", number(box.width)) + attribute("height", number(box.height)) +
           attribute("fill", fill) + more;
  body_ += title.empty() ? "/>" : "><title>" + escaped(title) + "</title></rect>";
}

void Svg::line(double x1, double y1, double x2, double y2, const std::string& style) {
  body_ += "<line" + attribute("x1", number(x1)) + attribute("y1", number(y1)) +
           attribute("x2", number(x2)) + attribute("y2", number(y2)) + attribute("class", style) +
           "/>";
}

void Svg::words(double x, double y, Anchor anchor, const std::string& style,
                const std::string& text) {
  body_ += "<text" + attribute("x", number(x)) + attribute("y", number(y)) +
           attribute("text-anchor", name_of(anchor)) + attribute("class", style) + ">" +
           escaped(text) + "</text>";
}

std::string Svg::str() const {
  return "<svg viewBox=\"0 0 " + number(width_) + " " + number(height_) +
         "\" role=\"img\" aria-label=\"" + escaped(label_) + "\">" + body_ + "</svg>\n";
}

std::vector<double> ticks(double low, double high, int about) {
  if (!(high > low) || about < 1) return {low};
  const double rough = (high - low) / about;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10.0 * power;
  for (const double factor : {5.0, 2.0, 1.0})
    if (factor * power >= rough) step = factor * power;
  std::vector<double> result;
  for (double at = std::ceil(low / step - 1e-9) * step; at <= high + 1e-9 * step; at += step)
    result.push_back(std::abs(at) < 1e-9 * step ? 0.0 : at);
  return result;
}

const std::string& colour(size_t index) {
  static const auto& colours = *new std::array<std::string, 8>{
      "#4e79a7", "#f28e2b", "#59a14f", "#b07aa1", "#76b7b2", "#e15759", "#d4a72c", "#9c755f"};
  return colours[index % colours.size()];
}

std::string page_style() {
  return R"css(
:root { color-scheme: light; --ink: #1f2933; --soft: #616e7c; --rule: #d9e2ec; }
* { box-sizing: border-box; }
body { margin: 0; background: #f5f7fa; color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { max-width: 1060px; margin: 0 auto; padding: 32px 20px 60px; }
h1 { font-size: 27px; line-height: 1.2; margin: 0 0 4px; }
h2 { font-size: 17px; margin: 0 0 2px; }
p { margin: 0 0 10px; }
.lead, .note { color: var(--soft); }
.note { font-size: 13px; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(148px, 1fr)); gap: 12px;
  margin: 20px 0; }
.card, section { background: #fff; border: 1px solid var(--rule); border-radius: 10px; }
.card { padding: 12px 16px; }
.card b { display: block; font-size: 24px; font-weight: 650; line-height: 1.25; }
.card span { color: var(--soft); font-size: 13px; }
.card i { font-style: normal; font-size: 13px; color: var(--soft); font-weight: 400; }
section { padding: 18px 20px 14px; margin: 14px 0; }
svg { display: block; width: 100%; height: auto; margin-top: 8px; }
svg text { font-size: 12px; fill: var(--ink); }
svg text.soft { fill: var(--soft); font-size: 11px; }
svg text.strong { font-weight: 650; }
svg text.inside { fill: #fff; font-size: 11px; font-weight: 600; }
svg line.rule { stroke: var(--rule); stroke-width: 1; }
svg line.axis { stroke: #9aa5b1; stroke-width: 1; }
svg line.mark { stroke: #1f2933; stroke-width: 1.4; stroke-dasharray: 4 3; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 13.5px; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: 5px 10px; border-bottom: 1px solid var(--rule); white-space: nowrap; }
th { color: var(--soft); font-weight: 600; }
th:first-child, td:first-child { text-align: left; }
tr:last-child td { border-bottom: 0; }
td i { font-style: normal; color: var(--soft); }
ul { margin: 4px 0 8px; padding-left: 20px; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 16px; font-size: 13px; margin-top: 6px; }
.legend span::before { content: ""; display: inline-block; width: 11px; height: 11px;
  border-radius: 3px; margin-right: 6px; background: var(--c); vertical-align: -1px; }
.pair { display: grid; align-items: start; grid-template-columns: repeat(auto-fit, minmax(400px, 1fr)); gap: 14px; }
.pair section { margin: 0; }
code { font-size: 12.5px; overflow-wrap: anywhere; }
)css";
}

}  // namespace shingle
