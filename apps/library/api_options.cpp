// Options, errors and texts of shingle.h.
#include <shingle/shingle.h>

#include <cstdlib>

#include "apps/library/api_handles.hpp"
#include "apps/library/last_error.hpp"
#include "apps/library/log_call.hpp"

using namespace shingle;

const char* shingle_error(void) { return last_error(); }

const char* shingle_version(void) { return SHINGLE_LIBRARY_VERSION; }

void shingle_text_free(char* text) { std::free(text); }

shingle_code shingle_options_new(shingle_options** options) {
  return guarded([&] {
    if (options == nullptr) return failed(SHINGLE_USAGE, "the place for the options is null");
    *options = nullptr;
    *options = OptionsHandles::add(std::make_shared<LibraryOptions>());
    return shingle_code{SHINGLE_OK};
  });
}

shingle_code shingle_options_free(shingle_options* options) {
  return guarded([&] {
    shingle_code code = SHINGLE_OK;
    OptionsHandles::take(options, "handle of options", code);
    return code;
  });
}

shingle_code shingle_options_set(shingle_options* options, const char* name, const char* value) {
  return guarded([&] {
    shingle_code code = SHINGLE_OK;
    const auto found = OptionsHandles::find(options, "handle of options", code);
    if (found == nullptr) return code;
    if (name == nullptr) return failed(SHINGLE_USAGE, "the option's name is null");
    if (value == nullptr)
      return failed(SHINGLE_USAGE, std::string("option '") + name + "': its value is null");
    const std::lock_guard lock(found->mutex);
    const Status taken = set(found->settings, name, value);
    return taken ? shingle_code{SHINGLE_OK} : failed(taken.failure());
  });
}

shingle_code shingle_options_set_model(shingle_options* options, const void* bytes, size_t size) {
  return guarded([&] {
    shingle_code code = SHINGLE_OK;
    const auto found = OptionsHandles::find(options, "handle of options", code);
    if (found == nullptr) return code;
    if (bytes == nullptr || size == 0) return failed(SHINGLE_USAGE, "the model has no bytes");
    const auto* data = static_cast<const std::byte*>(bytes);
    auto copy = std::make_shared<const std::vector<std::byte>>(data, data + size);
    const std::lock_guard lock(found->mutex);
    found->settings.model.bytes = std::move(copy);
    found->settings.model.path.clear();
    return shingle_code{SHINGLE_OK};
  });
}

shingle_code shingle_options_set_log(shingle_options* options, shingle_log_function log,
                                     void* user) {
  return guarded([&] {
    shingle_code code = SHINGLE_OK;
    const auto found = OptionsHandles::find(options, "handle of options", code);
    if (found == nullptr) return code;
    const std::lock_guard lock(found->mutex);
    found->settings.log = {};
    if (log != nullptr)
      found->settings.log = [log, user](LogLevel level, const std::string& sentence) {
        const LogCall call;
        try {
          log(level == LogLevel::warning ? SHINGLE_WARNING : SHINGLE_INFO, sentence.c_str(), user);
        } catch (...) {  // there is nobody to tell
        }
      };
    return shingle_code{SHINGLE_OK};
  });
}
