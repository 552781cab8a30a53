// What the thread of a session opens: the workplace, the session in the cluster, and the stream of
// its model.
#pragma once

#include <memory>
#include <optional>

#include "apps/client/frame_stream.hpp"
#include "apps/client/workplace.hpp"
#include "apps/library/opened_model.hpp"
#include "apps/library/request_desk.hpp"
#include "apps/library/session_settings.hpp"

namespace shingle {

// Ends in the opposite order.
struct SessionPlace {
  Workplace workplace;
  std::unique_ptr<StreamSession> session{};
  std::unique_ptr<FrameStream> stream{};
};

// Returns when all nodes are ready for the plan. The calling thread lives as long as the place.
Result<std::unique_ptr<SessionPlace>> open_session_place(const SessionSettings& settings,
                                                         const OpenedModel& model,
                                                         RequestDesk& desk);

}  // namespace shingle
