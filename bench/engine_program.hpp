// U-Net at 1080p as a user runs it: one process of `shingle run` computes one picture with a memory
// cap, by a plan of five tiles side by side.
#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apps/system/reserved_ports.hpp"
#include "bench/engine_unet.hpp"

namespace shingle::bench {

// The plan asks for 233 MiB, and a cap leaves 4 % free.
inline constexpr const char* unet_cap = "244MiB";
inline constexpr int64_t unet_cap_bytes = int64_t{244} << 20;

struct ProgramRun {
  double frame_seconds = NAN;  // as the program says
  double peak_mb = NAN;        // as the kernel says, the program itself included
  std::string trouble = {};    // why there are no figures
};

inline std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Waits for the end.
inline Status run_to_end(const std::vector<std::string>& words, const std::string& out,
                         const std::string& errors) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&files, 1, out.c_str(), flags, 0600);
  posix_spawn_file_actions_addopen(&files, 2, errors.c_str(), flags, 0600);
  pid_t child = 0;
  const int failed = posix_spawn(&child, arguments[0], &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) return Error{"cannot start " + words[0] + ": build the target 'shingle'"};
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0)
    return Error{"'shingle " + words[1] + "' failed: " + text_of(errors)};
  return success();
}

// The number behind `key` in the program's lines of JSON.
inline double told(const std::string& lines, const std::string& key) {
  const std::string text = "\"" + key + "\":";
  const size_t at = lines.find(text);
  return at == std::string::npos ? NAN : std::strtod(lines.c_str() + at + text.size(), nullptr);
}

// The files of a run. The caller removes the folder.
struct UnetRun {
  std::string program, folder;

  std::string file(const char* name) const { return folder + "/" + name; }
  void write() const {
    std::ofstream(file("unet_run.onnx"), std::ios::binary)
        << networks::to_onnx(networks::original_unet(unet_height, unet_width));
    std::ofstream(file("picture.ppm"), std::ios::binary)
        << "P6 " << unet_width << ' ' << unet_height << " 255\n"
        << std::string(size_t{3} * unet_width * unet_height, 'd');
  }
  std::vector<std::string> plan_words() const {
    return {program,
            "plan",
            file("unet_run.onnx"),
            "--cluster",
            file("alone.toml"),
            "--owner",
            "0",
            "--memory",
            unet_cap,
            "--open-frames",
            "1",
            "--grid",
            "1x5",
            "--head",
            "raw",
            "--out",
            file("unet.plan")};
  }
  std::vector<std::string> run_words() const {
    return {program,
            "run",
            file("unet_run.onnx"),
            file("picture.ppm"),
            "--cluster",
            file("alone.toml"),
            "--id",
            "0",
            "--compute",
            "--insecure",
            "--memory",
            unet_cap,
            "--open",
            "1",
            "--plan",
            file("unet.plan"),
            "--head",
            "raw",
            "--json"};
  }
};

inline ProgramRun unet_program(const std::string& bench, const std::string& folder) {
  const UnetRun run{(std::filesystem::path(bench).parent_path() / "../apps/shingle").string(),
                    folder};
  run.write();
  const ReservedPorts ports = must(ReservedPorts::on_loopback(1));
  std::ofstream(run.file("alone.toml"))
      << "[[node]]\nid = 0\naddress = \"127.0.0.1\"\nport = " << ports.ports()[0] << '\n';
  const std::string out = run.file("unet_run.out"), errors = run.file("unet_run.err");
  Status done = run_to_end(run.plan_words(), out, errors);
  if (done) done = run_to_end(run.run_words(), out, errors);
  std::filesystem::remove(run.file("unet_run.onnx"));
  if (!done) return {.frame_seconds = NAN, .peak_mb = NAN, .trouble = done.error()};
  // The kernel's peak for a child (getrusage) includes the memory that its parent held.
  const std::string lines = text_of(out);
  return {.frame_seconds = told(lines, "ms") * 1e-3,
          .peak_mb = told(lines, "most_resident_bytes") * 1e-6,
          .trouble = {}};
}

}  // namespace shingle::bench
