// Text by connectionist temporal classification: scores of C classes for each of T steps along the
// line, 1xTxC or Tx1xC, as logits, their logarithms or probabilities. Of each step the best class
// counts, repeats are one letter, and the blank separates letters.
//
//   ctc       the blank is class 0, letters follow (CRNN, PaddleOCR)
//   ctc-last  the blank is the last class (Keras)
//
// (Graves et al., "Connectionist Temporal Classification", 2006; "best path decoding".)
//
// The letters are the user's (--dictionary), those that the metadata entry `character` lists, one a
// line (RapidOCR), or, of 37 classes, 0 to 9 and a to z. A dictionary of one letter less than the
// graph has wants a space behind it, as PaddleOCR's do. Only the metadata say beyond doubt that a
// table is text.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "apps/heads/dictionary.hpp"
#include "apps/heads/kinds/exports.hpp"

namespace shingle {
namespace {

constexpr float sum_tolerance = 1e-3F;

struct Steps {
  int64_t steps = 0, classes = 0;
};
std::optional<Steps> steps_of(const Clues& clues) {
  if (clues.outputs.size() != 1) return std::nullopt;
  const std::vector<int64_t>& dims = clues.outputs[0].dims;
  if (dims.size() != 3 || (dims[0] != 1 && dims[1] != 1) || dims[2] < 2) return std::nullopt;
  return Steps{dims[0] * dims[1], dims[2]};
}

// By class but the blank; empty: nobody says.
Letters letters_for(const Clues& clues, size_t count) {
  Letters letters = clues.alphabet;
  if (letters.empty()) letters = letters_in(metadata_of(clues, "character"));
  if (letters.empty()) letters = usual_letters();
  if (letters.size() + 1 == count) letters.push_back(" ");
  return letters.size() == count ? letters : Letters{};
}

std::optional<Claim> claim(const Clues& clues) {
  const auto steps = steps_of(clues);
  if (!steps) return std::nullopt;
  const size_t count = static_cast<size_t>(steps->classes) - 1;
  const bool fits = !letters_for(clues, count).empty();
  const bool is_line = clues.input.w >= 2 * clues.input.h;
  if (!fits && (!clues.alphabet.empty() || !is_line)) return std::nullopt;
  const bool stated = fits && !letters_in(metadata_of(clues, "character")).empty();
  return Claim{.classes = 0, .certainty = stated ? Certainty::stated : Certainty::shared};
}

std::optional<Claim> claim_last(const Clues& clues) {
  auto claimed = claim(clues);
  if (claimed) claimed->certainty = Certainty::shared;
  return claimed;
}

// CRNN's for grey, PaddleOCR's for colours: -1 to 1.
Preparation preparation(const Clues& clues) {
  return {.fit = clues.input.c == 1 ? Fit::stretch : Fit::letterbox,
          .colour = ColourOrder::bgr,
          .mean = {127.5F, 127.5F, 127.5F},
          .deviation = {127.5F, 127.5F, 127.5F},
          .fill = 127};
}

float probability_of(const Table& table, size_t row, const BestClass& best) {
  float sum = 0.0F, powers = 0.0F;
  bool shares = true;
  for (size_t column = 0; column < table.columns; ++column) {
    const float value = table(row, column);
    sum += value;
    shares = shares && value >= 0.0F;
    powers += std::exp(value - best.score);
  }
  return shares && std::abs(sum - 1.0F) <= sum_tolerance ? best.score : 1.0F / powers;
}

std::string numbered(int class_id) {
  return std::string("<").append(std::to_string(class_id)).append(">");
}

ReadText decode(const Clues& clues, Values values, bool blank_is_last) {
  const Steps steps = *steps_of(clues);
  const Table table{values[0], static_cast<size_t>(steps.steps),
                    static_cast<size_t>(steps.classes)};
  const Letters letters = letters_for(clues, table.columns - 1);
  const int blank = blank_is_last ? static_cast<int>(table.columns) - 1 : 0;
  ReadText read;
  int before = blank;
  float sum = 0.0F;
  for (size_t row = 0; row < table.rows; ++row) {
    const BestClass best = best_class(table, row, 0, table.columns);
    const int class_id = std::isfinite(best.score) ? best.class_id : blank;
    if (class_id != blank && class_id != before) {
      const auto letter = static_cast<size_t>(blank_is_last ? class_id : class_id - 1);
      read.classes.push_back(class_id);
      read.text.append(letters.empty() ? numbered(class_id) : letters[letter]);
      const float probability = probability_of(table, row, best);
      sum += std::isfinite(probability) ? probability : 0.0F;
    }
    before = class_id;
  }
  if (!read.classes.empty()) read.score = sum / static_cast<float>(read.classes.size());
  return read;
}

ReadText decode_first(const Clues& clues, Values values) { return decode(clues, values, false); }
ReadText decode_last(const Clues& clues, Values values) { return decode(clues, values, true); }

}  // namespace

constinit const Head ctc_head{.name = "ctc",
                              .outputs = "1xTxC or Tx1xC, T steps, class 0 the blank",
                              .task = "text",
                              .usual_size = 32,
                              .claim = claim,
                              .preparation = preparation,
                              .decode = decode_first,
                              .any_batch = true};

constinit const Head ctc_last_head{.name = "ctc-last",
                                   .outputs = "1xTxC or Tx1xC, T steps, the last class the blank",
                                   .task = "text",
                                   .usual_size = 32,
                                   .claim = claim_last,
                                   .preparation = preparation,
                                   .decode = decode_last,
                                   .any_batch = true};

}  // namespace shingle
