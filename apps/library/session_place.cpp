#include "apps/library/session_place.hpp"

#include <algorithm>

#include "apps/client/plan_file.hpp"
#include "devices/weights/compiled_file.hpp"
#include "partition/search/rotation_search.hpp"

namespace shingle {
namespace {

// Of a file that has the model's plan; empty: it is searched for.
std::string plan_path(const SessionSettings& settings, const ModelPath& model) {
  if (!settings.stream.plan.empty()) return settings.stream.plan;
  return CompiledFile::is_one(model.path) ? model.path : std::string();
}

// Fills in the rotation, and what it was found for.
Status choose_plan(const SessionSettings& settings, const ModelPath& model, const ClusterSeat& seat,
                   StreamOptions& stream) {
  const Workplace& place = seat.workplace();
  Cluster cluster = computing_nodes(place, false);
  if (cluster.nodes.empty()) return Error{"the cluster file has no node besides this one"};
  const std::vector<NodeId> lost = seat.session().lost_members();  // while others used the place
  std::erase_if(cluster.nodes, [&](const ClusterNode& node) {
    return std::ranges::find(lost, node.id) != lost.end();
  });
  if (cluster.nodes.empty()) return Error{"no node of the cluster is there any more"};
  if (const std::string path = plan_path(settings, model); !path.empty()) {
    std::vector<NodeId> members;
    for (const ClusterNode& node : cluster.nodes) members.push_back(node.id);
    auto rotation = read_plan_file(path, *stream.model, members);
    if (!rotation) return bad_input(rotation.error());
    stream.rotation = std::move(*rotation);
    return success();
  }
  const Goal goal{.kind = settings.stream.goal,
                  .owner = place.owner,
                  .open_frames = static_cast<int32_t>(settings.stream.open_frames),
                  .deadline = settings.stream.deadline.value_or(Duration::zero())};
  auto found = find_rotation(*stream.model, cluster, goal);
  if (!found) return found.failure();
  stream.rotation = found->rotation;
  // Of local workers neither speeds nor wires are known: measured speeds alone would mislead.
  const bool known = !place.workers && cluster.nodes.size() > 1;
  if (known && !settings.stream.keep_plan) stream.basis = {cluster, goal, std::move(*found)};
  return success();
}

}  // namespace

Result<std::unique_ptr<SessionPlace>> open_session_place(const SessionSettings& settings,
                                                         const ModelPath& path,
                                                         const OpenedModel& model,
                                                         RequestDesk& desk) {
  auto seat = ClusterSeat::take(settings, path, desk);
  if (!seat) return seat.failure();
  auto place = std::make_unique<SessionPlace>(SessionPlace{.seat = std::move(*seat)});
  Workplace& workplace = place->seat.workplace();
  const bool has_file = settings.model.bytes == nullptr;  // bytes: no file to copy
  StreamOptions stream{.model = model.model(),
                       .rotation = {},
                       .open_frames = settings.stream.open_frames,
                       .start_patience = settings.stream.start_patience,
                       .model_file = has_file ? path.path : "",
                       .log = settings.log};
  stream.trouble = [&workplace, &desk]() -> std::optional<std::string> {
    if (desk.is_closed()) return "the session was closed";
    return workplace.workers ? workplace.workers->ended() : std::nullopt;
  };
  if (const Status chosen = choose_plan(settings, path, place->seat, stream); !chosen)
    return chosen.failure();
  auto opened = FrameStream::open(place->seat.session(), std::move(stream));
  if (!opened) return opened.failure();
  place->stream = std::move(*opened);
  return place;
}

}  // namespace shingle
