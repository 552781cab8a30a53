// GStreamer's own programs, and the examples.
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "tests/apps/program.hpp"
#include "tests/gstreamer/pipeline_fixture.hpp"
#include "tests/places.hpp"

using namespace shingle;
using namespace shingle::testing;

namespace {

// Its output; the test fails if it does.
std::string shell(const std::string& line) {
  start_gstreamer();  // sets the variables that programs need
  Program program({"-c", line}, {}, "/bin/sh");
  const std::string how = program.end();
  REQUIRE_MESSAGE(how == "exit code 0", line, "\n", program.out(), program.err());
  return program.out();
}

std::string street() { return source_folder() + "/docs/pictures/frame-000000.png"; }

std::string street_frames(int count) {
  return "filesrc location=" + street() +
         " ! pngdec ! imagefreeze num-buffers=" + std::to_string(count);
}

nlohmann::json boxes_by_the_program() {
  return nlohmann::json::parse(shell("'" + shingle_program() + "' run '" + vehicles_model() +
                                     "' '" + street() + "' --workers 2 --json | head -1"))["boxes"];
}

std::string node_variable() { return "SHINGLE_NODE='" + node_program() + "' "; }

}  // namespace

TEST_CASE("gst-inspect-1.0 describes the element, and says nothing else") {
  start_gstreamer();
  Program program({"shingleinfer"}, {}, "/usr/bin/gst-inspect-1.0");
  REQUIRE_MESSAGE(program.end() == "exit code 0", program.err());
  CHECK(program.err().empty());
  const std::string told = program.out();
  for (const char* part : {"Distributed inference",
                           "{ (string)BGR, (string)RGB }",
                           "SINK template",
                           "SRC template",
                           "model",
                           "cluster",
                           "open",
                           "workers",
                           "threads",
                           "score",
                           "nms",
                           "names",
                           "weights",
                           "keys",
                           "insecure",
                           "head",
                           "node-program",
                           "options",
                           "qos",
                           "attach",
                           "frames",
                           "dropped",
                           "errors",
                           "stats"})
    CHECK_MESSAGE(told.find(part) != std::string::npos, part);
  Program plugin({"shingle"}, {}, "/usr/bin/gst-inspect-1.0");
  CHECK(plugin.end() == "exit code 0");
  CHECK(plugin.err().empty());
  CHECK(plugin.out().find("1 features") != std::string::npos);
}

TEST_CASE("an installed plugin is found, and finds the library and the program of workers") {
  const ScratchFolder installed;
  const auto build = std::filesystem::path(shingle_program()).parent_path().parent_path();
  for (const char* component : {"gstreamer", "runtime"})
    shell("cmake --install '" + build.string() + "' --prefix '" + installed.path() +
          "' --component " + component);
  std::filesystem::create_directory(installed / "bin");
  std::filesystem::copy(node_program(), installed / "bin/shingle-node");
  const std::string plugin = shell("find '" + installed.path() + "' -name libgstshingle.so");
  CHECK(plugin.ends_with("-linux-gnu/gstreamer-1.0/libgstshingle.so\n"));
  const std::string library = shell("find '" + installed.path() + "' -name libshingle.so.0");
  const auto folder_of = [](const std::string& path) { return path.substr(0, path.rfind('/')); };
  shell("env -u SHINGLE_NODE GST_REGISTRY='" + (installed / "registry") + "' GST_PLUGIN_PATH='" +
        folder_of(plugin) + "' LD_LIBRARY_PATH='" + folder_of(library) + "' gst-launch-1.0 -q " +
        street_frames(2) + " ! videoconvert ! shingleinfer workers=2 model='" + vehicles_model() +
        "' ! fakesink");
}

TEST_CASE("the plugin names only what it needs from outside") {
  const auto apps = std::filesystem::path(shingle_program()).parent_path();
  const std::string plugin = (apps / "gstreamer/gstreamer-1.0/libgstshingle.so").string();
  const std::string symbols =
      shell("nm -D --defined-only '" + plugin + "' | awk '$2 != \"A\" { print $3 }'");
  std::istringstream lines(symbols);
  for (std::string line; std::getline(lines, line);)
    CHECK_MESSAGE(line.starts_with("gst_plugin_shingle_"), line);
  CHECK(shell("ldd '" + plugin + "'").find("opencv") == std::string::npos);
}

