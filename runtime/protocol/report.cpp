#include "runtime/protocol/report.hpp"

namespace shingle {

const char* name_of(Report::Kind kind) {
  switch (kind) {
    case Report::Kind::plan_ready:
      return "plan ready";
    case Report::Kind::plan_refused:
      return "plan refused";
    case Report::Kind::plan_impaired:
      return "plan impaired";
    case Report::Kind::frame_dropped:
      return "frame dropped";
    case Report::Kind::frame_aborted:
      return "frame aborted";
    case Report::Kind::frame_reissued:
      return "frame reissued";
    case Report::Kind::frame_closed:
      return "frame closed";
    case Report::Kind::peer_joined:
      return "peer joined";
    case Report::Kind::peer_lost:
      return "peer lost";
    case Report::Kind::tile_done:
      return "tile done";
    case Report::Kind::tile_lent:
      return "tile lent";
    case Report::Kind::message_refused:
      return "message refused";
    case Report::Kind::node_distrusted:
      return "node distrusted";
    case Report::Kind::weights_damaged:
      return "weights damaged";
    case Report::Kind::weights_packed:
      return "weights packed";
  }
  return "";
}

bool is_warning(Report::Kind kind) {
  switch (kind) {
    case Report::Kind::plan_refused:
    case Report::Kind::peer_lost:
    case Report::Kind::message_refused:
    case Report::Kind::weights_damaged:
      return true;
    case Report::Kind::plan_ready:
    case Report::Kind::plan_impaired:
    case Report::Kind::frame_dropped:
    case Report::Kind::frame_aborted:
    case Report::Kind::frame_reissued:
    case Report::Kind::frame_closed:
    case Report::Kind::peer_joined:
    case Report::Kind::tile_done:
    case Report::Kind::tile_lent:
    case Report::Kind::node_distrusted:
    case Report::Kind::weights_packed:
      return false;
  }
  return false;
}

bool is_frequent(Report::Kind kind) {
  switch (kind) {
    case Report::Kind::frame_closed:
    case Report::Kind::tile_done:
    case Report::Kind::tile_lent:
      return true;
    case Report::Kind::plan_ready:
    case Report::Kind::plan_refused:
    case Report::Kind::plan_impaired:
    case Report::Kind::frame_dropped:
    case Report::Kind::frame_aborted:
    case Report::Kind::frame_reissued:
    case Report::Kind::peer_joined:
    case Report::Kind::peer_lost:
    case Report::Kind::message_refused:
    case Report::Kind::node_distrusted:
    case Report::Kind::weights_damaged:
    case Report::Kind::weights_packed:
      return false;
  }
  return false;
}

bool ends_frame(Report::Kind kind) {
  switch (kind) {
    case Report::Kind::frame_dropped:
    case Report::Kind::frame_aborted:
      return true;
    case Report::Kind::plan_ready:
    case Report::Kind::plan_refused:
    case Report::Kind::plan_impaired:
    case Report::Kind::frame_reissued:
    case Report::Kind::frame_closed:
    case Report::Kind::peer_joined:
    case Report::Kind::peer_lost:
    case Report::Kind::tile_done:
    case Report::Kind::tile_lent:
    case Report::Kind::message_refused:
    case Report::Kind::node_distrusted:
    case Report::Kind::weights_damaged:
    case Report::Kind::weights_packed:
      return false;
  }
  return false;
}

}  // namespace shingle
