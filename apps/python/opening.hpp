// shingle_open() with Ctrl-C: it runs on a thread of its own while Python's waits and looks for
// signals.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/python/mailbox.hpp"
#include "shingle/shingle.h"

namespace shingle::python {

struct OpeningOptions {
  std::vector<std::pair<std::string, std::string>>
      values;                             // names and values of shingle_options_set()
  std::optional<std::string_view> model;  // bytes of a model, instead of its file
};

// The open session, whose notes go to `mailbox`. Throws the library's error, or what a signal's
// handler raised: then the session is closed in the background as soon as it is open. Requires the
// GIL.
shingle_session* open_session(const OpeningOptions& options, std::shared_ptr<Mailbox> mailbox);

// Waits for sessions that nobody waits for any more, at most two seconds, as the interpreter is
// ending.
void end_openings();

// In a child of fork(), which has none of their threads.
void forget_openings() noexcept;

}  // namespace shingle::python
