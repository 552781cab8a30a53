// ClusterSeat: one session's share of this process's place in a cluster. A process is a node of a
// cluster once, with one port and one set of connections; all its sessions on that node share it.
//
//   session A -- seat --.
//                       +-- place: node 5 of boards.toml, a StreamSession
//   session B -- seat --'
//
// The first seat opens the place, the last one closes it. Local workers are a place of their own
// for each session.
#pragma once

#include <memory>

#include "apps/client/stream_session.hpp"
#include "apps/client/workplace.hpp"
#include "apps/library/request_desk.hpp"
#include "apps/library/session_settings.hpp"
#include "apps/library/shared_log.hpp"

namespace shingle {

class ClusterSeat {
 public:
  // Waits while another session opens or closes the place. SHINGLE_USAGE: a session that is there
  // already has other values of options that hold for the whole process. `model`: for local
  // workers. The calling thread lives as long as the seat.
  static Result<ClusterSeat> take(const SessionSettings& settings, const ModelPath& model,
                                  RequestDesk& desk);
  ~ClusterSeat();
  ClusterSeat(ClusterSeat&&) noexcept = default;
  ClusterSeat& operator=(ClusterSeat&&) = delete;

  Workplace& workplace() const;
  StreamSession& session() const;

 private:
  struct Place;
  static std::shared_ptr<Place> place_of(const PlaceSettings& wanted);
  static Status open(Place& place, const SessionSettings& settings, const ModelPath& model,
                     RequestDesk& desk);
  ClusterSeat(std::shared_ptr<Place> place, std::shared_ptr<SharedLog::Reader> reader)
      : place_(std::move(place)), reader_(std::move(reader)) {}

  std::shared_ptr<Place> place_;  // null: moved from
  std::shared_ptr<SharedLog::Reader> reader_;
};

}  // namespace shingle
