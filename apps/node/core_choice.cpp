#include "apps/node/core_choice.hpp"

#include <CLI/CLI.hpp>

#include "devices/threads/cores.hpp"

namespace shingle {

void describe_cores(CLI::App& verb, std::string& cores) {
  verb.add_option("--cores", cores, "compute on these cores: all, big, or a list such as 0,2-3")
      ->type_name("CORES")
      ->check([](const std::string& text) {
        return is_core_choice(text) ? std::string() : "'" + text + "'" + core_choices;
      });
}

Result<uint32_t> take_cores(const std::string& choice, std::optional<uint32_t> threads,
                            uint32_t usual) {
  if (choice.empty()) return threads.value_or(usual);
  const auto cores = chosen_cores(choice, allowed(read_cores()));
  if (!cores) return Error{cores.error()};
  if (const Status bound = run_on(*cores); !bound) return Error{bound.error()};
  return threads.value_or(static_cast<uint32_t>(cores->size()));
}

}  // namespace shingle
