#include "tests/apps/program.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <sstream>

#include "tests/places.hpp"

namespace shingle {
namespace {

ChildProcess started(const ScratchFolder& folder, std::vector<std::string> arguments,
                     const std::string& output_file, const std::string& program) {
  auto process = ChildProcess::start({.program = program.empty() ? shingle_program() : program,
                                      .arguments = std::move(arguments),
                                      .output_file = output_file,
                                      .error_file = folder / "err"});
  REQUIRE(process.ok());
  return std::move(*process);
}

}  // namespace

std::string contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::vector<pid_t> children_of(pid_t process) {
  const std::string id = std::to_string(process);
  std::ifstream list("/proc/" + id + "/task/" + id + "/children");
  std::vector<pid_t> children;
  for (pid_t child = 0; list >> child;) children.push_back(child);
  return children;
}

bool is_alive(pid_t process) {  // a zombie is not
  const std::string stat = contents("/proc/" + std::to_string(process) + "/stat");
  const size_t name_end = stat.rfind(')');
  return name_end != std::string::npos && name_end + 2 < stat.size() && stat[name_end + 2] != 'Z';
}

Program::Program(std::vector<std::string> arguments, std::string output_file,
                 const std::string& program)
    : output_file_(output_file.empty() ? folder_ / "out" : std::move(output_file)),
      process_(started(folder_, std::move(arguments), output_file_, program)) {}

std::string Program::end() {
  const auto how = process_.ended(std::chrono::minutes(6));  // sanitized, three rooms at a time
  REQUIRE_MESSAGE(how.has_value(), "shingle did not end: ", err());
  return *how;
}

std::string Program::out() const { return contents(output_file_); }
std::string Program::err() const { return contents(folder_ / "err"); }

std::vector<std::string> Program::out_lines() const {
  std::istringstream text(out());
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

size_t Program::err_lines() const {
  const std::string text = err();
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace shingle
