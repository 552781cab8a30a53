#include "apps/serve/frigate/frigate_server.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

namespace shingle::serve {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

Result<std::unique_ptr<FrigateServer>> FrigateServer::start(const FrigateServerOptions& options,
                                                            ModelHost& models, Budget& budget,
                                                            Log log) {
  auto listener = Listener::open(options.endpoint);
  if (!listener) return listener.failure();
  const int event = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (event < 0) return Error{std::string("cannot make an eventfd: ") + std::strerror(errno)};
  return std::unique_ptr<FrigateServer>(
      new FrigateServer(options, std::move(*listener), event, models, budget, std::move(log)));
}

FrigateServer::FrigateServer(const FrigateServerOptions& options, Listener listener, int event,
                             ModelHost& models, Budget& budget, Log log)
    : options_(options),
      listener_(std::move(listener)),
      event_(event),
      budget_(budget),
      log_(log),
      desk_(models, options.answers, log, [this] { wake(); }),
      thread_([this] { run(); }) {}

FrigateServer::~FrigateServer() {
  ends_ = true;
  wake();
  thread_.join();
}

void FrigateServer::wake() {
  const uint64_t one = 1;
  // It fails only where the count is at its end, and then the thread is awake.
  [[maybe_unused]] const ssize_t written = ::write(event_.descriptor(), &one, sizeof one);
}

void FrigateServer::run() {
  while (!ends_) {
    try {
      turn();
    } catch (const std::bad_alloc&) {
      hang_up_all();
    }
    ++turns_;
  }
}

// Memory has run out: this disconnects all detectors and so frees their buffers.

void FrigateServer::hang_up_all() {
  while (!connections_.empty()) hang_up(connections_.begin()->first);
  try {
    note_to(log_, LogLevel::warning,
            "all detectors were disconnected: this process has no memory left");
  } catch (const std::bad_alloc&) {  // then it is not said
  }
}

int FrigateServer::pause(Instant now) const {
  Instant first = now + milliseconds(500);
  if (const auto due = desk_.next()) first = std::min(first, *due);
  for (const auto& [peer, connection] : connections_)
    first = std::min(first, connection->has_message() ? now : connection->next());
  return static_cast<int>(
      std::max<int64_t>(0, std::chrono::ceil<milliseconds>(first - now).count()));
}

void FrigateServer::turn() {
  std::vector<pollfd> polled{{event_.descriptor(), POLLIN, 0}, {listener_.descriptor(), POLLIN, 0}};
  std::vector<uint64_t> peers;
  for (const auto& [peer, connection] : connections_) {
    const int events = (connection->wants_to_read() ? POLLIN : 0) |
                       (connection->wants_to_write() ? POLLOUT : 0) | POLLRDHUP;
    polled.push_back({connection->descriptor(), static_cast<short>(events), 0});
    peers.push_back(peer);
  }
  ::poll(polled.data(), polled.size(), pause(steady_clock::now()));
  const Instant now = steady_clock::now();
  uint64_t woken = 0;
  if (polled[0].revents != 0) [[maybe_unused]]
    const ssize_t read = ::read(event_.descriptor(), &woken, sizeof woken);
  for (size_t i = 0; i < peers.size(); ++i)
    if (!serve(peers[i], *connections_.at(peers[i]), polled[i + 2].revents, now)) hang_up(peers[i]);
  for (const FrigateDesk::Answer& answer : desk_.answers(now)) {
    const auto found = connections_.find(answer.peer);
    if (found == connections_.end()) continue;
    if (answer.frames.empty()) {
      hang_up(answer.peer);
      continue;
    }
    found->second->answer(answer.frames, now);
    if (!goes_on(found->second->write(now))) hang_up(answer.peer);
  }
  if (polled[1].revents != 0) accept_peers(now);
}

bool FrigateServer::goes_on(const Status& status) {
  if (status) return true;
  if (!status.error().empty())
    note_to(log_, LogLevel::warning, "a detector was disconnected: " + status.error());
  return false;
}

bool FrigateServer::serve(uint64_t peer, FrigateConnection& connection, int events, Instant now) {
  if ((events & (POLLERR | POLLHUP | POLLNVAL | POLLRDHUP)) != 0) return false;
  if ((events & POLLIN) != 0 && !goes_on(connection.read(now))) return false;
  if (connection.wants_to_write() && !goes_on(connection.write(now))) return false;
  if (auto arrived = connection.next_message())
    desk_.on_message(peer, std::move(arrived->message), arrived->begun);
  return goes_on(connection.check(now));
}

void FrigateServer::hang_up(uint64_t peer) {
  desk_.forget(peer);
  connections_.erase(peer);
}

void FrigateServer::accept_peers(Instant now) {
  constexpr int at_once = 16;
  for (int i = 0; i < at_once; ++i) {
    const int descriptor =
        ::accept4(listener_.descriptor(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (descriptor < 0) return;
    if (connections_.size() >= options_.connections) {
      note_to(log_, LogLevel::warning,
              "a detector was refused: " + std::to_string(options_.connections) +
                  " are connected, as many as may be");
      ::close(descriptor);
      continue;
    }
    const int yes = 1;  // no effect on files
    ::setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
    ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    connections_[next_peer_++] =
        std::make_unique<FrigateConnection>(descriptor, budget_, options_.times, now);
  }
}

}  // namespace shingle::serve
