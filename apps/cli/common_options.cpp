#include "apps/cli/common_options.hpp"

#include <CLI/CLI.hpp>

#include "apps/models/onnx_file.hpp"
#include "devices/files/toml_text.hpp"

namespace shingle {

std::string check_memory(const std::string& text) {
  const auto bytes = memory_cap(text);
  return bytes ? "" : bytes.error();
}

CLI::Validator checked(std::string (*check)(const std::string&)) {
  return CLI::Validator([check](const std::string& text) { return check(text); }, "");
}

void describe_max_constants(CLI::App& verb, std::string& max_constants) {
  verb.add_option("--max-constants", max_constants,
                  "memory limit for the constants that an ONNX file computes, such as 512MiB "
                  "(default: half of the memory)")
      ->type_name("SIZE")
      ->check(checked(check_memory));
}

int64_t constant_bytes_of(const std::string& max_constants, int64_t memory_cap) {
  return max_constants.empty() ? usual_constant_bytes(memory_cap)
                               : shingle::memory_cap(max_constants).value();
}

Result<int64_t> memory_cap(const std::string& text) {
  const auto bytes = memory_with_unit(text);
  if (!bytes || *bytes <= 0)
    return Error{
        "'" + text +
        "' is not an amount of memory; write a number with KiB, MiB or GiB, such as 48MiB"};
  return *bytes;
}

}  // namespace shingle
