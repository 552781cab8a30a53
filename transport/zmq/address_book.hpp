// AddressBook: where peers may be reached. A peer may announce that, and anybody who can reach the
// broker may announce something else in its name: so what the cluster file says, and where the peer
// was found before, are never given up for an announcement, and all are tried in turn. Whose key
// answers there decides.
//
// Thread-safe.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "transport/zmq/zmq_transport.hpp"

namespace shingle {

class AddressBook {
 public:
  static constexpr size_t max_announced = 8;  // of a peer; further ones are not looked at

  // Peers whose port is 0 have no address before they announce one.
  explicit AddressBook(const std::vector<PeerAddress>& peers);

  // Instead of what was announced before. Nothing happens for who is no peer.
  void announce(NodeId peer, const std::vector<Address>& addresses);

  // Where to try next: in turn one of what was announced last and one of those that nobody can
  // announce away, where it was found and what the file says. None if nobody has said where it is.
  // REQUIRES: a peer.
  std::optional<Address> next(NodeId peer);
  // A connection stands: begin there the next time.
  void found(NodeId peer, const Address& address);
  // Is there anywhere else to try?
  bool has_another(NodeId peer, const Address& address) const;

 private:
  struct Entry {
    std::vector<Address> announced;
    std::optional<Address> last_found, written;
    size_t announced_turn = 0, known_turn = 0;
    bool announced_next = true;
    std::vector<Address> known() const;  // where it was found, what the file says
    std::vector<Address> all() const;    // each once
  };
  mutable std::mutex mutex_;
  std::map<NodeId, Entry> entries_;
};

}  // namespace shingle
