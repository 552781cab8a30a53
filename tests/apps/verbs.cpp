#include "tests/apps/verbs.hpp"

#include <doctest/doctest.h>

#include <opencv2/imgcodecs.hpp>

#include "tests/clips/clips.hpp"
#include "tests/networks/networks.hpp"

namespace shingle {

std::string model_in(const ScratchFolder& folder, const std::string& name) {
  auto model = networks::make(name, 0, 1);
  REQUIRE(model.ok());
  return folder.with_text(name + ".onnx", networks::to_onnx(*model));
}

std::string clip_in(const ScratchFolder& folder, int frames) {
  const std::string path = folder / "clip.mp4";
  REQUIRE(clips::render(path, frames, {160, 120}, 25.0).ok());
  return path;
}

std::string image_in(const ScratchFolder& folder) {
  const std::string path = folder / "image.png";
  REQUIRE(cv::imwrite(path, clips::picture(0, {160, 120})));
  return path;
}

std::string plan_in(const ScratchFolder& folder, const std::string& model, const char* nodes) {
  const std::string path = folder / "shared.plan";
  Program plan({"plan", model, "--nodes", nodes, "--grid", "2x4", "--out", path});
  REQUIRE_MESSAGE(plan.end() == "exit code 0", plan.err());
  return path;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

void check_refusal(Program& program, const std::string& exit, const std::string& part) {
  CHECK(program.end() == exit);
  CHECK_MESSAGE(program.err_lines() == 1, program.err());
  CHECK(program.err().starts_with("shingle: "));
  CHECK_MESSAGE(has(program.err(), part), program.err());
  CHECK(program.out().empty());
}

std::string cluster_text(const std::vector<uint16_t>& ports) {
  std::string text;
  for (size_t i = 0; i < ports.size(); ++i)
    text += "[[node]]\nid = " + std::to_string(i) + "\nname = \"board" + std::to_string(i) +
            "\"\nport = " + std::to_string(ports[i]) + "\n";
  return text;
}

}  // namespace shingle
