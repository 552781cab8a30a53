#include "apps/library/cluster_seat.hpp"

#include <filesystem>
#include <map>
#include <utility>

#include "apps/library/node_program.hpp"
#include "apps/library/of_this_process.hpp"

namespace shingle {
namespace {

// What is the same for all sessions of a place.
struct PlaceRules {
  PlaceSettings place{};
  double audit_share = 0.0;
};

}  // namespace

struct ClusterSeat::Place {
  std::mutex mutex;  // of all below
  uint32_t seats = 0;
  PlaceRules rules{};  // of the session that opened it
  SharedLog log{};
  std::optional<Workplace> workplace{};  // while there are seats
  std::unique_ptr<StreamSession> session{};
};

namespace {

constexpr std::chrono::milliseconds look_again{20};

bool needs_workers(const PlaceSettings& place) {
  return place.cluster.empty() && place.broker.uri.empty();
}

Result<LocalWorkersOptions> workers_of(const PlaceSettings& place, const ModelPath& model) {
  auto program = node_program(place.node_program);
  if (!program) return program.failure();
  return LocalWorkersOptions{.program = std::move(*program),
                             .count = place.workers,
                             .threads = place.threads,
                             .models = {model},
                             .slow = {},
                             .packed = place.packed,
                             .memory = place.memory};
}

Result<Workplace> workplace_of(const PlaceSettings& place, const ModelPath& model,
                               RequestDesk& desk, const Log& log) {
  WorkplaceOptions options{
      .cluster = place.cluster,
      .broker = place.broker,
      .id = place.id,
      .admission = place.admission,
      .patience = patience_of(place.patience_seconds),
      .memory_bytes = place.memory_bytes,
      .sets_up_process = false,
      .is_unwanted = [&](std::chrono::milliseconds wait) { return desk.wait_for_work(wait); },
      .note = [log](const std::string& sentence) { note_to(log, LogLevel::info, sentence); },
      .log = log};
  if (needs_workers(place)) {
    auto workers = workers_of(place, model);
    if (!workers) return workers.failure();
    options.workers = std::move(*workers);
  }
  return open_workplace(options);
}

StreamSessionOptions member_of(const SessionSettings& settings, Workplace& place, const Log& log) {
  StreamSessionOptions member;
  member.cluster = place.cluster;
  member.id = place.owner;
  member.memory_bytes = place.memory_bytes();
  member.keys = place.workers ? place.workers->keys() : settings.place.admission.folder();
  member.insecure = !place.workers && settings.place.admission.insecure;
  member.sets_up_process = false;
  if (place.membership) member.announced = Announced{place.membership.get(), {}};
  member.wires = std::move(place.wires);
  member.audit_share = settings.stream.audit_share;
  member.patience = place.workers ? Patience{local_patience, local_patience}
                                  : patience_of(settings.place.patience_seconds);
  member.log = log;
  member.open_frames = place.workers ? settings.stream.open_frames : most_open_in_cluster;
  return member;
}

// The first option of which two sessions of one place have different values; null: none.
const char* different_option(const PlaceRules& a, const PlaceRules& b) {
  const PlaceSettings &one = a.place, &other = b.place;
  const BrokerLogin &login = one.broker.login, &other_login = other.broker.login;
  if (one.admission.keys != other.admission.keys) return "keys";
  if (one.admission.insecure != other.admission.insecure) return "insecure";
  if (one.broker.listen != other.broker.listen) return "listen";
  if (login.user != other_login.user) return "broker-user";
  if (login.password_file != other_login.password_file) return "broker-password";
  if (login.authorities != other_login.authorities) return "broker-ca";
  if (one.memory_bytes != other.memory_bytes) return "memory";
  if (one.patience_seconds != other.patience_seconds) return "patience";
  if (a.audit_share != b.audit_share) return "audit";
  return nullptr;
}

// Which node of which cluster.
std::string name_of(const PlaceSettings& place) {
  std::error_code ignored;
  const auto file = std::filesystem::weakly_canonical(place.cluster, ignored).string();
  return std::to_string(*place.id) + " " + place.broker.uri + " " + place.broker.cluster_name +
         " " + file;
}

// Is removed again if it is not kept.
class NewReader {
 public:
  NewReader(SharedLog& shared, const Log& log) : shared_(shared), reader_(shared.add(log)) {}
  ~NewReader() {
    if (reader_ != nullptr) shared_.remove(reader_);
  }
  NewReader(const NewReader&) = delete;
  NewReader& operator=(const NewReader&) = delete;
  std::shared_ptr<SharedLog::Reader> keep() { return std::exchange(reader_, nullptr); }

