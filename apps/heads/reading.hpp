// Reading: one model and how it is read: its head, the picture that it wants, its classes' names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/findings/class_names.hpp"
#include "apps/heads/head.hpp"
#include "apps/models/model_file.hpp"
#include "apps/system/exit.hpp"

namespace shingle {

// What the user says about it; what is left empty follows from the model and its head.
struct ReadingOptions {
  std::string head = "auto";
  std::string names{};  // a file
  std::optional<Fit> fit{};
  std::optional<ColourOrder> colour{};
  std::vector<float> mean{}, deviation{};  // one number, or one for each channel
  std::string anchors{};                   // read_anchors() (clues.hpp)
  std::string dictionary{};                // a file
};

struct Reading {
  const Head* head = &raw_head;
  Clues clues;
  Preparation preparation;
  ClassNames names;
};

// The head of the options. `auto`: the head that the file states, or the one whose outputs have the
// model's shapes for the number of classes in the names, the metadata or the custom head; raw if
// that is no head or several. The error says why the options do not fit. REQUIRES: the model is as
// it was read (before take_picture).
Result<Reading> choose_reading(const ModelFile& file, const ReadingOptions& options);

// The same with how the program should end: a file of names is input, all else is usage.
Status choose_reading(const ModelFile& file, const ReadingOptions& options, Reading& reading);

// The head that `auto` takes where nobody names classes.
const Head* recognised_head(const Clues& clues);

// The heads that could be named for this model, whatever auto would choose; raw is left out.
std::vector<const Head*> possible_heads(const Clues& clues);

struct Thresholds {
  float min_score = 0.3F;
  float max_overlap = 0.45F;
};

// What the outputs say of a picture of that size. outputs[i] is the model's output i in the file's
// order.
Finding read(const Reading& reading, const Thresholds& thresholds, Values outputs,
             PixelSize picture);

}  // namespace shingle
