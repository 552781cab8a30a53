// The quality of the model in models/: average precision on real aerial photographs, recall and
// precision on a rendered clip. The bare executor computes it.
#include "apps/system/temporary_folder.hpp"
#include "apps/vision/media_in.hpp"
#include "bench/eyes.hpp"
#include "bench/measure.hpp"
#include "bench/photographs.hpp"

namespace {

using namespace shingle;
using namespace shingle::bench;
namespace files = std::filesystem;

constexpr const char* model_path = "models/vehicles.onnx";
constexpr uint64_t clip_seed = 2027;  // training stills have seeds from 100000
constexpr uint32_t clip_frames = 100;
constexpr float shown_score = 0.3F;                                  // what `shingle run` shows
constexpr double least_on_clip = 0.85, least_on_photographs = 0.75;  // recall, precision; AP50

enum class Look { whole, closely };

Judgement judge_photographs(Eyes& eyes, const std::vector<files::path>& paths, Look how) {
  Judgement judgement;
  for (const files::path& path : paths) {
    const cv::Mat picture = cv::imread(path.string());
    const auto found = how == Look::whole ? eyes.look(picture) : eyes.look_closely(picture, 1.0);
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
  std::printf("%s, %.2f MB, input %dx%d\n", model_path, megabytes, eyes.input().w, eyes.input().h);
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
