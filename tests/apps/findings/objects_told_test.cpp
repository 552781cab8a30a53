// Masks, poses, turned boxes, maps, pictures, text and features: how they are told and drawn, and
// when two of them say the same.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <opencv2/imgproc.hpp>

#include "apps/findings/answer.hpp"
#include "apps/run/results.hpp"
#include "apps/vision/annotate.hpp"

using namespace shingle;
using Json = nlohmann::json;

namespace {

const ClassNames names{"road", "car"};

FrameResult result_of(Finding finding) {
  return {.frame = 3, .name = "a.jpg", .milliseconds = 5, .finding = std::move(finding)};
}
Json told(Finding finding) { return Json::parse(json_line(result_of(std::move(finding)), names)); }
std::string said(Finding finding) { return text_line(result_of(std::move(finding)), names); }

const Detection car{1, 0.5F, {10, 20, 30, 40}};
const Instance masked{car, {10, 20, 30, 40, {600, 300, 300}}};

BodyPose pose_of(std::vector<KeyPoint> points) { return {car, std::move(points)}; }

// The pixels that are drawn differently.
cv::Mat drawn(const Finding& finding, cv::Size size = {100, 100}) {
  const cv::Mat before(size, CV_8UC3, cv::Scalar::all(100));
  cv::Mat picture = before.clone(), changed;
  annotate(picture, finding, names);
  cv::extractChannel(picture != before, changed, 1);
  return changed;
}

}  // namespace

TEST_CASE("each kind of object has its line for programs") {
  const Json mask = told(Instances{masked})["boxes"][0];
  CHECK(mask["name"] == "car");
  CHECK(mask["w"] == 30);
  CHECK(mask["mask"] ==
        Json({{"x", 10}, {"y", 20}, {"w", 30}, {"h", 40}, {"runs", {600, 300, 300}}}));
  const Json pose = told(BodyPoses{pose_of({{1.5F, 2, 0.25F}, {}})})["boxes"][0];
  CHECK(pose["score"] == 0.5);
  CHECK(pose["points"] == Json::parse("[[1.5,2,0.25],[0,0,0]]"));
  const Json turned = told(TurnedBoxes{{1, 0.5F, 50, 40, 20, 10, 1.5707963F}})["turned"][0];
  CHECK(turned["cx"] == 50);
  CHECK(turned["angle"] == 90);
  CHECK(turned["corners"] == Json::parse("[[55,30],[55,50],[45,50],[45,30]]"));
}

TEST_CASE("maps, pictures, text and features have their lines for programs") {
  const Json map = told(ValueMap{4, 1, {1, 3, NAN, -2}})["map"];
  CHECK(map["w"] == 4);
  CHECK(map["least"] == -2);
  CHECK(map["most"] == 3);
  CHECK(map["grid"] == Json::parse(R"({"columns":4,"rows":1,"means":[1,3,null,-2]})"));
  CHECK(told(NewPicture{black_bitmap({6, 4}, 3)})["picture"] == Json({{"w", 6}, {"h", 4}}));
  const Json text = told(ReadText{"ab", {1, 2}, 0.5F});
  CHECK(text["text"] == "ab");
  CHECK(text["letters"] == Json({1, 2}));
  CHECK(text["score"] == 0.5);
  CHECK(told(Features{{0.5F, -1, INFINITY}})["features"] == Json::parse("[0.5,-1,null]"));
}

TEST_CASE("a map's grid holds the means of its parts") {
  ValueMap map{.width = 35, .height = 25, .values = {}};
  for (int i = 0; i < 35 * 25; ++i) map.values.push_back(static_cast<float>(i % 35));
  const Json grid = told(map)["map"]["grid"];
  REQUIRE(grid["means"].size() == 16 * 12);
  for (int column = 0; column < 16; ++column) {
    double sum = 0, count = 0;
    for (int x = column * 35 / 16; x < (column + 1) * 35 / 16; ++x) sum += x, ++count;
    for (int row = 0; row < 12; ++row)
      CHECK(grid["means"][static_cast<size_t>(row * 16 + column)].get<double>() ==
            doctest::Approx(sum / count));
  }
}

TEST_CASE("every kind of finding has its line for people") {
  CHECK(said(Instances{masked, masked}) == "a.jpg: 2 car (5 ms)\n");
  CHECK(said(BodyPoses{pose_of({})}) == "a.jpg: 1 car (5 ms)\n");
  CHECK(said(TurnedBoxes{}) == "a.jpg: nothing found (5 ms)\n");
  CHECK(said(ValueMap{2, 1, {0.5F, 20}}) == "a.jpg: values from 0.5 to 20 (5 ms)\n");
  CHECK(said(NewPicture{black_bitmap({6, 4}, 3)}) == "a.jpg: a picture of 6x4 (5 ms)\n");
  CHECK(said(ReadText{"EXIT", {}, 0.5F}) == "a.jpg: 'EXIT' (5 ms)\n");
  CHECK(said(ReadText{}) == "a.jpg: no text (5 ms)\n");
  CHECK(said(Features{{1, 2, 3}}) == "a.jpg: 3 features (5 ms)\n");
}

