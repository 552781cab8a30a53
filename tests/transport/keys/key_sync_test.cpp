// What is on the disk once a key has been revoked. This file defines fsync(): it is called instead
// of the system's, records what the folder holds, and calls the system's.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>

#include "tests/transport/keys/key_scene.hpp"

namespace {

struct Synced {
  bool folder = false;
  std::string path;
  std::string list;  // the content of the folder's file "allowed" at that moment
};
std::mutex mutex;
std::vector<Synced> synced;

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace

extern "C" int fsync(int descriptor) {
  std::error_code error;
  Synced now;
  now.path = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor), error);
  now.folder = std::filesystem::is_directory(now.path, error);
  if (now.folder) now.list = text_of(now.path + "/allowed");
  {
    const std::lock_guard lock(mutex);
    synced.push_back(std::move(now));
  }
  return static_cast<int>(::syscall(SYS_fsync, descriptor));
}

namespace shingle {
namespace {

std::vector<Synced> synced_by(const std::function<void()>& act) {
  {
    const std::lock_guard lock(mutex);
    synced.clear();
  }
  act();
  const std::lock_guard lock(mutex);
  return synced;
}

TEST_CASE("a revoked key is off the list on the disk: the file, then its name in the folder") {
  const testing::KeyScene scene({1, 2});
  const std::string key = scene.folder().allowed()->key_of({2})->z85;
  const auto steps = synced_by([&] { scene.revoke({2}); });
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].path == scene.folder().allowed_path() + ".new");
  CHECK(steps[1].folder);
  CHECK(std::filesystem::equivalent(steps[1].path, scene.path()));
  CHECK(steps[1].list == scene.folder().allowed()->text());
  CHECK(steps[1].list.find(key) == std::string::npos);
}

TEST_CASE("a secret that is made or forgotten is so on the disk") {
  const testing::KeyScene scene({1});
  const auto last_is_folder = [](const std::vector<Synced>& steps) {
    return !steps.empty() && steps.back().folder;
  };
  CHECK(last_is_folder(synced_by([&] { REQUIRE(scene.folder().save({5}, new_key_pair()).ok()); })));
  CHECK(last_is_folder(synced_by([&] { REQUIRE(scene.folder().forget({5}).ok()); })));
}

}  // namespace
}  // namespace shingle
