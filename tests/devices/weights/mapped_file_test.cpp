// Files that change under their readers: no reader ends by a signal, and none believes what he
// read.
#include "devices/weights/mapped_file.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <optional>

#include "devices/native/native_executor.hpp"
#include "devices/weights/steady_reading.hpp"
#include "devices/weights/torn_pages.hpp"
#include "partition/base/hash.hpp"
#include "tests/devices/overwritten.hpp"
#include "tests/devices/scratch.hpp"
#include "tests/devices/tile_runs.hpp"

namespace shingle::tests {

namespace {

namespace files = std::filesystem;

constexpr size_t page = 4096;

struct Written {
  explicit Written(std::string its_text = std::string(20 * page + 17, 'a'))
      : text(std::move(its_text)) {
    copy_over(path, text);
  }
  // Known again by its hash, as a model is.
  MappedFile open() const {
    MappedFile file = MappedFile::open(path).value();
    file.know_again(
        [hash = sha256(text)](std::span<const std::byte> bytes) { return sha256(bytes) == hash; });
    return file;
  }

  Scratch folder;
  std::string path = folder.path() + "/file", text;
};

int64_t sum(std::span<const std::byte> bytes) {
  int64_t total = 0;
  for (const std::byte byte : bytes) total += std::to_integer<int64_t>(byte);
  return total;
}

void must_be_lost(const MappedFile& file) {
  for (int times = 0; times < 2; ++times) {
    const Result<uint64_t> version = file.version();
    REQUIRE_FALSE(version.ok());
    CHECK(version.error().find("was changed in place while it was in use") != std::string::npos);
  }
}

}  // namespace

TEST_CASE("A file that nobody touches keeps its version") {
  const Written written;
  const MappedFile file = written.open();
  CHECK(sum(file.bytes()) == std::ssize(written.text) * 'a');
  CHECK(file.version().value() == 0);
  CHECK(file.version().value() == 0);
}

TEST_CASE("Pages that a truncated file has no more read as zeros, and the file is lost") {
  for (const uint64_t left : {uint64_t{0}, uint64_t{1}, uint64_t{5 * page}}) {
    CAPTURE(left);
    const Written written;
    const MappedFile file = written.open();
    truncate_to(written.path, left);
    CHECK(sum(file.bytes()) <= static_cast<int64_t>(left) * 'a');  // and no signal ends this test
    must_be_lost(file);
    copy_over(written.path, written.text);  // too late: pages are gone
    must_be_lost(file);
  }
}

TEST_CASE("A file that is truncated before anybody reads on is lost, though no page was missed") {
  const Written written;
  const MappedFile file = written.open();
  truncate_to(written.path, 3 * page);
  must_be_lost(file);
}

TEST_CASE("A file with one byte written over is lost") {
  const Written written;
  const MappedFile file = written.open();
  write_in_place(written.path, "b", 7 * page + 1);
  must_be_lost(file);
}

TEST_CASE("A file whose bytes are the same again has another version, for what was read between") {
  const Written written;
  const MappedFile file = written.open();
  write_in_place(written.path, "b", 100);
  write_in_place(written.path, "a", 100);
  const Result<uint64_t> version = file.version();
  REQUIRE(version.ok());
  CHECK(*version == 1);
  CHECK(file.version().value() == 1);
}

TEST_CASE("A file that has lost its name, or has another, is what it was") {
  const Written written;
  const MappedFile file = written.open();
  files::rename(written.path, written.path + ".old");
  CHECK(file.version().ok());
  copy_over(written.path + ".new", "another file");
  files::rename(written.path + ".new", written.path + ".old");  // the last name goes
  CHECK(file.version().ok());
  CHECK(sum(file.bytes()) == std::ssize(written.text) * 'a');
}

TEST_CASE("Without knowing it again, no touch of a file is forgiven") {
  const Written written;
  const MappedFile file = MappedFile::open(written.path).value();
  write_in_place(written.path, "a", 100);
  must_be_lost(file);
}

TEST_CASE("The file around a byte is found while it is mapped") {
  const Written written;
  const std::byte* at = nullptr;
  {
    const MappedFile file = written.open();
    at = file.bytes().data() + page;
    REQUIRE(MappedFile::around(at).has_value());
    CHECK(MappedFile::around(at)->bytes().data() == file.bytes().data());
    CHECK_FALSE(MappedFile::around(at + file.bytes().size()).has_value());
  }
  CHECK_FALSE(MappedFile::around(at).has_value());
}

TEST_CASE("A bus error outside all files is the process's own, as it was before") {
  const Written written;
  const MappedFile guarded = written.open();  // a handler stands
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::raise(SIGBUS);
    ::_exit(0);  // not reached
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK((WIFSIGNALED(status) || WEXITSTATUS(status) != 0));  // sanitizers report and exit
}

namespace {

// A model whose convolutions' weights lie in a file.
struct ModelOfFile {
  ModelOfFile() : model(networks::make("yolov2_front", 64).value()) {
    std::string bytes;
    for (const FloatView& view : model.constants)
      bytes.append(reinterpret_cast<const char*>(view.data), static_cast<size_t>(view.count) * 4);
    written.emplace(bytes);
    file.emplace(written->open());
    const std::byte* at = file->bytes().data();
    for (FloatView& view : model.constants) {
      view.data = at;
      at += view.count * 4;
    }
    program = whole_program(model);
  }

