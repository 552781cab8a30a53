// The quality of the model in models/: average precision on real aerial photographs, recall and
// precision on a rendered clip. The bare executor computes it.
#include <filesystem>
#include <fstream>
#include <opencv2/imgcodecs.hpp>
#include <sstream>

#include "apps/client/bare_machine.hpp"
#include "apps/scene/score.hpp"
#include "apps/system/temporary_folder.hpp"
#include "apps/vision/media_in.hpp"
#include "apps/vision/reading.hpp"
#include "bench/measure.hpp"
#include "devices/native/native_executor.hpp"

namespace {

using namespace shingle;
namespace files = std::filesystem;

constexpr const char* model_path = "models/vehicles.onnx";
constexpr uint64_t clip_seed = 2027;  // training stills have seeds from 100000
constexpr uint32_t clip_frames = 100;
constexpr Thresholds thresholds{.min_score = 0.02F, .max_overlap = 0.45F};
constexpr float shown_score = 0.3F;                                  // what `shingle run` shows
constexpr double least_on_clip = 0.85, least_on_photographs = 0.75;  // recall, precision; AP50

// The model with an executor that is prepared for it.
class Eyes {
 public:
  explicit Eyes(const std::string& path) : file_(open_model(path).value()) {
    reading_ = choose_reading(file_, {}).value();
    take_picture(file_.model, reading_.preparation).value();
    machine_ = std::make_unique<BareMachine>(
        BareMachine::make(file_.model, std::make_unique<NativeExecutor>()).value());
  }

  cv::Size window() const {
    const Shape shape = file_.model.at(file_.model.inputs[0]).shape;
    return {shape.w, shape.h};
  }

  // The whole picture, scaled to the input as `shingle run` does it.
  std::vector<Detection> look(const cv::Mat& picture) {
    const Shape shape = file_.model.at(file_.model.inputs[0]).shape;
    const auto bytes = image_bytes(picture, reading_.preparation, shape);
    std::vector<std::vector<float>> outputs;
    const auto computed = machine_->compute(bytes).value();
    for (const std::vector<std::byte>& output : computed) {
      const float* values = reinterpret_cast<const float*>(output.data());
      outputs.emplace_back(values, values + floats_in(output.size()));
    }
    return std::get<Detections>(read(reading_, thresholds, outputs, picture.size()));
  }

  // The picture at its own scale, in windows that overlap by more than a vehicle. A box that
  // touches a window's border inside the picture is left out: another window contains the whole
  // vehicle.
  std::vector<Detection> look_closely(const cv::Mat& picture) {
    std::vector<Detection> all;
    for (const int y : starts(picture.rows, window().height))
      for (const int x : starts(picture.cols, window().width)) {
        const cv::Rect place = cv::Rect({x, y}, window()) & cv::Rect({0, 0}, picture.size());
        for (Detection found : look(picture(place).clone())) {
          if (cut(found.box, place, picture.size())) continue;
          found.box.x += static_cast<float>(x), found.box.y += static_cast<float>(y);
          all.push_back(found);
        }
      }
    return suppress(std::move(all), thresholds.max_overlap);
  }

 private:
  static constexpr int window_overlap = 112;

  static std::vector<int> starts(int size, int window) {
    std::vector<int> all{0};
    while (all.back() + window < size)
      all.push_back(std::min(all.back() + window - window_overlap, size - window));
    return all;
  }

  static bool cut(const Box& box, const cv::Rect& place, cv::Size picture) {
    constexpr float near = 1.5F;
    return (place.x > 0 && box.x < near) || (place.y > 0 && box.y < near) ||
           (place.br().x < picture.width && box.x + box.w > float(place.width) - near) ||
           (place.br().y < picture.height && box.y + box.h > float(place.height) - near);
  }

