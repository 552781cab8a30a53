// Compiled files: what was written is read, and what is damaged is refused.
#include "devices/weights/compiled_file.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>

#include "devices/weights/compiled_index.hpp"
#include "tests/devices/scratch.hpp"

namespace shingle::tests {

namespace {

std::vector<std::byte> some_bytes(size_t count, int seed) {
  std::vector<std::byte> bytes(count);
  for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * 31 + i / 256 + seed);
  return bytes;
}

struct Written {
  const std::vector<std::byte> first = some_bytes(5000, 1), second = some_bytes(100, 2),
                               weights = some_bytes(9000, 3);
  const CompiledContents contents{
      .model = sha256("model"),
      .plan = sha256("plan"),
      .kernels = "some kernels",
      .file_bytes = {20'000, 300},
      .kept = {{.file = 0, .begin = 7, .bytes = first}, {.file = 1, .begin = 200, .bytes = second}},
      .plan_text = "the plan",
      .memory_text = "the memory\nplan",
      .packed = {{.name = sha256("weights"), .bytes = weights, .sum = 0}}};
};

bool equal(std::span<const std::byte> a, std::span<const std::byte> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

// The same but for packed weights, which may be refused later.
void check_same(const CompiledContents& read, const CompiledContents& written) {
  CHECK(read.model == written.model);
  CHECK(read.plan == written.plan);
  CHECK(read.kernels == written.kernels);
  CHECK(read.file_bytes == written.file_bytes);
  CHECK(read.plan_text == written.plan_text);
  CHECK(read.memory_text == written.memory_text);
  REQUIRE(read.kept.size() == written.kept.size());
  for (size_t i = 0; i < read.kept.size(); ++i) {
    CHECK(read.kept[i].file == written.kept[i].file);
    CHECK(read.kept[i].begin == written.kept[i].begin);
    CHECK(equal(read.kept[i].bytes, written.kept[i].bytes));
  }
}

// The contents written into a file of a folder of its own.
struct OnDisk {
  OnDisk() { REQUIRE(write_compiled(path, written.contents).ok()); }

  const Scratch folder;
  const Written written;
  const std::string path = folder.path() + "/a.shingle";
};

}  // namespace

TEST_CASE("A compiled file reads as it was written") {
  const Scratch folder;
  const Written written;
  const std::string path = folder.path() + "/a.shingle";
  CHECK_FALSE(CompiledFile::is_one(path));
  REQUIRE(write_compiled(path, written.contents).ok());
  CHECK(CompiledFile::is_one(path));
  const auto file = CompiledFile::open(path);
  REQUIRE_MESSAGE(file.ok(), file.error());
  check_same((*file)->contents(), written.contents);
  const auto weights = (*file)->packed(sha256("weights"));
  REQUIRE(weights.has_value());
  CHECK(equal(*weights, written.weights));
  CHECK(reinterpret_cast<uintptr_t>(weights->data()) % 64 == 0);
  CHECK_FALSE((*file)->packed(sha256("others")).has_value());
}

TEST_CASE("No flipped bit of a compiled file is believed") {
  const OnDisk disk;
  const std::string whole = read_file(disk.path);
  size_t refused = 0, weights_lost = 0;
  for (size_t at = 0; at < whole.size(); at += at < 2048 ? 1 : 37) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
    write_text(disk.path, damaged);
    const auto file = CompiledFile::open(disk.path);
    if (!file) {
      ++refused;
      CHECK(file.error().find(disk.path) != std::string::npos);
      continue;
    }
    check_same((*file)->contents(), disk.written.contents);  // it lies between two sections
    const auto weights = (*file)->packed(sha256("weights"));
    if (!weights)
      ++weights_lost;
    else
      CHECK(equal(*weights, disk.written.weights));
  }
  CHECK(refused > 700);
  CHECK(weights_lost > 200);
}

TEST_CASE("A compiled file that is cut short anywhere is refused with a sentence") {
  const OnDisk disk;
  const std::string whole = read_file(disk.path);
  for (size_t length = 0; length < whole.size(); length += length < 1500 ? 13 : 501) {
    write_text(disk.path, whole.substr(0, length));
    const auto file = CompiledFile::open(disk.path);
    REQUIRE(!file.ok());
    CHECK(file.error().find(disk.path) != std::string::npos);
    CHECK(file.failure().kind == ErrorKind::bad_input);
  }
}

TEST_CASE("A compiled file that changes while it is open gives no weights, and no signal") {
  for (const bool truncates : {true, false}) {
    CAPTURE(truncates);
    const OnDisk disk;
    const auto file = CompiledFile::open(disk.path);
    REQUIRE(file.ok());
    const std::string bytes = read_file(disk.path);
    if (truncates) std::filesystem::resize_file(disk.path, 4096);
    if (!truncates) write_text(disk.path, std::string(bytes.size(), 'x'));
    CHECK_FALSE((*file)->packed(sha256("weights")).has_value());
    const Result<uint64_t> version = (*file)->file().version();
    REQUIRE_FALSE(version.ok());
    CHECK(version.error().find(disk.path) != std::string::npos);
    write_text(disk.path, bytes);  // too late for whoever has it open
    CHECK_FALSE((*file)->file().version().ok());
    CHECK(CompiledFile::open(disk.path).ok());
  }
}

TEST_CASE("A compiled file that was copied onto itself is what it was") {
  const OnDisk disk;
  const auto file = CompiledFile::open(disk.path);
  REQUIRE(file.ok());
  std::fstream(disk.path, std::ios::in | std::ios::out | std::ios::binary) << read_file(disk.path);
  CHECK((*file)->file().version().ok());
  CHECK((*file)->packed(sha256("weights")).has_value());
}

TEST_CASE("An index that overrules itself, or stands for more than the file holds, is refused") {
  const OnDisk disk;
  const std::string whole = read_file(disk.path);
  const std::string index =
      whole.substr(whole.find("shingle compiled"), whole.find("packed") + 200);
  const std::string lines = index.substr(0, index.find('\n', index.find("packed")));
  const auto read = [&](const std::string& text) {
    return read_index(text, std::as_bytes(std::span(whole)));
  };
  const auto sound = read(lines);
  REQUIRE_MESSAGE(sound.ok(), sound.error());
  const std::string other_model = "model " + to_string(sha256("b"));
  for (const std::string& again :
       {std::string("files 1 0"), std::string("kernels others"), other_model}) {
    const auto twice = read(lines + "\n" + again);
    REQUIRE_FALSE(twice.ok());
    CHECK(twice.error().find("makes no sense") != std::string::npos);
  }
  const size_t files = lines.find("files ") + 6;
  const auto huge = read(lines.substr(0, files) + "0000000fffffffff" + lines.substr(files + 16));
  REQUIRE_FALSE(huge.ok());
  CHECK(huge.error() == "its index is not complete");
}

}  // namespace shingle::tests
