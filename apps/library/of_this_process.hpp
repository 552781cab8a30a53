// OfThisProcess: one object of a type for each process. A forked child makes one of its own, as the
// parent's locks may be held by threads that the child does not have.
#pragma once

#include <atomic>

#include "apps/library/process_number.hpp"

namespace shingle {

template <class T>
class OfThisProcess {
 public:
  // Made when it is first asked for, and never destroyed.
  static T& get() {
    static std::atomic<Made*> known{nullptr};
    Made* made = known.load();
    while (made == nullptr || made->process != process_number()) {
      auto* mine = new Made;  // that of a parent stays as it is
      if (known.compare_exchange_strong(made, mine)) return mine->object;
      delete mine;
    }
    return made->object;
  }

 private:
  struct Made {
    const uint64_t process = process_number();
    T object{};
  };
};

}  // namespace shingle
