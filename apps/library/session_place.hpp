// What the thread of a session opens: a seat in the cluster, and the stream of its model.
#pragma once

#include <memory>
#include <optional>

#include "apps/client/frame_stream.hpp"
#include "apps/library/cluster_seat.hpp"
#include "apps/library/opened_model.hpp"
#include "apps/library/request_desk.hpp"
#include "apps/library/session_settings.hpp"

namespace shingle {

// Ends in the opposite order.
struct SessionPlace {
  ClusterSeat seat;
  std::unique_ptr<FrameStream> stream{};
};

// Returns when all nodes are ready for the plan. The calling thread lives as long as the place.
Result<std::unique_ptr<SessionPlace>> open_session_place(const SessionSettings& settings,
                                                         const ModelPath& path,
                                                         const OpenedModel& model,
                                                         RequestDesk& desk);

}  // namespace shingle