TEST_CASE("gst-launch-1.0 runs a pipeline, and fails with the sentence if the model is wrong") {
  const std::string tail = " ! videoconvert ! shingleinfer workers=2 model=";
  shell(node_variable() + "gst-launch-1.0 -q " + street_frames(3) + tail + "'" + vehicles_model() +
        "' ! fakesink");
  start_gstreamer();
  Program wrong({"-c", "gst-launch-1.0 videotestsrc" + tail + "/nowhere.onnx ! fakesink"}, {},
                "/bin/sh");
  CHECK(wrong.end() != "exit code 0");
  CHECK_MESSAGE(wrong.err().find("/nowhere.onnx") != std::string::npos, wrong.err());
}

TEST_CASE("the example in C builds with pkg-config, and prints the boxes of `shingle run`") {
  const ScratchFolder built;
  shell("cc -std=c11 -Wall -Wextra -Werror -pedantic '" + source_folder() +
        "/examples/gstreamer/boxes.c' -o '" + (built / "boxes") +
        "' $(pkg-config --cflags --libs gstreamer-app-1.0 gstreamer-video-1.0)");
  std::istringstream lines(shell(node_variable() + "'" + (built / "boxes") + "' '" +
                                 vehicles_model() + "' '" + street_frames(2) + "'"));
  const nlohmann::json wanted = boxes_by_the_program();
  REQUIRE(wanted.size() > 5);
  for (int frame = 0; frame < 2; ++frame)
    for (const auto& box : wanted) {
      int number = -1;
      std::string name;
      double score = 0.0, left = 0.0, top = 0.0, right = 0.0, bottom = 0.0;
      REQUIRE((lines >> number >> name >> score >> left >> top >> right >> bottom));
      CHECK(number == frame);
      CHECK(name == box["name"].get<std::string>());
      CHECK(std::abs(score - box["score"].get<double>()) < 0.011);
      CHECK(std::abs(left - box["x"].get<double>()) < 1.0);
      CHECK(std::abs(top - box["y"].get<double>()) < 1.0);
      CHECK(std::abs(right - box["x"].get<double>() - box["w"].get<double>()) < 1.0);
      CHECK(std::abs(bottom - box["y"].get<double>() - box["h"].get<double>()) < 1.0);
    }
  std::string more;
  CHECK_FALSE((lines >> more));
}

TEST_CASE("the example in C says what is wrong with a model") {
  const ScratchFolder built;
  shell("cc -std=c11 '" + source_folder() + "/examples/gstreamer/boxes.c' -o '" +
        (built / "boxes") +
        "' $(pkg-config --cflags --libs gstreamer-app-1.0 gstreamer-video-1.0)");
  Program program({"/nowhere.onnx", "videotestsrc num-buffers=1"}, {}, built / "boxes");
  CHECK(program.end() == "exit code 1");
  CHECK_MESSAGE(program.err().find("/nowhere.onnx") != std::string::npos, program.err());
}

TEST_CASE("the example in Python prints the findings of `shingle run`") {
  Program gi({"-c", "import gi"}, {}, "/usr/bin/python3");
  if (gi.end() != "exit code 0") {
    MESSAGE("skipped: python3-gi is not installed (tools/deps)");
    return;
  }
  std::istringstream lines(shell(node_variable() + "/usr/bin/python3 '" + source_folder() +
                                 "/examples/gstreamer/findings.py' '" + vehicles_model() + "' '" +
                                 street_frames(2) + "'"));
  const nlohmann::json wanted = boxes_by_the_program();
  int frames = 0;
  for (std::string line; std::getline(lines, line); ++frames)
    CHECK(nlohmann::json::parse(line)["boxes"] == wanted);
  CHECK(frames == 2);
}
