#include <CLI/CLI.hpp>

#include "apps/node/admission.hpp"

namespace shingle {

void describe(CLI::App& verb, Admission& admission) {
  auto* keys =
      verb.add_option("--keys", admission.keys,
                      "folder of keys (default: $SHINGLE_KEYS, else ~/.config/shingle/keys)")
          ->type_name("FOLDER");
  verb.add_flag("--insecure", admission.insecure,
                "use no keys: no encryption, and anybody may join")
      ->excludes(keys);
}

}  // namespace shingle