  Model model;
  std::optional<Written> written;
  std::optional<MappedFile> file;
  TileProgram program;
};

}  // namespace

TEST_CASE("Weights are not packed from a model's file that was written over or truncated") {
  for (const bool truncates : {true, false}) {
    CAPTURE(truncates);
    const Scratch store;
    ModelOfFile of;
    NativeExecutor executor({.threads = 1, .packed_folder = store.path() + "/packed"});
    if (truncates) truncate_to(of.written->path, 5 * page);
    if (!truncates) copy_over(of.written->path, std::string(of.written->text.size(), 'x'));
    const Status prepared = executor.prepare(of.model, std::span(&of.program, 1));
    REQUIRE_FALSE(prepared.ok());
    CHECK(prepared.error().find("was changed in place") != std::string::npos);
    CHECK(executor.memory().packed_bytes == 0);
    // Nor kept for the next start under the old name.
    std::error_code none;
    for (const auto& entry : files::directory_iterator(store.path() + "/packed", none))
      FAIL_CHECK(entry.path().string());
  }
}

TEST_CASE("What was packed before the model's file changed goes on, and nothing more is packed") {
  ModelOfFile of;
  NativeExecutor executor;
  const std::vector<Map> inputs = random_inputs(of.model, 3);
  const std::vector<Map> expected = run_whole(executor, of.model, inputs);
  truncate_to(of.written->path, 0);
  const std::vector<Map> again = run(executor, of.model, of.program, inputs);
  for (size_t i = 0; i < again.size(); ++i) CHECK(differing_bytes(again[i], expected[i]) == 0);
  networks::Random random(5);
  const TileProgram tile = random_tile(random, of.model, WinogradUse::never);
  CHECK_FALSE(executor.prepare(of.model, std::span(&tile, 1)).ok());
}

TEST_CASE("A model's file that is written to each time it is read is given up, by its name") {
  ModelOfFile of;
  const auto same_bytes_anew = [&]() -> Status {
    copy_over(of.written->path, of.written->text);
    return success();
  };
  CHECK(written_file(of.model).empty());
  const Status read = read_steadily(of.model, same_bytes_anew);
  REQUIRE_FALSE(read.ok());
  CHECK(read.error().find("'" + of.written->path + "' was written to again and again") !=
        std::string::npos);
  CHECK(written_file(of.model) == of.written->path);
}

TEST_CASE("A model's file that only got another name is packed from") {
  ModelOfFile of;
  NativeExecutor executor;
  files::rename(of.written->path, of.written->path + ".old");
  CHECK(executor.prepare(of.model, std::span(&of.program, 1)).ok());
}

namespace {

// An executor whose weights are mapped from the files of a folder.
struct MappedExecutor {
  MappedExecutor() {
    NativeExecutor first({.threads = 1, .packed_folder = packed});
    REQUIRE(first.prepare(model, std::span(&program, 1)).ok());
    for (const auto& entry : files::directory_iterator(packed)) paths.push_back(entry.path());
    REQUIRE_FALSE(paths.empty());
    REQUIRE(executor.prepare(model, std::span(&program, 1)).ok());
  }
  Status compute() {
    maps.clear();
    for (const Slice& slice : program.outputs)
      maps.push_back(
          {slice.region, std::vector<float>(static_cast<size_t>(slice.region.elements()))});
    std::vector<ConstTensorView> in;
    std::vector<TensorView> out;
    for (const Map& map : inputs) in.push_back(map.view());
    for (Map& map : maps) out.push_back(map.view());
    return executor.compute(program, in, out);
  }

  Scratch folder;
  const std::string packed = folder.path() + "/packed";
  Model model = networks::make("yolov2_front", 64).value();
  TileProgram program = whole_program(model);
  std::vector<Map> inputs = random_inputs(model, 3), maps;
  std::vector<files::path> paths;
  NativeExecutor executor{{.threads = 1, .packed_folder = packed}};
};

}  // namespace

TEST_CASE("No tile counts that was computed with weights whose mapped file changed") {
  for (const bool truncates : {true, false}) {
    CAPTURE(truncates);
    MappedExecutor mapped;
    REQUIRE(mapped.compute().ok());
    const std::vector<Map> expected = mapped.maps;
    const std::string path = mapped.paths.back().string();
    if (truncates) truncate_to(path, page);
    if (!truncates) write_in_place(path, "wrong bits", 2 * page);
    const Status computed = mapped.compute();
    REQUIRE_FALSE(computed.ok());
    CHECK(computed.error().find(path) != std::string::npos);
    CHECK_FALSE(mapped.executor.check_weights(0.0).ok());  // so that they are packed again
    // When they are, the file that was damaged is not believed, and replaced.
    NativeExecutor fresh({.threads = 1, .packed_folder = mapped.packed});
    const std::vector<Map> again = run_whole(fresh, mapped.model, mapped.inputs);
    for (size_t i = 0; i < again.size(); ++i) CHECK(differing_bytes(again[i], expected[i]) == 0);
  }
}

TEST_CASE("A file of weights that is used by others, or makes room, disturbs no tile") {
  MappedExecutor mapped;
  REQUIRE(mapped.compute().ok());
  const std::vector<Map> expected = mapped.maps;
  for (const files::path& path : mapped.paths) {
    files::last_write_time(path, files::file_time_type::clock::now());
    files::remove(path);
  }
  REQUIRE(mapped.compute().ok());
  for (size_t i = 0; i < expected.size(); ++i)
    CHECK(differing_bytes(mapped.maps[i], expected[i]) == 0);
  CHECK(mapped.executor.check_weights(1.0).ok());
}

}  // namespace shingle::tests