 private:
  SharedLog& shared_;
  std::shared_ptr<SharedLog::Reader> reader_;
};

template <class Place>
struct Places {
  std::mutex mutex;
  std::map<std::string, std::weak_ptr<Place>> by_name;
};

}  // namespace

Result<ClusterSeat> ClusterSeat::take(const SessionSettings& settings, const ModelPath& model,
                                      RequestDesk& desk) {
  const PlaceSettings& wanted = settings.place;
  if (needs_workers(wanted) && wanted.id)
    return usage_error("the option 'id' is for a cluster: set 'cluster' or 'broker'");
  if (!needs_workers(wanted) && !wanted.id)
    return usage_error("set the option 'id': which node of the cluster this process is");
  const std::shared_ptr<Place> place = place_of(wanted);
  std::unique_lock lock(place->mutex, std::defer_lock);
  while (!lock.try_lock())
    if (desk.wait_for_work(look_again)) return Error{"the session was closed"};
  if (place->seats > 0)
    if (const char* option = different_option(place->rules, {wanted, settings.stream.audit_share}))
      return usage_error("this process is node " + std::to_string(*wanted.id) +
                         " of the cluster already, with another value of the option '" + option +
                         "': all sessions of one node have the same");
  NewReader reader(place->log, settings.log);
  if (place->seats == 0)
    if (const Status opened = open(*place, settings, model, desk); !opened) return opened.failure();
  ++place->seats;
  return ClusterSeat(place, reader.keep());
}

std::shared_ptr<ClusterSeat::Place> ClusterSeat::place_of(const PlaceSettings& wanted) {
  if (needs_workers(wanted)) return std::make_shared<Place>();
  Places<Place>& places = OfThisProcess<Places<Place>>::get();
  const std::lock_guard lock(places.mutex);
  std::erase_if(places.by_name, [](const auto& each) { return each.second.expired(); });
  std::weak_ptr<Place>& known = places.by_name[name_of(wanted)];
  auto place = known.lock();
  if (place == nullptr) known = place = std::make_shared<Place>();
  return place;
}

Status ClusterSeat::open(Place& place, const SessionSettings& settings, const ModelPath& model,
                         RequestDesk& desk) {
  const Log log = [&shared = place.log](LogLevel level, const std::string& sentence) {
    shared.note(level, sentence);
  };
  auto workplace = workplace_of(settings.place, model, desk, log);
  if (!workplace) return workplace.failure();
  auto session = StreamSession::start(member_of(settings, *workplace, log));
  if (!session) return session.failure();
  place.rules = {settings.place, settings.stream.audit_share};
  place.workplace.emplace(std::move(*workplace));
  place.session = std::move(*session);
  return success();
}

ClusterSeat::~ClusterSeat() {
  if (place_ == nullptr) return;
  const std::lock_guard lock(place_->mutex);
  place_->log.remove(reader_);
  if (--place_->seats > 0) return;
  place_->session.reset();
  place_->workplace.reset();
}

Workplace& ClusterSeat::workplace() const { return *place_->workplace; }

StreamSession& ClusterSeat::session() const { return *place_->session; }

}  // namespace shingle