TEST_CASE("a mask is filled, translucent, and nothing else within its box") {
  const cv::Mat before(100, 100, CV_8UC3, cv::Scalar::all(100));
  cv::Mat picture = before.clone();
  annotate(picture, Instances{{{1, 0.5F, {10, 20, 60, 60}}, {10, 20, 60, 60, {1800, 1800}}}},
           names);
  const cv::Scalar colour = colour_of(1);
  for (int c = 0; c < 3; ++c) {
    CHECK(picture.at<cv::Vec3b>(70, 40)[c] == (100 + static_cast<int>(colour[c])) / 2);
    CHECK(picture.at<cv::Vec3b>(40, 40)[c] == 100);
  }
}

TEST_CASE("a skeleton of 17 points has its bones, and points of low score are left out") {
  std::vector<KeyPoint> points(17);
  points[5] = {20, 60, 0.9F};  // the shoulders
  points[6] = {80, 60, 0.9F};
  const BodyPose pose{{0, 0.5F, {0, 0, 1, 1}}, points};
  CHECK(drawn(BodyPoses{pose}).at<uchar>(60, 50) > 0);
  points[6].score = 0.1F;
  const cv::Mat without = drawn(BodyPoses{BodyPose{pose.detection, points}});
  CHECK(without.at<uchar>(60, 50) == 0);
  CHECK(without.at<uchar>(60, 80) == 0);
  CHECK(without.at<uchar>(60, 20) > 0);
  points.pop_back();  // another skeleton than COCO's: points alone
  points[6].score = 0.9F;
  const cv::Mat other = drawn(BodyPoses{BodyPose{pose.detection, points}});
  CHECK(other.at<uchar>(60, 50) == 0);
  CHECK(other.at<uchar>(60, 80) > 0);
}

TEST_CASE("a turned box is drawn along its sides") {
  const TurnedBox box{1, 0.5F, 100, 100, 80, 40, 0.5F};
  const cv::Mat pixels = drawn(TurnedBoxes{box}, {200, 200});
  const auto corners = corners_of(box);
  for (size_t side = 1; side < 3; ++side) {  // no label lies on these
    const PixelPoint a = corners[side], b = corners[(side + 1) % 4];
    const cv::Rect around(cvRound((a.x + b.x) / 2) - 2, cvRound((a.y + b.y) / 2) - 2, 5, 5);
    CHECK(cv::countNonZero(pixels(around)) > 0);
  }
  CHECK(pixels.at<uchar>(100, 100) == 0);
}

TEST_CASE("text is drawn, features are not") {
  CHECK(cv::countNonZero(drawn(ReadText{"EXIT", {1}, 0.5F})) > 0);
  CHECK(cv::countNonZero(drawn(Features{{1, 2}})) == 0);
}

TEST_CASE("two findings say the same where people would say so") {
  Instance moved = masked;
  moved.detection.box.x += 2;
  CHECK(same_answer(Instances{masked}, Instances{moved}));
  moved.detection.class_id = 0;
  CHECK_FALSE(same_answer(Instances{masked}, Instances{moved}));
  CHECK(same_answer(BodyPoses{pose_of({})}, BodyPoses{pose_of({})}));
  const TurnedBox box{1, 0.5F, 50, 50, 40, 10, 0.3F};
  TurnedBox across = box;
  across.angle += 1.5F;
  CHECK(same_answer(TurnedBoxes{box}, TurnedBoxes{box}));
  CHECK_FALSE(same_answer(TurnedBoxes{box}, TurnedBoxes{across}));
  CHECK(same_answer(ReadText{"a", {1}, 0.9F}, ReadText{"a", {1}, 0.5F}));
  CHECK_FALSE(same_answer(ReadText{"a", {1}, 0.9F}, ReadText{"b", {2}, 0.9F}));
  CHECK(same_answer(Features{{1, 2, 3}}, Features{{1, 2, 3.001F}}));
  CHECK_FALSE(same_answer(Features{{1, 2, 3}}, Features{{1, 2, -3}}));
  CHECK(same_answer(ValueMap{2, 1, {1, NAN}}, ValueMap{2, 1, {1, NAN}}));
  CHECK_FALSE(same_answer(ValueMap{2, 1, {1, 2}}, ValueMap{2, 1, {1, 3}}));
  const NewPicture grey{{{2, 2}, 1, {9, 9, 9, 9}}};
  CHECK(same_answer(grey, grey));
  CHECK_FALSE(same_answer(grey, NewPicture{{{2, 2}, 1, {90, 90, 90, 90}}}));
  CHECK_FALSE(same_answer(grey, Features{{1}}));
}
