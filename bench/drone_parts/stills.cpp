// Average precision of models/flights.onnx on aerial photographs that were not trained on, looked
// at as `shingle-drone run` looks at a flight: slices at a scale that it finds itself. KIT and DJI
// photographs have no classes. Prints a table, and a line of JSON.
//   bench-drone-stills [--scale METRES_PER_PIXEL] [--trained]
// --trained: on MOS155-179, which the weights have seen; scales are chosen there.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <optional>

#include "bench/drone_parts/watcher.hpp"
#include "bench/photographs.hpp"

namespace {

using namespace shingle;
using namespace shingle::bench;
namespace files = std::filesystem;

constexpr const char* model_path = "models/flights.onnx";
constexpr double at_border = 2.0;  // pixels

bool touches_border(const Box& box, cv::Size picture) {
  return box.x < at_border || box.y < at_border ||
         double{box.x} + box.w > picture.width - at_border ||
         double{box.y} + box.h > picture.height - at_border;
}

// Vehicles at the border have labels or not: they count neither way.
void leave_out_border(std::vector<Detection>& found, std::vector<Wanted>& wanted, cv::Size size) {
  for (Wanted& each : wanted) each.counts = !touches_border(each.box, size);
  std::erase_if(found, [&](const Detection& each) {
    const auto is_wanted = [&](const Wanted& label) {
      return intersection_over_union(label.box, each.box) >= match_overlap;
    };
    return touches_border(each.box, size) && std::ranges::none_of(wanted, is_wanted);
  });
}

struct Rules {
  bool leaves_out_border = false, leaves_out_oblique = false;
};

// They look less than 30 degrees down.
bool is_oblique(const files::path& path) {
  const std::string name = path.stem().string();
  return name == "DJI_0028" || name == "DJI_0030";
}

template <class Look>
double precision_of(const std::vector<files::path>& paths, const Rules& rules, Look look) {
  Judgement judgement;
  for (const files::path& path : paths) {
    if (rules.leaves_out_oblique && is_oblique(path)) continue;
    const cv::Mat picture = cv::imread(path.string());
    std::vector<Detection> found = look(picture);
    std::vector<Wanted> wanted = labels_of(path, picture.size());
    if (rules.leaves_out_border) leave_out_border(found, wanted, picture.size());
    judge(judgement, found, wanted);
  }
  return average_precision(judgement);
}

struct Row {
  double bilinear = 0.0, by_area = 0.0, sliced = 0.0;
};

Row row_of(Eyes& eyes, double scale, const std::vector<files::path>& paths, const Rules& rules,
           const char* name) {
  uint64_t slices = 0;
  Row row;
  row.bilinear =
      precision_of(paths, rules, [&](const cv::Mat& p) { return as_followed(eyes.look(p)); });
  row.by_area = precision_of(paths, rules,
                             [&](const cv::Mat& p) { return as_followed(eyes.look_by_area(p)); });
  row.sliced =
      precision_of(paths, rules, [&](const cv::Mat& p) { return watch(eyes, p, scale, slices); });
  std::printf("  %-42s whole, bilinear %.3f   whole, by area %.3f   slices %.3f (%llu)\n", name,
              row.bilinear, row.by_area, row.sliced, static_cast<unsigned long long>(slices));
  std::fflush(stdout);
  return row;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App line{"average precision on aerial photographs"};
  std::optional<double> scale;
  bool on_trained = false;
  line.add_option("--scale", scale, "metres per pixel that the model was trained at");
  line.add_flag("--trained", on_trained, "on photographs that it was trained on");
  CLI11_PARSE(line, argc, argv);
  const char* given = std::getenv("SHINGLE_DATA");
  const files::path cars = files::path(given != nullptr ? given : "../shared/data") / "aerial-cars";
  if (!files::exists(cars)) {
    std::fprintf(stderr, "%s is not there; SHINGLE_DATA names the folder of shared data\n",
                 cars.string().c_str());
    return 1;
  }
  Eyes eyes(model_path);
  if (!scale) scale = scale_in_file(eyes);
  if (!scale) {
    std::fprintf(stderr, "%s does not state its scale; give --scale\n", model_path);
    return 2;
  }
  if (on_trained) {
    row_of(eyes, *scale, photographs(cars, "MOS1", "-"), {}, "KIT AIS MOS155-179, trained on");
    return 0;
  }
  const Row kit = row_of(eyes, *scale, photographs(cars, "MOS", "MOS1"), {}, "KIT AIS MOS74-93");
  const auto dji_paths = photographs(cars, "DJI", "-");
  const Row all = row_of(eyes, *scale, dji_paths, {}, "DJI, all 41");
  const Row dji =
      row_of(eyes, *scale, dji_paths, {.leaves_out_border = true, .leaves_out_oblique = true},
             "DJI, 39 steep ones, without the border");
  std::printf("{\"ap50_kit\":%.4f,\"ap50_dji\":%.4f,\"ap50_dji_all\":%.4f}\n", kit.sliced,
              dji.sliced, all.sliced);
  return 0;
}
