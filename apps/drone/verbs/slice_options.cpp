#include "apps/drone/verbs/slice_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>

#include "apps/drone/boxes/number_lines.hpp"
#include "apps/system/plain_text.hpp"

namespace shingle::drone {
namespace {

constexpr double coarsest = 10.0;  // metres per pixel
constexpr size_t most_slices = 1000;

std::optional<size_t> slice_number(const std::string& text) {
  size_t number = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  const bool is_number = read.ec == std::errc() && read.ptr == end;
  return is_number && number >= 1 && number <= most_slices ? std::optional(number) : std::nullopt;
}

std::string check_slices(const std::string& text) {
  if (text == "auto" || text == "off" || slice_number(text)) return "";
  return "'" + text + "' is neither auto, off nor a number of slices from 1 to " +
         std::to_string(most_slices);
}

bool is_large_enough(Shape input) {
  return input.w > slice_overlap + 16.0 && input.h > slice_overlap + 16.0;
}

// None: whole pictures.
Result<std::optional<double>> scale_of(const SliceVerbOptions& options, const RunModel& detector) {
  if (options.slices == "off") return std::optional<double>();
  const bool is_asked_for = !options.slices.empty() || options.scale;
  auto scale =
      options.scale ? Result<std::optional<double>>(options.scale) : stated_scale(detector.reading);
  if (!scale) return scale.failure();
  if (!*scale && is_asked_for)
    return usage_error("'" + detector.path.path +
                       "' does not say at which scale it was trained; give --scale, in metres per "
                       "pixel");
  const Shape input = detector.reading.clues.input;
  if (*scale && !is_large_enough(input)) {
    if (is_asked_for)
      return usage_error("the model's input of " + std::to_string(input.w) + "x" +
                         std::to_string(input.h) + " is too small for slices; give --slices off");
    return std::optional<double>();
  }
  return scale;
}

}  // namespace

void describe(CLI::App& verb, SliceVerbOptions& options) {
  verb.add_option("--slices", options.slices,
                  "look at slices of the picture at the scale that the model was trained at: auto "
                  "(as many as are needed), a most for each picture, or off (default: auto if the "
                  "scale is known)")
      ->type_name("N")
      ->check(CLI::Validator(check_slices, ""));
  verb.add_option("--scale", options.scale,
                  "metres of the ground in a pixel that the model was trained at (default: what "
                  "its file says)")
      ->type_name("M")
      ->check(CLI::Range(1e-3, coarsest));
  verb.add_option("--full-every", options.full_every,
                  "every place is looked at so often (default: 1)")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.05, 3600.0));
  verb.add_option("--plan-ahead", options.plan_ahead,
                  "slices are planned by what was known so long before; with more, and a larger "
                  "--open, more boards are busy, and slices follow vehicles less closely (default: "
                  "0.15)")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.0, 1.0));
  verb.add_option("--min-length", options.min_length,
                  "cars, vans, trucks and buses whose boxes show less ground are not followed "
                  "(default: 2.6; 0: all are)")
      ->type_name("METRES")
      ->check(CLI::Range(0.0, 100.0));
  verb.add_flag("--shed", options.sheds,
                "when pictures come too fast leave out slices, then road masks, then pictures");
  verb.add_flag("--paced", options.is_paced,
                "take a file's pictures at their own times, as a camera gives them");
}

Result<std::optional<double>> stated_scale(const Reading& reading) {
  const std::string text(metadata_of(reading.clues, "metres_per_pixel"));
  if (text.empty()) return std::optional<double>();
  double scale = 0.0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, scale);
  if (read.ec != std::errc() || read.ptr != end || !(scale > 0.0) || scale > coarsest)
    return bad_input("the model's file says that its metres_per_pixel are '" +
                     plain_text(text, 40) + "'; give --scale");
  return std::optional(scale);
}

Result<LookoutOptions> lookout_options(const SliceVerbOptions& options, const LookoutParts& parts) {
  if (options.sheds && !options.is_paced && !parts.input.is_live())
    return usage_error(
        "--shed is for pictures that come by themselves; files wait, but with "
        "--paced they do not");
  const auto scale = scale_of(options, parts.detector);
  if (!scale) return scale.failure();
  const Shape input = parts.detector.reading.clues.input;
  LookoutOptions lookout{.input = input,
                         .preparation = parts.detector.reading.preparation,
                         .max_overlap = parts.run.max_overlap,
                         .min_length = options.min_length,
                         .mask_every = parts.mask_every,
                         .sheds = options.sheds};
  if (!*scale) return lookout;
  const auto lag =
      static_cast<uint64_t>(std::max(0L, std::lround(options.plan_ahead * parts.rate)));
  lookout.slices = SlicePlannerOptions{.metres_per_pixel = **scale,
                                       .input_width = input.w,
                                       .input_height = input.h,
                                       .full_every_seconds = options.full_every,
                                       .most = slice_number(options.slices),
                                       .lag = std::clamp<uint64_t>(lag, 1, parts.run.open_frames)};
  return lookout;
}

std::vector<std::pair<std::string, std::string>> facts_of(const SliceVerbOptions& options) {
  const auto truth = [](bool value) { return std::string(value ? "true" : "false"); };
  return {{"slices", options.slices},
          {"scale", options.scale ? as_written(*options.scale) : std::string()},
          {"full_every", as_written(options.full_every)},
          {"plan_ahead", as_written(options.plan_ahead)},
          {"min_length", as_written(options.min_length)},
          {"shed", truth(options.sheds)},
          {"paced", truth(options.is_paced)}};
}

}  // namespace shingle::drone
