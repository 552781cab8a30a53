// Packed weights on disk: found again with the same bits, and never believed when damaged.
#include "devices/weights/packed_store.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "devices/native/native_executor.hpp"
#include "tests/devices/scratch.hpp"
#include "tests/devices/tile_runs.hpp"

namespace shingle::tests {

namespace {

namespace files = std::filesystem;

class Folder {
 public:
  const std::string& path() const { return path_; }
  std::vector<files::path> packed() const {
    std::vector<files::path> found;
    for (const auto& entry : files::directory_iterator(path_)) found.push_back(entry.path());
    return found;
  }

 private:
  const Scratch scratch_;
  const std::string path_ = scratch_.path() + "/packed";  // not there before the first is kept
};

std::vector<std::byte> some_bytes(size_t count) {
  std::vector<std::byte> bytes(count);
  for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * 31 + i / 256);
  return bytes;
}

std::vector<Map> computed(const Model& model, const std::string& folder) {
  NativeExecutor executor({.threads = 1, .packed_folder = folder});
  return run_whole(executor, model, random_inputs(model, 3));
}

void must_be_equal(const std::vector<Map>& a, const std::vector<Map>& b) {
  REQUIRE(a.size() == b.size());
  for (size_t i = 0; i < a.size(); ++i) CHECK(differing_bytes(a[i], b[i]) == 0);
}

}  // namespace

TEST_CASE("Weights that one executor kept are mapped by the next, with the same bits") {
  const Folder folder;
  const Model model = networks::make("yolov2_front", 64).value();
  const std::vector<Map> expected = computed(model, "");
  must_be_equal(computed(model, folder.path()), expected);
  REQUIRE(!folder.packed().empty());
  const std::vector<files::path> kept = folder.packed();
  for (const files::path& path : kept) files::create_hard_link(path, path.string() + ".link");
  must_be_equal(computed(model, folder.path()), expected);
  // Whoever packs again gives the name to a new file.
  for (const files::path& path : kept) CHECK(files::hard_link_count(path) == 2);
  NativeExecutor mapped({.threads = 1, .packed_folder = folder.path()}), packed;
  const TileProgram program = whole_program(model);
  REQUIRE(mapped.prepare(model, std::span(&program, 1)).ok());
  REQUIRE(packed.prepare(model, std::span(&program, 1)).ok());
  CHECK(mapped.memory().packed_bytes >= packed.memory().packed_bytes * 99 / 100);
  CHECK(mapped.memory().packed_bytes <= packed.memory().packed_bytes * 101 / 100);
}

TEST_CASE("Damaged, cut and foreign files of weights are packed again, not believed") {
  const Folder folder;
  const Model model = networks::make("yolov2_front", 64).value();
  const std::vector<Map> expected = computed(model, folder.path());
  size_t turn = 0;
  for (const files::path& path : folder.packed()) {
    if (turn % 3 == 0) {
      std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(static_cast<std::streamoff>(files::file_size(path)) - 5000);
      file.put('x').put('y').put('z');
    } else if (turn % 3 == 1) {
      files::resize_file(path, files::file_size(path) - 8);
    } else {
      std::ofstream(path, std::ios::binary) << "no weights at all";
    }
    ++turn;
  }
  CHECK(turn >= 3);
  must_be_equal(computed(model, folder.path()), expected);
  must_be_equal(computed(model, folder.path()), expected);
}

TEST_CASE("The store holds what it may, and deletes first what was used longest ago") {
  const Folder folder;
  const std::vector<std::byte> bytes = some_bytes(10'000);
  const PackedStore store(folder.path(), 30'000);
  const Hash a = sha256("a"), b = sha256("b"), c = sha256("c"), d = sha256("d");
  store.keep(a, bytes);
  store.keep(b, bytes);
  const auto long_ago = files::file_time_type::clock::now() - std::chrono::hours(2);
  files::last_write_time(folder.path() + "/" + to_string(a) + ".packed", long_ago);
  files::last_write_time(folder.path() + "/" + to_string(b) + ".packed",
                         long_ago + std::chrono::hours(1));
  CHECK(store.find(a, 10'000).has_value());  // used now
  store.keep(c, bytes);
  CHECK(store.find(a, 10'000).has_value());
  CHECK(!store.find(b, 10'000).has_value());
  CHECK(store.find(c, 10'000).has_value());
  CHECK(!store.find(c, 9'999).has_value());
  store.keep(d, some_bytes(40'000));
  CHECK(!store.find(d, 40'000).has_value());
}

TEST_CASE("A folder that cannot be written costs nothing but the next start's time") {
  const Model model = networks::make("yolov2_front", 64).value();
  must_be_equal(computed(model, "/proc/no/such/folder"), computed(model, ""));
}

}  // namespace shingle::tests
