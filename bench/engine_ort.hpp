// OrtPeer: ONNX Runtime in a child process (bench/ort_peer.js), which gets its commands through a
// pipe. It sleeps while other engines are timed.
#pragma once

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>

#include "bench/first_line.hpp"
#include "bench/measure.hpp"
#include "partition/model/element.hpp"
#include "partition/model/region.hpp"
#include "tests/places.hpp"

namespace shingle::bench {

class OrtPeer {
 public:
  // Nothing, with a sentence on stderr, if tools/peers or Node.js is not installed.
  static std::unique_ptr<OrtPeer> start() {
    const std::string folder = first_line((source_folder() + "/tools/peers").c_str());
    if (folder.empty()) return nullptr;
    std::unique_ptr<OrtPeer> peer(new OrtPeer(folder));
    if (peer->ask("load") != "") return peer;
    std::fprintf(stderr, "bench: node does not start, so ONNX Runtime is left out\n");
    return nullptr;
  }

  ~OrtPeer() {
    std::fclose(to_);
    std::fclose(from_);
    waitpid(child_, nullptr, 0);
  }
  OrtPeer(const OrtPeer&) = delete;
  OrtPeer& operator=(const OrtPeer&) = delete;

  // Dims as ONNX has them; the file at `input` holds those of the model's input, then its floats.
  // The session uses the fastest setting of spinning and binding of its workers. Returns the name
  // of that setting, or nothing if ONNX Runtime cannot run the model.
  std::optional<std::string> load(const std::string& model, const std::string& input, int threads) {
    const std::string answer = ask("load " + model + " " + input + " " + std::to_string(threads));
    if (!answer.starts_with("ok ")) return {};
    return answer.substr(3);
  }
  // The same with the usual setting, without trying which is the fastest.
  bool open(const std::string& model, const std::string& input, int threads) {
    return ask("open " + model + " " + input + " " + std::to_string(threads)) == "ok";
  }
  double run_seconds(bool cpu_time) {
    return std::atof(ask(cpu_time ? "cpu" : "run").c_str()) * 1e-3;
  }
  std::vector<float> outputs(const std::string& scratch_file) {
    if (ask("save " + scratch_file) != "ok") return {};
    std::ifstream file(scratch_file, std::ios::binary | std::ios::ate);
    std::vector<float> values(floats_in(static_cast<size_t>(file.tellg())));
    file.seekg(0);
    file.read(reinterpret_cast<char*>(values.data()),
              static_cast<std::streamsize>(bytes_of_floats(values.size())));
    return values;
  }

 private:
  explicit OrtPeer(const std::string& folder) {
    std::array<int, 2> down{}, up{};
    if (pipe(down.data()) != 0 || pipe(up.data()) != 0) std::abort();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, down[0], 0);
    posix_spawn_file_actions_adddup2(&actions, up[1], 1);
    for (const int end : {down[0], down[1], up[0], up[1]})
      posix_spawn_file_actions_addclose(&actions, end);
    setenv("NODE_PATH", (folder + "/node_modules").c_str(), 1);
    std::string node = "node", script = source_folder() + "/bench/ort_peer.js";
    std::array<char*, 3> arguments{node.data(), script.data(), nullptr};
    posix_spawnp(&child_, "node", &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(down[0]);
    close(up[1]);
    to_ = fdopen(down[1], "w");
    from_ = fdopen(up[0], "r");
  }

  // Sends a line and returns the answer; empty if there is none.
  std::string ask(const std::string& line) {
    std::fprintf(to_, "%s\n", line.c_str());
    std::fflush(to_);
    std::array<char, 4096> answer{};
    if (std::fgets(answer.data(), answer.size(), from_) == nullptr) return {};
    answer[std::strcspn(answer.data(), "\n")] = '\0';
    if (std::strncmp(answer.data(), "error", 5) == 0 && line != "load")
      std::fprintf(stderr, "bench: ONNX Runtime: %s\n", answer.data());
    return answer.data();
  }

  pid_t child_ = -1;
  std::FILE *to_ = nullptr, *from_ = nullptr;
};

}  // namespace shingle::bench
