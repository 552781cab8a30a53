#include "transport/zmq/zmq_transport.hpp"

#include <malloc.h>
#include <signal.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <set>
#include <thread>
#include <zmq.hpp>

#include "transport/codec/codec.hpp"
#include "transport/codec/frame_checksum.hpp"
#include "transport/codec/greeting.hpp"
#include "transport/keys/key_folder.hpp"
#include "transport/zmq/address_book.hpp"
#include "transport/zmq/outbox.hpp"
#include "transport/zmq/presence.hpp"
#include "transport/zmq/switchboard.hpp"

namespace shingle {

struct ZmqTransport::State {
  State(ZmqOptions given, std::optional<Credentials> its_credentials)
      : options(std::move(given)),
        credentials(std::move(its_credentials)),
        addresses(options.peers) {}

  ZmqOptions options;
  std::optional<Credentials> credentials;
  zmq::context_t context;
  Outbox outbox;
  Presence presence;
  AddressBook addresses;
  Traffic traffic;
  std::unique_ptr<Switchboard> switchboard;
  Encoder encoder;  // the driver's thread
  std::thread thread;
};

namespace {

// None if the node was told to run without keys.
Result<std::optional<Credentials>> credentials_for(const ZmqOptions& options) {
  if (options.insecure) return std::optional<Credentials>();
  if (options.keys.empty())
    return bad_input(
        "this node has no keys: 'shingle keys init' makes them, and --insecure does "
        "without, in clear and open to anybody");
  auto credentials = credentials_of(options.id, KeyFolder(options.keys));
  if (!credentials)
    return bad_input(credentials.error() +
                     " (--insecure does without keys, in clear and open to anybody)");
  return std::optional<Credentials>(std::move(*credentials));
}

Status check_ids(const ZmqOptions& options) {
  std::set<NodeId> ids{options.id};
  for (const PeerAddress& peer : options.peers)
    if (!ids.insert(peer.id).second)
      return Error{"Two members of the cluster have the id " + std::to_string(peer.id.value) + "."};
  return success();
}

// libzmq allocates every message with malloc and frees it. By default malloc returns most of that
// memory to the kernel at once, and the page faults of the next message cost half of the system
// time of a transfer (with 1 MB pieces: 118 faults per piece instead of 3).
void keep_message_memory() {
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
  mallopt(M_TRIM_THRESHOLD, 16 << 20);
}

// Signals are for the program's main thread.
void block_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace

Result<std::unique_ptr<ZmqTransport>> ZmqTransport::open(ZmqOptions options, Inbox& inbox) {
  if (const Status ids = check_ids(options); !ids) return ids.failure();
  if (options.about.size() > WireLimits::about_bytes)
    return Error{"what this node says of itself is longer than 32 KiB: shorten its profile"};
  auto credentials = credentials_for(options);
  if (!credentials) return credentials.failure();
  if (options.sets_up_process) keep_message_memory();
  try {
    auto state = std::make_unique<State>(std::move(options), std::move(*credentials));
    auto switchboard =
        Switchboard::open({.context = state->context,
                           .options = state->options,
                           .credentials = state->credentials ? &*state->credentials : nullptr,
                           .inbox = inbox,
                           .outbox = state->outbox,
                           .presence = state->presence,
                           .addresses = state->addresses,
                           .traffic = state->traffic});
    if (!switchboard) return switchboard.failure();
    state->switchboard = std::move(switchboard).value();
    return std::unique_ptr<ZmqTransport>(new ZmqTransport(std::move(state)));
  } catch (const std::exception& failure) {
    return Error{std::string("This node cannot open its sockets: ") + failure.what() + "."};
  }
}

ZmqTransport::ZmqTransport(std::unique_ptr<State> state) : state_(std::move(state)) {
  state_->thread = std::thread([this] {
    block_signals();
    state_->switchboard->run();
  });
}

ZmqTransport::~ZmqTransport() {
  state_->outbox.close();
  state_->thread.join();
}

uint16_t ZmqTransport::port() const { return state_->switchboard->port(); }

std::optional<std::string> ZmqTransport::about(NodeId peer) const {
  return state_->presence.about(peer);
}

ZmqCounters ZmqTransport::counters() const {
  const Traffic& traffic = state_->traffic;
  return {.messages_sent = traffic.messages_sent,
          .messages_received = traffic.messages_received,
          .bytes_sent = traffic.bytes_sent,
          .bytes_received = traffic.bytes_received,
          .unsent = traffic.unsent,
          .refused = traffic.refused,
          .corrupted = traffic.corrupted};
}

std::map<NodeId, uint64_t> ZmqTransport::sent_again() const {
  return state_->presence.sent_again();
}

void ZmqTransport::announced(NodeId peer, const std::vector<Address>& addresses) {
  state_->addresses.announce(peer, addresses);
}

void ZmqTransport::send(NodeId to, const Envelope& envelope, const Message& message,
                        const Body& body) {
  assert(to != state_->options.id && envelope.from == state_->options.id);
  assert(body.bytes <= WireLimits::payload_bytes);
  assert(body.bytes == 0 || body.write);
  Departure outgoing{.to = to, .header = {}, .payload = zmq::message_t(body.bytes)};
  const std::span<std::byte> payload(outgoing.payload.data<std::byte>(), body.bytes);
  if (body.bytes > 0) body.write(payload);
  outgoing.header = with_checksum(state_->encoder.encode(envelope, message), payload);
  const bool fits = outgoing.header.size() <= WireLimits::header_bytes;
  if (!fits || !state_->outbox.push(std::move(outgoing))) ++state_->traffic.unsent;
}

}  // namespace shingle
