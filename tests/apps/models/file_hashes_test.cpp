// Hashes of files remembered from start to start: used while the file is the same, and only then.
#include "apps/models/file_hashes.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "tests/apps/scratch_folder.hpp"
#include "tests/apps/verbs.hpp"

namespace shingle {
namespace {

constexpr auto at_once = std::chrono::nanoseconds(0);

MappedFile mapped(const std::string& path) { return std::move(MappedFile::open(path).value()); }

std::string line_of(const Hash& hash, const FileIdentity& file) {
  std::ostringstream text;
  text << to_string(hash) << " " << file.device << " " << file.inode << " " << file.bytes << " "
       << file.modified.count() << " " << file.changed.count() << "\n";
  return text.str();
}

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// No file has it: whoever says so has believed the list, and not read the file.
Hash made_up() { return sha256(std::string_view("made up")); }

std::string list_with(const ScratchFolder& folder, const std::string& path) {
  return folder.with_text("files.txt",
                          "shingle file hashes 1\n" + line_of(made_up(), mapped(path).identity()));
}

TEST_CASE("a file that is as it was is named by the list, unread") {
  const ScratchFolder folder;
  const std::string model = folder.with_text("m.onnx", "weights");
  FileHashes hashes(list_with(folder, model));
  CHECK(hashes.of(mapped(model)) == made_up());
}

TEST_CASE("what one start has hashed the next one knows") {
  const ScratchFolder folder;
  const std::string model = folder.with_text("m.onnx", "weights"), list = folder / "new/files.txt";
  const Hash hash = FileHashes(list, at_once).of(mapped(model));
  CHECK(hash == sha256(std::string_view("weights")));
  CHECK(text_of(list) == "shingle file hashes 1\n" + line_of(hash, mapped(model).identity()));
  CHECK(FileHashes(list).of(mapped(model)) == hash);
  struct stat made {};
  REQUIRE(::stat((folder / "new").c_str(), &made) == 0);
  CHECK((made.st_mode & 0777) == 0700);
}

TEST_CASE("a file that was changed in place, with its length and its time kept, is read again") {
  const ScratchFolder folder;
  const std::string model = folder.with_text("m.onnx", "weights");
  struct stat before {};
  REQUIRE(::stat(model.c_str(), &before) == 0);
  const std::string list = list_with(folder, model);
  // The clock of the file system is coarse: until it has gone on, the change could not be seen.
  struct stat after = before;
  while (after.st_ctim.tv_sec == before.st_ctim.tv_sec &&
         after.st_ctim.tv_nsec == before.st_ctim.tv_nsec) {
    folder.with_text("m.onnx", "WEIGHTS");
    const timespec times[2] = {before.st_atim, before.st_mtim};
    REQUIRE(::utimensat(AT_FDCWD, model.c_str(), times, 0) == 0);
    REQUIRE(::stat(model.c_str(), &after) == 0);
  }
  CHECK(mapped(model).identity().modified ==
        std::chrono::seconds(before.st_mtim.tv_sec) + Duration(before.st_mtim.tv_nsec));
  CHECK(FileHashes(list).of(mapped(model)) == sha256(std::string_view("WEIGHTS")));
}

TEST_CASE("a file that was written a moment ago is hashed and not remembered") {
  const ScratchFolder folder;
  const std::string model = folder.with_text("m.onnx", "weights"), list = folder / "files.txt";
  FileHashes hashes(list, std::chrono::hours(1));
  CHECK(hashes.of(mapped(model)) == sha256(std::string_view("weights")));
  CHECK_FALSE(std::filesystem::exists(list));
}

TEST_CASE("a list that is none, or breaks off, costs a reading of the file and nothing else") {
  const ScratchFolder folder;
  const std::string model = folder.with_text("m.onnx", "weights");
  const std::string line = line_of(made_up(), mapped(model).identity());
  for (const std::string& text :
       {std::string(), "another list\n" + line, "shingle file hashes 1\n" + line.substr(0, 70),
        std::string("shingle file hashes 1\nno hash 1 2 3 4 5\n") + line}) {
    CAPTURE(text);
    FileHashes hashes(folder.with_text("files.txt", text));
    CHECK(hashes.of(mapped(model)) == sha256(std::string_view("weights")));
  }
}

TEST_CASE("what was known is not lost with the list") {
  const ScratchFolder folder;
  const std::string model = folder.with_text("m.onnx", "weights"), list = list_with(folder, model);
  FileHashes hashes(list, at_once);
  std::filesystem::remove(list);
  hashes.of(mapped(folder.with_text("n.onnx", "others")));
  CHECK(hashes.of(mapped(model)) == made_up());
  CHECK(FileHashes(list).of(mapped(model)) == made_up());
}

TEST_CASE("the list keeps the newest 256 files") {
  const ScratchFolder folder;
  std::string text = "shingle file hashes 1\n";
  for (uint64_t inode = 1; inode <= 256; ++inode)
    text += line_of(made_up(), {.device = 0, .inode = inode, .bytes = 1});
  const std::string list = folder.with_text("files.txt", text);
  FileHashes(list, at_once).of(mapped(folder.with_text("m.onnx", "weights")));
  const std::string kept = text_of(list);
  CHECK(std::count(kept.begin(), kept.end(), '\n') == 257);
  CHECK(kept.find(line_of(made_up(), {.device = 0, .inode = 1, .bytes = 1})) == std::string::npos);
  CHECK(kept.find(to_string(sha256(std::string_view("weights")))) != std::string::npos);
}

TEST_CASE("a run with a folder of packed weights takes a model's name from the list in it") {
  const ScratchFolder folder;
  const std::string model = model_in(folder), plan = plan_in(folder, model, "1");
  Program believes({"run", model, image_in(folder), "--plan", plan, "--packed", folder.path()});
  CHECK(believes.end() == "exit code 0");
  list_with(folder, model);
  Program misled({"run", model, image_in(folder), "--plan", plan, "--packed", folder.path()});
  CHECK(misled.end() == "exit code 3");
  CHECK_MESSAGE(has(misled.err(), "the plan was made for another model"), misled.err());
}

}  // namespace
}  // namespace shingle
