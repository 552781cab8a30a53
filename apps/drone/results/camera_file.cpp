#include "apps/drone/results/camera_file.hpp"

#include "devices/files/toml_table.hpp"

namespace shingle::drone {
namespace {

constexpr size_t largest_text = 1 << 16;
constexpr Bounds sizes{16.0, 100000.0}, pixels{-1e6, 1e6}, focals{1.0, 1e6}, factors{-1e3, 1e3};
const auto& models = *new std::vector<std::string>{"brown-conrady", "fisheye"};

// The file may have nine numbers, or three rows of three as OpenCV prints them.
std::vector<double> read_matrix(TomlTable& in, const toml::table& root) {
  const toml::array* rows = root.get("matrix")->as_array();
  if (rows == nullptr || rows->empty() || !rows->is_homogeneous<toml::array>())
    return in.numbers("matrix", {9, 9}, pixels);
  std::vector<double> numbers;
  for (const toml::node& row : *rows)
    for (const toml::node& each : *row.as_array())
      if (const auto number = each.value<double>()) numbers.push_back(*number);
  if (rows->size() == 3 && numbers.size() == 9) return numbers;
  in.fail("matrix", "'matrix' must be three rows of three numbers: focal lengths and centre");
  return {};
}

void set_matrix(Camera& camera, TomlTable& in, const std::vector<double>& m) {
  if (m.size() != 9) return;
  if (m[1] != 0.0 || m[3] != 0.0 || m[6] != 0.0 || m[7] != 0.0 || m[8] != 1.0)
    in.fail("matrix", "'matrix' must be fx 0 cx, 0 fy cy, 0 0 1, as OpenCV's calibration gives it");
  if (!(m[0] >= focals.minimum) || !(m[4] >= focals.minimum))
    in.fail("matrix", "'matrix' has a focal length below 1 pixel");
  camera.focal_x = m[0], camera.centre_x = m[2];
  camera.focal_y = m[4], camera.centre_y = m[5];
}

void read_lens(Camera& camera, TomlTable& in, const toml::table& root) {
  if (in.has("matrix") == in.has("focal")) {
    in.fail(in.has("matrix") ? "matrix" : "width",
            "a camera needs either 'focal' or 'matrix', in pixels");
    return;
  }
  if (in.has("matrix")) {
    if (in.has("centre")) in.fail("centre", "'matrix' has the centre already; leave 'centre' out");
    set_matrix(camera, in, read_matrix(in, root));
    return;
  }
  const bool is_pair = root.get("focal")->is_array();
  const auto focal = is_pair ? in.numbers("focal", {2, 2}, focals)
                             : std::vector<double>(2, in.number("focal", focals, std::nullopt));
  const auto centre = in.has("centre") ? in.numbers("centre", {2, 2}, pixels)
                                       : std::vector{camera.width / 2.0, camera.height / 2.0};
  if (focal.size() != 2 || centre.size() != 2) return;
  camera.focal_x = focal[0], camera.focal_y = focal[1];
  camera.centre_x = centre[0], camera.centre_y = centre[1];
}

LensDistortion read_distortion(TomlTable& in) {
  if (!in.has("distortion")) return {};
  auto numbers = in.numbers("distortion", {4, 5}, factors);
  numbers.resize(5);
  return {.k1 = numbers[0], .k2 = numbers[1], .p1 = numbers[2], .p2 = numbers[3], .k3 = numbers[4]};
}

Result<Camera> read(const toml::table& root, const std::string& file) {
  TomlTable in(root, file, "camera");
  in.refuse_keys_besides({"width", "height", "focal", "centre", "matrix", "distortion", "model"});
  if (in.choice("model", models, 0) != 0)
    in.fail("model",
            "the lens is a fisheye, which is not supported: its formula is another one than "
            "Brown-Conrady's; calibrate the undistorted video instead");
  Camera camera{.width = in.number("width", sizes, std::nullopt),
                .height = in.number("height", sizes, std::nullopt)};
  if (in.status()) read_lens(camera, in, root);
  camera.distortion = read_distortion(in);
  if (in.status() && !shows_whole_picture(camera))
    in.fail(in.has("distortion") ? "distortion" : "width",
            "'distortion' folds the picture over within its border; check its order, "
            "[k1, k2, p1, p2, k3], and that the focal length is in pixels of this size");
  if (!in.status()) return in.status().failure();
  return camera;
}

}  // namespace

Result<Camera> parse_camera(std::string_view text, const std::string& file) {
  if (text.size() > largest_text)
    return bad_input(file + " is larger than 64 KiB: it is no camera");
  return as_bad_input(
      parse_toml(text, file, [&](const toml::table& root) { return read(root, file); }));
}

Result<Camera> load_camera(const std::string& path) {
  const auto text = read_text(path, "camera", largest_text);
  if (!text) return text.failure();
  return parse_camera(*text, path);
}

}  // namespace shingle::drone
