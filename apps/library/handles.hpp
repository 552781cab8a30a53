// Handles: what callers hold are numbers in the place of pointers. One that was freed, was never
// given, or belongs to another kind is refused; no number is given twice.
//
// A forked child begins with a table of its own. Numbers below its first one are the parent's.
#pragma once

#include <shingle/shingle.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "apps/library/last_error.hpp"
#include "apps/library/of_this_process.hpp"

namespace shingle {

template <class T, class Opaque>
class Handles {
 public:
  static Opaque* add(std::shared_ptr<T> object) {
    Table& table = OfThisProcess<Table>::get();
    const uint64_t number = next_handle_number();
    const std::lock_guard lock(table.mutex);
    table.objects[number] = std::move(object);
    return reinterpret_cast<Opaque*>(static_cast<uintptr_t>(number));
  }

  // Null: then `code` says why, and shingle_error() has a sentence. `what`: as "session".
  static std::shared_ptr<T> find(const Opaque* handle, const char* what, shingle_code& code) {
    const uint64_t number = reinterpret_cast<uintptr_t>(handle);
    code = refused(number, what);
    if (code != SHINGLE_OK) return nullptr;
    Table& table = OfThisProcess<Table>::get();
    std::unique_lock lock(table.mutex);
    const auto found = table.objects.find(number);
    if (found != table.objects.end()) return found->second;
    lock.unlock();
    code = failed(SHINGLE_USAGE, std::string("this ") + what +
                                     " is none: it was freed, or the library never gave it");
    return nullptr;
  }

  // Null: as find().
  static std::shared_ptr<T> take(const Opaque* handle, const char* what, shingle_code& code) {
    auto object = find(handle, what, code);
    Table& table = OfThisProcess<Table>::get();
    const std::lock_guard lock(table.mutex);
    if (object != nullptr) table.objects.erase(reinterpret_cast<uintptr_t>(handle));
    return object;
  }

  static std::vector<std::shared_ptr<T>> all() {
    Table& table = OfThisProcess<Table>::get();
    const std::lock_guard lock(table.mutex);
    std::vector<std::shared_ptr<T>> objects;
    for (const auto& [number, object] : table.objects) objects.push_back(object);
    return objects;
  }

 private:
  struct Table {
    std::mutex mutex;
    std::map<uint64_t, std::shared_ptr<T>> objects;
  };

  static shingle_code refused(uint64_t number, const char* what) {
    if (number == 0) return failed(SHINGLE_USAGE, std::string("the ") + what + " is null");
    if (is_handle_of_parent(number))
      return failed(SHINGLE_FORKED, std::string("this ") + what +
                                        " belongs to the process that forked this one; open a "
                                        "session here, or call exec()");
    return SHINGLE_OK;
  }
};

}  // namespace shingle
