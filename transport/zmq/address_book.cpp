#include "transport/zmq/address_book.hpp"

#include <algorithm>
#include <cassert>

namespace shingle {

AddressBook::AddressBook(const std::vector<PeerAddress>& peers) {
  for (const PeerAddress& peer : peers) {
    assert(!entries_.contains(peer.id));
    Entry& entry = entries_[peer.id];
    if (peer.port != 0) entry.written = Address{peer.host, peer.port};
  }
}

std::vector<Address> AddressBook::Entry::known() const {
  std::vector<Address> each;
  for (const auto& other : {last_found, written})
    if (other && std::ranges::find(each, *other) == each.end()) each.push_back(*other);
  return each;
}

std::vector<Address> AddressBook::Entry::all() const {
  std::vector<Address> each = announced;
  for (const Address& other : known())
    if (std::ranges::find(each, other) == each.end()) each.push_back(other);
  return each;
}

void AddressBook::announce(NodeId peer, const std::vector<Address>& addresses) {
  const std::lock_guard lock(mutex_);
  const auto entry = entries_.find(peer);
  if (entry == entries_.end()) return;
  std::vector<Address> usable;
  for (const Address& address : addresses)
    if (address.port != 0 && usable.size() < max_announced &&
        std::ranges::find(usable, address) == usable.end())
      usable.push_back(address);
  if (usable == entry->second.announced) return;
  entry->second.announced = std::move(usable);
  entry->second.announced_turn = 0;
}

std::optional<Address> AddressBook::next(NodeId peer) {
  const std::lock_guard lock(mutex_);
  assert(entries_.contains(peer));
  Entry& entry = entries_.at(peer);
  const std::vector<Address> known = entry.known();
  if (entry.announced.empty() && known.empty()) return std::nullopt;
  const bool announced = !entry.announced.empty() && (entry.announced_next || known.empty());
  entry.announced_next = !announced;
  if (announced) return entry.announced[entry.announced_turn++ % entry.announced.size()];
  return known[entry.known_turn++ % known.size()];
}

void AddressBook::found(NodeId peer, const Address& address) {
  const std::lock_guard lock(mutex_);
  assert(entries_.contains(peer) && address.port != 0);
  Entry& entry = entries_.at(peer);
  entry.last_found = address;
  entry.known_turn = 0;
  entry.announced_next = false;
}

bool AddressBook::has_another(NodeId peer, const Address& address) const {
  const std::lock_guard lock(mutex_);
  assert(entries_.contains(peer));
  return std::ranges::any_of(entries_.at(peer).all(),
                             [&](const Address& each) { return each != address; });
}

}  // namespace shingle
