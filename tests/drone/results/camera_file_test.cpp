// camera.toml: what is read, and what is refused.
#include "apps/drone/results/camera_file.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace shingle;
using namespace shingle::drone;

namespace {

const std::string size = "width = 3840\nheight = 2160\n";

std::string refusal_of(const std::string& text) {
  const auto camera = parse_camera(text, "camera.toml");
  if (camera) return "was read";
  CHECK(camera.failure().kind == ErrorKind::bad_input);
  return camera.error();
}

void check_refusal(const std::string& text, const std::string& begin, const std::string& part) {
  const std::string refusal = refusal_of(text);
  CHECK_MESSAGE(refusal.starts_with(begin), refusal);
  CHECK_MESSAGE(refusal.find(part) != std::string::npos, refusal);
}

}  // namespace

TEST_CASE("focal length and matrix say the same lens") {
  const auto focal = parse_camera(
      size + "focal = [2700, 2710]\ncentre = [1921.5, 1079]\ndistortion = [-0.1, 0.02, 1e-3, 0]\n",
      "camera.toml");
  const auto matrix = parse_camera(size +
                                       "matrix = [[2700, 0, 1921.5], [0, 2710, 1079], [0, 0, 1]]\n"
                                       "distortion = [-0.1, 0.02, 0.001, 0.0, 0.0]\n",
                                   "camera.toml");
  REQUIRE_MESSAGE(focal, focal.error());
  REQUIRE_MESSAGE(matrix, matrix.error());
  for (const Camera& camera : {*focal, *matrix}) {
    CHECK(camera.width == 3840.0);
    CHECK(camera.focal_x == 2700.0);
    CHECK(camera.focal_y == 2710.0);
    CHECK(camera.centre_x == 1921.5);
    CHECK(camera.centre_y == 1079.0);
    CHECK(camera.distortion == LensDistortion{.k1 = -0.1, .k2 = 0.02, .p1 = 1e-3});
  }
}

TEST_CASE("without a centre it is the picture's middle, and without distortion there is none") {
  const auto camera = parse_camera(size + "focal = 2700\n", "camera.toml");
  REQUIRE_MESSAGE(camera, camera.error());
  CHECK(camera->focal_y == 2700.0);
  CHECK(camera->centre_x == 1920.0);
  CHECK(camera->distortion == LensDistortion{});
}

TEST_CASE("a camera file that is none is refused with its line") {
  check_refusal(size + "focal = 2700\nfocus = 3\n", "camera.toml:4: ", "unknown key 'focus'");
  check_refusal("width = 3840\nfocal = 2700\n", "camera.toml:", "has no 'height'");
  check_refusal(size, "camera.toml:", "either 'focal' or 'matrix'");
  check_refusal(size + "focal = 2700\nmatrix = [1, 0, 0, 0, 1, 0, 0, 0, 1]\n",
                "camera.toml:4: ", "either 'focal' or 'matrix'");
  check_refusal(size + "focal = 0\n", "camera.toml:3: ", "'focal'");
  check_refusal(size + "focal = 2700\n\ndistortion = [0.1, 0.2]\n",
                "camera.toml:5: ", "'distortion'");
  check_refusal(size + "matrix = [[2700, 3, 9], [0, 2700, 9], [0, 0, 1]]\n",
                "camera.toml:3: ", "fx 0 cx, 0 fy cy, 0 0 1");
  check_refusal(size + "matrix = [[2700, 0], [0, 2700]]\n", "camera.toml:3: ", "three rows");
  check_refusal(size + "focal = 2700\nmodel = \"fisheye\"\n",
                "camera.toml:4: ", "fisheye, which is not supported");
  check_refusal(size + "focal = 2700\ncentre = [9, 9]\nmodel = \"mirror\"\n",
                "camera.toml:5: ", "'model'");
  check_refusal("width = \n", "camera.toml:1: ", "");
}

TEST_CASE("a distortion that folds the picture over is no lens's") {
  check_refusal(size + "focal = 2700\ndistortion = [-2.0, 0, 0, 0, 0]\n",
                "camera.toml:4: ", "folds the picture over");
}
