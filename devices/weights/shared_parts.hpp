// SharedParts: parts that several users share. A part is made for its first user and freed with its
// last one. One thread at a time may call these functions; a user may drop its part on any thread.
#pragma once

#include <map>
#include <memory>

#include "partition/base/result.hpp"

namespace shingle {

template <class Key, class Part>
class SharedParts {
 public:
  // The part with this key. If nobody holds it, calls make(), which returns a
  // Result<std::shared_ptr<Part>>.
  template <class Make>
  Result<std::shared_ptr<Part>> get(const Key& key, const Make& make) {
    const auto known = parts_.find(key);
    if (known != parts_.end())
      if (std::shared_ptr<Part> part = known->second.lock()) return part;
    Result<std::shared_ptr<Part>> made = make();
    if (made) parts_.insert_or_assign(key, std::weak_ptr<Part>(*made));
    return made;
  }

  // Visits the parts that somebody holds, in the order of their keys.
  template <class Visit>
  void visit(const Visit& visit) const {
    for (const auto& [key, known] : parts_)
      if (const std::shared_ptr<Part> part = known.lock()) visit(key, *part);
  }

  // Forgets the keys of parts that are gone.
  void sweep() {
    std::erase_if(parts_, [](const auto& entry) { return entry.second.expired(); });
  }
  size_t names() const { return parts_.size(); }

 private:
  std::map<Key, std::weak_ptr<Part>> parts_;
};

}  // namespace shingle
