#include "runtime/protocol/report.hpp"

namespace shingle {

ReportFacts facts_of(Report::Kind kind) {
  using Kind = Report::Kind;
  using Details = ReportFacts::Details;
  switch (kind) {
    case Kind::plan_ready:
      return {.name = "plan ready"};
    case Kind::plan_refused:
      return {.name = "plan refused", .is_warning = true};
    case Kind::plan_impaired:
      return {.name = "plan impaired"};
    case Kind::frame_dropped:
      return {.name = "frame dropped", .ends_frame = true};
    case Kind::frame_aborted:
      return {.name = "frame aborted", .ends_frame = true};
    case Kind::frame_reissued:
      return {.name = "frame reissued"};
    case Kind::frame_closed:
      return {.name = "frame closed", .is_frequent = true, .details = Details::elapsed};
    case Kind::peer_joined:
      return {.name = "peer joined", .details = Details::peer};
    case Kind::peer_lost:
      return {.name = "peer lost", .is_warning = true};
    case Kind::tile_done:
      return {.name = "tile done", .is_frequent = true, .details = Details::tile_by_peer};
    case Kind::tile_lent:
      return {.name = "tile lent", .is_frequent = true, .details = Details::tile_to_peer};
    case Kind::message_refused:
      return {.name = "message refused", .is_warning = true};
    case Kind::node_distrusted:
      return {.name = "node distrusted"};
    case Kind::weights_damaged:
      return {.name = "weights damaged", .is_warning = true};
    case Kind::weights_packed:
      return {.name = "weights packed"};
  }
  return {};
}

}  // namespace shingle