  ModelFile file_;
  Reading reading_;
  std::unique_ptr<BareMachine> machine_;
};

// YOLO labels: class, centre and size relative to the picture.
std::vector<Wanted> labels_of(const files::path& picture, cv::Size size) {
  std::vector<Wanted> wanted;
  std::ifstream file(files::path(picture).replace_extension(".txt"));
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    float kind = 0, x = 0, y = 0, w = 0, h = 0;
    if (!(words >> kind >> x >> y >> w >> h)) continue;
    const float width = static_cast<float>(size.width), height = static_cast<float>(size.height);
    wanted.push_back({{(x - w / 2) * width, (y - h / 2) * height, w * width, h * height}});
  }
  return wanted;
}

std::vector<files::path> photographs(const files::path& folder, const std::string& start,
                                     const std::string& but_not) {
  std::vector<files::path> found;
  for (const auto& entry : files::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(start) && !name.starts_with(but_not) && is_image_name(name))
      found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

enum class Look { whole, closely };

Judgement judge_photographs(Eyes& eyes, const std::vector<files::path>& paths, Look how) {
  Judgement judgement;
  for (const files::path& path : paths) {
    const cv::Mat picture = cv::imread(path.string());
    const auto found = how == Look::whole ? eyes.look(picture) : eyes.look_closely(picture);
    judge(judgement, found, labels_of(path, picture.size()));
  }
  return judgement;
}

// From a video file, as for a user's clip.
Judgement judge_clip(Eyes& eyes) {
  const TemporaryFolder folder = std::move(TemporaryFolder::make().value());
  const std::string path = folder.path() + "/clip.mp4";
  write_clip({.seed = clip_seed}, clip_frames, path).value();
  const auto truth = read_truth(folder.path() + "/clip.truth.csv").value();
  MediaInput input = std::move(MediaInput::open(path).value());
  Judgement judgement;
  for (uint32_t frame = 0; auto picture = input.next().value(); ++frame)
    judge(judgement, eyes.look(picture->image), wanted_of(truth, frame));
  return judgement;
}

void print(const char* name, const Judgement& judgement) {
  const RecallPrecision at = at_score(judgement, shown_score);
  std::printf("%-38s %6llu vehicles   AP50 %.3f   at score %.1f: recall %.3f, precision %.3f\n",
              name, static_cast<unsigned long long>(judgement.wanted), average_precision(judgement),
              static_cast<double>(shown_score), at.recall, at.precision);
}

}  // namespace

int main(int argc, char** argv) {
  const bench::CommandLine line = bench::parse(argc, argv);
  Eyes eyes(model_path);
  const double megabytes = static_cast<double>(files::file_size(model_path)) / 1e6;
  std::printf("%s, %.2f MB, input %dx%d\n", model_path, megabytes, eyes.window().width,
              eyes.window().height);
  const Judgement clip = judge_clip(eyes);
  print("rendered clip, seed not trained on", clip);
  const RecallPrecision at = at_score(clip, shown_score);

  const char* given = std::getenv("SHINGLE_DATA");
  const files::path cars = files::path(given != nullptr ? given : "../shared/data") / "aerial-cars";
  double kit_ap = -1.0, dji_ap = -1.0;
  if (files::exists(cars)) {
    const Judgement kit = judge_photographs(eyes, photographs(cars, "MOS", "MOS1"), Look::closely);
    const Judgement dji = judge_photographs(eyes, photographs(cars, "DJI", "-"), Look::whole);
    print("KIT AIS MOS74-93, windows, full scale", kit);
    print("DJI pictures, scaled to the input", dji);
    kit_ap = average_precision(kit), dji_ap = average_precision(dji);
  } else {
    std::printf("photographs: skipped: no shared data\n");
  }
  if (line.json) {
    std::printf("{\"model_mb\":%.3f,\"recall\":%.4f,\"precision\":%.4f", megabytes, at.recall,
                at.precision);
    if (kit_ap >= 0) std::printf(",\"ap50_kit\":%.4f,\"ap50_dji\":%.4f", kit_ap, dji_ap);
    std::printf("}\n");
  }
  const bool clip_good = at.recall >= least_on_clip && at.precision >= least_on_clip;
  return clip_good && (kit_ap < 0 || kit_ap >= least_on_photographs) ? 0 : 1;
}
