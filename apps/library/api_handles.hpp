// Which handles the functions of shingle.h take and give.
#pragma once

#include "apps/library/handles.hpp"
#include "apps/library/library_request.hpp"
#include "apps/library/library_session.hpp"
#include "apps/library/session_settings.hpp"

namespace shingle {

// Setters of one handle may run at the same time.
struct LibraryOptions {
  std::mutex mutex;
  SessionSettings settings;
};

using OptionsHandles = Handles<LibraryOptions, shingle_options>;
using SessionHandles = Handles<LibrarySession, shingle_session>;
using RequestHandles = Handles<LibraryRequest, shingle_request>;

}  // namespace shingle
