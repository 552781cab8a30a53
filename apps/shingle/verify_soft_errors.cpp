#include "apps/shingle/verify_soft_errors.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>

#include "apps/findings/answer.hpp"
#include "apps/heads/reading.hpp"
#include "apps/models/seeded_input.hpp"
#include "apps/pictures/image_bytes.hpp"
#include "apps/scene/frame.hpp"
#include "apps/shingle/soft_error_report.hpp"
#include "apps/system/exit.hpp"
#include "apps/system/print.hpp"
#include "apps/system/progress.hpp"
#include "apps/system/stop_signals.hpp"
#include "apps/vision/mat_view.hpp"
#include "apps/vision/media_in.hpp"

namespace shingle {
namespace {

constexpr size_t most_pictures = 64;

struct Subject {
  std::unique_ptr<ModelFile> file;
  Reading reading;
  std::optional<TensorId> picture{};  // the input that takes one
};

struct Input {
  WholeInputs bytes;
  PixelSize size{1, 1};  // of the picture
};

Status open_subject(const VerifyOptions& options, Subject& subject) {
  auto opened = open_model(options.model.where(), onnx_options_of(options.model));
  if (!opened) return bad_input(opened.error());
  subject.file = std::make_unique<ModelFile>(std::move(*opened));
  if (const Status status = choose_reading(*subject.file, options.reading, subject.reading);
      !status)
    return status;
  const auto picture = picture_input(subject.file->model);
  if (!picture) return success();
  subject.picture = *picture;
  if (const Status taken = take_picture(subject.file->model, subject.reading.preparation); !taken)
    return bad_input("cannot take '" + options.model.path + "': " + taken.error());
  return success();
}

// Further inputs of the model get values that are drawn from the seed, but for the picture's size.
Input input_of(const cv::Mat& picture, const Subject& subject, uint64_t seed) {
  const Model& model = subject.file->model;
  Input input{seeded_inputs(model, seed), size_of(picture)};
  const Preparation& preparation = subject.reading.preparation;
  const Shape shape = model.at(*subject.picture).shape;
  const std::optional<size_t> size = picture_size_input(model);
  for (size_t i = 0; i < model.inputs.size(); ++i) {
    if (model.inputs[i] == subject.picture)
      input.bytes[i] = image_bytes(view_of(picture), preparation, shape);
    else if (i == size)
      input.bytes[i] = size_bytes(place(preparation.fit, size_of(picture), shape), shape);
  }
  return input;
}

Status read_pictures(const std::string& path, const Subject& subject, uint64_t seed,
                     std::vector<Input>& inputs) {
  auto media = MediaInput::open(path);
  if (!media) return Error{media.error()};
  while (inputs.size() < most_pictures) {
    auto picture = media->next();
    if (!picture) return Error{picture.error()};
    if (!*picture) return success();
    inputs.push_back(input_of((*picture)->image, subject, seed));
  }
  return success();
}

// What the user gives; else a street that we draw, or values that are no picture.
Result<std::vector<Input>> inputs_for(const VerifyOptions& options, const Subject& subject) {
  std::vector<Input> inputs;
  for (const std::string& path : options.images)
    if (const Status read = read_pictures(path, subject, options.seed, inputs); !read)
      return Error{read.error()};
  if (!inputs.empty()) return inputs;
  if (subject.picture) {
    const Scene scene = make_scene({.seed = options.seed});
    inputs.push_back(
        input_of(SceneRenderer(scene).render(scene, 0).picture, subject, options.seed));
  } else {
    inputs.push_back({seeded_inputs(subject.file->model, options.seed)});
  }
  return inputs;
}

bool finite(const std::vector<std::vector<float>>& outputs) {
  return std::ranges::all_of(outputs, [](const std::vector<float>& output) {
    return std::ranges::all_of(output, [](float value) { return std::isfinite(value); });
  });
}

Judge judge_of(const Subject& subject, PixelSize picture) {
  return [&subject, picture](const auto& clean, const auto& flipped) {
    if (finite(clean) && !finite(flipped)) return Effect::not_finite;
    const Reading& reading = subject.reading;
    const Thresholds thresholds{.min_score = reading.head->usual_min_score};
    const bool read_at_all = !std::holds_alternative<std::monostate>(reading.head->decode);
    const bool same = read_at_all ? same_answer(read(reading, thresholds, clean, picture),
                                                read(reading, thresholds, flipped, picture))
                                  : same_values(clean, flipped);
    return same ? Effect::other_bits : Effect::other_answer;
  };
}

struct Deadline {
  std::chrono::steady_clock::time_point at;
  bool passed() const { return std::chrono::steady_clock::now() >= at; }
};

// Each input's share of the flips, until time is over or somebody asks to stop.
Status run(SoftErrorCampaign& campaign, SoftErrors& errors, const Subject& subject,
           const std::vector<Input>& inputs, double seconds, StopSignals& signals) {
  const auto begin = std::chrono::steady_clock::now();
  Progress progress(campaign.size(), stderr_is_terminal(), "flips");
  for (size_t i = 0; i < inputs.size() && !signals.asked(); ++i) {
    const double share = static_cast<double>(i + 1) / static_cast<double>(inputs.size());
    const Deadline deadline{begin + std::chrono::milliseconds(std::llround(1e3 * seconds * share))};
    const auto until = static_cast<uint64_t>(share * static_cast<double>(campaign.size()) + 0.5);
    if (const Status taken = errors.take(inputs[i].bytes); !taken) return taken;
    const Judge judge = judge_of(subject, inputs[i].size);
    while (campaign.done() < until && !deadline.passed() && !signals.asked()) {
      if (const Status stepped = campaign.step(judge); !stepped) return stepped;
      progress.done(campaign.done());
    }
  }
  return success();
}

}  // namespace

int verify_soft_errors(const VerifyOptions& options) {
  StopSignals signals;
  Subject subject;
  if (const Status status = open_subject(options, subject); !status) return fail(status.failure());
  if (!options.images.empty() && !subject.picture)
    return fail(Exit::usage, "'" + options.model.path + "' takes no pictures: leave --image out");
  const auto inputs = inputs_for(options, subject);
  if (!inputs) return fail(Exit::bad_input, inputs.error());
  const Model& model = subject.file->model;
  auto errors = SoftErrors::make(model, static_cast<int>(options.threads));
  if (!errors) return fail(Exit::runtime, errors.error());
  SoftErrorCampaign campaign(model, *errors, {.flips = options.flips, .seed = options.seed});
  if (const Status ran = run(campaign, *errors, subject, *inputs, options.seconds, signals); !ran)
    return fail(Exit::runtime, ran.error());
  const SoftErrorReport report{.model = model,
                               .sites = campaign.sites(),
                               .planned = campaign.size(),
                               .done = campaign.done(),
                               .pictures = inputs->size(),
                               .seed = options.seed,
                               .head = subject.reading.head->name};
  return print(options.json ? json_of(report) : text_of(report));
}

}  // namespace shingle
