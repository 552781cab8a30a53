// AddressBook: where peers may be reached. A peer may announce its addresses, but anybody who can
// reach the broker may announce false ones in its name. So an announcement never replaces the
// address of the cluster file, or the one where the peer was found before: all are tried in turn,
// and the key of whoever answers decides.
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

  // Peers whose port is 0 have no address before they announce one. REQUIRES: ids differ.
  explicit AddressBook(const std::vector<PeerAddress>& peers);

  // Replaces what was announced before. Nothing happens if it is no peer.
  void announce(NodeId peer, const std::vector<Address>& addresses);

  // Where to try next: in turn one of the announced addresses and one of the known ones (where it
  // was found, what the file says). None if there is no address of it.
  // REQUIRES: a peer.
  std::optional<Address> next(NodeId peer);
  // A connection stands: begin there the next time. REQUIRES: a peer; the port is not 0.
  void found(NodeId peer, const Address& address);
  // True if there is another address to try. REQUIRES: a peer.
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
