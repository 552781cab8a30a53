#include "apps/heads/reading.hpp"

#include <algorithm>
#include <cmath>

#include "apps/heads/clues.hpp"
#include "apps/heads/dictionary.hpp"
#include "apps/system/plain_text.hpp"
#include "apps/system/suggest.hpp"

namespace shingle {
namespace {

std::string dims_text(const Clues& clues) {
  std::string text;
  for (const ModelOutput& output : clues.outputs) {
    if (!text.empty()) text += ", ";
    for (size_t i = 0; i < output.dims.size(); ++i)
      text.append(i == 0 ? "" : "x").append(std::to_string(output.dims[i]));
  }
  return text;
}

bool finds_boxes(const Head& head) {
  return std::holds_alternative<DecodeBoxes>(head.decode) ||
         std::holds_alternative<DecodeMasks>(head.decode);
}

bool is_of_task(const Head& head, const Clues& clues) {
  const std::string_view task = metadata_of(clues, "task");
  return task.empty() || task == head.task;
}

// Of a picture at a time.
bool is_batch_of_one(const ModelOutput& output) {
  return !output.dims.empty() && output.dims[0] == 1;
}

std::optional<Claim> claim_of(const Head& head, const Clues& clues) {
  if (!clues.input.elements() || !is_of_task(head, clues)) return std::nullopt;
  if (!head.any_batch && !std::all_of(clues.outputs.begin(), clues.outputs.end(), is_batch_of_one))
    return std::nullopt;
  return head.claim(clues);
}

// The one head that is beyond doubt: the file states it, or the number of classes in the shapes is
// the one that is known.
const Head* recognise(const Clues& clues, const ClassNames& names) {
  const Head* found = nullptr;
  for (const Head* head : possible_heads(clues)) {
    const Claim claim = *claim_of(*head, clues);
    const int64_t known = names.empty() ? head->customary_classes : std::ssize(names);
    if (claim.certainty == Certainty::stated) return head;
    if (claim.certainty == Certainty::shared) continue;
    if (claim.classes == 0 || claim.classes != known) continue;
    if (found != nullptr) return &raw_head;
    found = head;
  }
  return found == nullptr ? &raw_head : found;
}

std::string names_of(const std::vector<const Head*>& heads) {
  std::string text;
  for (const Head* head : heads) text += (text.empty() ? "" : ", ") + std::string(head->name);
  return text;
}

Error unknown_head(const std::string& name) {
  std::vector<std::string> names{"auto"};
  std::string known = "auto";
  for (const Head* head : all_heads()) {
    names.push_back(head->name);
    known += ", " + names.back();
  }
  const auto near = nearest(name, names);
  return Error{"there is no head '" + name + "'" +
               (near ? "; did you mean '" + *near + "'?" : "; known are " + known)};
}

Error unfit(const Head& head, const Clues& clues) {
  if (!is_of_task(head, clues))
    return Error{"the model says that its task is '" + plain_text(metadata_of(clues, "task"), 40) +
                 "', which the head '" + head.name + "' does not read; take --head raw"};
  const std::string fitting = names_of(possible_heads(clues));
  return Error{"the model's outputs (" + dims_text(clues) + ") do not fit the head '" + head.name +
               "' (" + head.outputs + "); " +
               (fitting.empty() ? "leave --head out, or take --head raw" : "they fit: " + fitting)};
}

Result<const Head*> head_of(const std::string& name, const Clues& clues, const ClassNames& names) {
  if (name == "auto") return recognise(clues, names);
  for (const Head* head : all_heads()) {
    if (name != head->name) continue;
    if (head == &raw_head || claim_of(*head, clues)) return head;
    return unfit(*head, clues);
  }
  return unknown_head(name);
}

// What the user knows of anchors and letters.
Status add_wishes(Clues& clues, const ReadingOptions& options) {
  if (!options.anchors.empty()) {
    auto anchors = read_anchors(options.anchors);
    if (!anchors) return usage_error(anchors.error());
    clues.anchors = std::move(*anchors);
  }
  if (!options.dictionary.empty()) {
    auto letters = read_letters(options.dictionary);
    if (!letters) return bad_input(letters.error());
    clues.alphabet = std::move(*letters);
  }
  return success();
}

// What would be passed over in silence.
Status check_wishes_are_of_use(const Reading& reading, const ReadingOptions& options) {
  const bool has_anchors = reading.head == &yolov5_head && reading.clues.outputs.size() == 3;
  if (!options.anchors.empty() && !has_anchors)
    return Error{std::string("--anchors is for the three maps of the head 'yolov5', and this model "
                             "is read by '") +
                 reading.head->name + "'"};
  const bool reads_text = std::holds_alternative<DecodeText>(reading.head->decode);
  if (!options.dictionary.empty() && !reads_text)
    return Error{std::string("--dictionary is for the heads 'ctc' and 'ctc-last', and this model "
                             "is read by '") +
                 reading.head->name + "'"};
  return success();
}

Result<ClassNames> names_for(const ReadingOptions& options, const Clues& clues) {
  if (!options.names.empty()) return read_names(options.names);
  return names_in_metadata(metadata_of(clues, "names")).value_or(ClassNames{});
}

// "yolox (80), depth (any)": the heads that the model may have, each with its number of classes.
std::string classes_of(const std::vector<const Head*>& heads, const Clues& clues) {
  std::string text;
  for (const Head* head : heads) {
    const int64_t classes = claim_of(*head, clues)->classes;
    text.append(text.empty() ? "" : ", ")
        .append(head->name)
        .append(" (")
        .append(classes == 0 ? "any" : std::to_string(classes))
        .append(")");
  }
  return text;
}

// Names that the user gave for a model that nothing is found in would be passed over in silence.
Status check_names_are_of_use(const Reading& reading, const ReadingOptions& options) {
  if (reading.head != &raw_head || options.names.empty() || options.head != "auto")
    return success();
  const auto possible = possible_heads(reading.clues);
  return Error{"'" + options.names + "' has " + std::to_string(reading.names.size()) +
               " names, but no head takes that many for a model with the outputs " +
               dims_text(reading.clues) +
               (possible.empty() ? "; leave --names out"
                                 : "; name the head: --head takes, with this many classes, " +
                                       classes_of(possible, reading.clues))};
}

// Names for another number of classes would be wrong names.
Status settle_names(Reading& reading, const ReadingOptions& options) {
  if (const Status of_use = check_names_are_of_use(reading, options); !of_use) return of_use;
  const auto claim = claim_of(*reading.head, reading.clues);
  const int64_t classes = claim ? claim->classes : 0, named = std::ssize(reading.names);
  if (classes == 0 || classes == named) return success();
  if (!options.names.empty())
    return Error{"'" + options.names + "' has " + std::to_string(named) +
                 " names, and the model has " + std::to_string(classes) + " classes"};
  const bool coco = finds_boxes(*reading.head) && classes == std::ssize(coco_names());
  reading.names = coco ? coco_names() : ClassNames{};
  if (classes == 1 && reading.head->only_class != nullptr)
    reading.names = {reading.head->only_class};
  return success();
}

Status overrule(std::array<float, 3>& numbers, const std::vector<float>& given, const char* option,
                bool may_be_zero) {
  if (given.empty()) return success();
  if (given.size() != 1 && given.size() != 3)
    return Error{std::string(option) + " takes one number, or three with commas"};
  for (size_t c = 0; c < 3; ++c) {
    numbers[c] = given[given.size() == 1 ? 0 : c];
    if (!std::isfinite(numbers[c]) || (!may_be_zero && !std::isnormal(1.0F / numbers[c])))
      return Error{std::string(option) + " takes " +
                   (may_be_zero ? "finite numbers" : "numbers by which one can divide")};
  }
  return success();
}

Status overrule(Preparation& preparation, const ReadingOptions& options) {
  preparation.fit = options.fit.value_or(preparation.fit);
  preparation.colour = options.colour.value_or(preparation.colour);
  if (const Status mean = overrule(preparation.mean, options.mean, "--mean", true); !mean)
    return mean;
  if (const Status deviation = overrule(preparation.deviation, options.deviation, "--std", false);
      !deviation)
    return deviation;
  for (size_t c = 0; c < 3; ++c)
    if (!std::isfinite(preparation.mean[c] / preparation.deviation[c]))
      return Error{"--mean and --std: the mean divided by the deviation is not a finite number"};
  return success();
}

}  // namespace

const Head* recognised_head(const Clues& clues) {
  const auto names = names_in_metadata(metadata_of(clues, "names"));
  return recognise(clues, names.value_or(ClassNames{}));
}

std::vector<const Head*> possible_heads(const Clues& clues) {
  std::vector<const Head*> possible;
  for (const Head* head : all_heads())
    if (head != &raw_head && claim_of(*head, clues)) possible.push_back(head);
  return possible;
}

Status choose_reading(const ModelFile& file, const ReadingOptions& options, Reading& reading) {
  reading = {.head = &raw_head, .clues = clues_of(file), .preparation = {}, .names = {}};
  if (const Status wished = add_wishes(reading.clues, options); !wished) return wished;
  auto names = names_for(options, reading.clues);
  if (!names) return bad_input(names.error());
  reading.names = std::move(*names);
  const auto head = head_of(options.head, reading.clues, reading.names);
  if (!head) return usage_error(head.error());
  reading.head = *head;
  if (const Status of_use = check_wishes_are_of_use(reading, options); !of_use)
    return usage_error(of_use.error());
  reading.preparation = reading.head->preparation(reading.clues);
  if (const Status settled = settle_names(reading, options); !settled)
    return usage_error(settled.error());
  if (const Status fit = overrule(reading.preparation, options); !fit)
    return usage_error(fit.error());
  return success();
}

Result<Reading> choose_reading(const ModelFile& file, const ReadingOptions& options) {
  Reading reading;
  if (const Status status = choose_reading(file, options, reading); !status)
    return status.failure();
  return reading;
}

}  // namespace shingle
