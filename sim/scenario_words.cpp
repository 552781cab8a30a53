#include "sim/scenario_words.hpp"

#include <cmath>
#include <cstdlib>
#include <sstream>

namespace shingle::sim {

namespace {

struct Quantity {
  double value = 0.0;
  std::string unit;
  bool good = false;
};

Quantity quantity(const std::string& word) {
  char* end = nullptr;
  const double value = std::strtod(word.c_str(), &end);
  const bool good = end != word.c_str() && std::isfinite(value) && value >= 0.0 && value < 1e15;
  return {value, end, good};
}

}  // namespace

Words::Words(std::string_view line) {
  std::istringstream stream{std::string(line.substr(0, line.find('#')))};
  for (std::string word; stream >> word;) words_.push_back(word);
}

std::string Words::word() {
  if (empty()) return bad_ = true, "";
  return words_[next_++];
}

bool Words::accept(std::string_view word) {
  if (empty() || words_[next_] != word) return false;
  ++next_;
  return true;
}

void Words::expect(std::string_view word) {
  if (!accept(word)) bad_ = true;
}

int64_t Words::integer() {
  const double value = number();
  if (value != std::floor(value)) bad_ = true;
  return static_cast<int64_t>(value);
}

double Words::number() {
  const Quantity parsed = quantity(word());
  if (!parsed.good || !parsed.unit.empty()) return bad_ = true, 0.0;
  return parsed.value;
}

Duration Words::duration() {
  const Quantity parsed = quantity(word());
  const double unit = parsed.unit == "us"   ? 1e3
                      : parsed.unit == "ms" ? 1e6
                      : parsed.unit == "s"  ? 1e9
                                            : 0.0;
  if (!parsed.good || unit == 0.0 || parsed.value * unit > 1e15) return bad_ = true, Duration{};
  return Duration(std::llround(parsed.value * unit));
}

int64_t Words::rate() {
  const Quantity parsed = quantity(word());
  const double unit = parsed.unit == "kB/s" ? 1e3 : parsed.unit == "MB/s" ? 1e6 : 0.0;
  if (!parsed.good || unit == 0.0 || parsed.value * unit < 1.0) return bad_ = true, 1;
  return std::llround(parsed.value * unit);
}

bool Words::next_is_number() const {
  return !empty() && quantity(words_[next_]).good && quantity(words_[next_]).unit.empty();
}

std::vector<uint32_t> Words::integers() {
  std::vector<uint32_t> all;
  while (next_is_number()) all.push_back(static_cast<uint32_t>(integer()));
  return all;
}

}  // namespace shingle::sim
