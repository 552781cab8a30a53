// Svg: a picture for a page, drawn with boxes, lines and words. Classes are those of page_style().
#pragma once

#include <string>
#include <vector>

namespace shingle {

// With &, <, > and quotes written so that HTML shows them.
std::string escaped(const std::string& text);

class Svg {
 public:
  // `label`: what a reader hears who does not see it.
  Svg(double width, double height, const std::string& label);

  struct Box {
    double x = 0.0, y = 0.0, width = 0.0, height = 0.0;
  };
  enum class Anchor { start, middle, end };

  // `title`: shown under the pointer; empty: nothing is.
  void box(const Box& box, const std::string& fill, const std::string& title = "",
           const std::string& more = "");
  void line(double x1, double y1, double x2, double y2, const std::string& style);
  void words(double x, double y, Anchor anchor, const std::string& style, const std::string& text);

  std::string str() const;

 private:
  double width_, height_;
  std::string label_, body_;
};

// Round numbers within [low, high], about so many.
std::vector<double> ticks(double low, double high, int about);

// Colours that are told apart, by index, round and round.
const std::string& colour(size_t index);

// The style sheet of a page: light, no external loads.
std::string page_style();

}  // namespace shingle
