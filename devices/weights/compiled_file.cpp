#include "devices/weights/compiled_file.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "devices/weights/compiled_index.hpp"

namespace shingle {

namespace {

constexpr std::string_view magic = "SHINGLE-COMPILED";
constexpr size_t index_at = 16 + 8 + 32;
constexpr uint64_t most_index_bytes = 16 << 20;
constexpr uint64_t page = 4096;

uint64_t to_page(uint64_t at) { return (at + page - 1) / page * page; }

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

Error system_error(const char* what, const std::string& path) {
  return Error{std::string("cannot ") + what + " '" + path + "': " + std::strerror(errno)};
}

// What the file is a sequence of, in the order of the index.
std::vector<std::span<const std::byte>> sections_of(const CompiledContents& contents) {
  std::vector<std::span<const std::byte>> sections{bytes_of(contents.plan_text),
                                                   bytes_of(contents.memory_text)};
  for (const auto& kept : contents.kept) sections.push_back(kept.bytes);
  for (const auto& packed : contents.packed) sections.push_back(packed.bytes);
  return sections;
}

std::string prologue(const std::string& index) {
  std::string text(magic);
  const uint64_t bytes = index.size();
  text.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
  const Hash hash = sha256(index);
  text.append(reinterpret_cast<const char*>(hash.bytes.data()), hash.bytes.size());
  return text + index;
}

}  // namespace

uint64_t word_sum(std::span<const std::byte> bytes) {
  std::array<uint64_t, 4> sums{1, 2, 3, 4};
  size_t at = 0;
  for (; at + 32 <= bytes.size(); at += 32) {
    for (size_t lane = 0; lane < 4; ++lane) {
      uint64_t word = 0;
      std::memcpy(&word, bytes.data() + at + 8 * lane, 8);
      sums[lane] = (sums[lane] ^ word) * 0x9e3779b97f4a7c15ULL;
      sums[lane] ^= sums[lane] >> 32;
    }
  }
  for (; at < bytes.size(); ++at) {
    sums[0] = (sums[0] ^ std::to_integer<uint64_t>(bytes[at])) * 0x9e3779b97f4a7c15ULL;
  }
  return sums[0] + 3 * sums[1] + 5 * sums[2] + 7 * sums[3];
}

Status write_compiled(const std::string& path, const CompiledContents& contents) {
  const std::vector<std::span<const std::byte>> sections = sections_of(contents);
  // Places follow from the index's length, which is fixed by giving all numbers the same width.
  std::vector<IndexedBytes> places(sections.size());
  uint64_t at = to_page(index_at + print_index(contents, places).size());
  for (size_t i = 0; i < sections.size(); ++i) {
    places[i] = {.at = at, .bytes = sections[i].size(), .sum = word_sum(sections[i])};
    at = to_page(at + sections[i].size());
  }
  const std::string fresh = path + "." + std::to_string(::getpid()) + ".new";
  std::ofstream file(fresh, std::ios::binary | std::ios::trunc);
  const std::string head = prologue(print_index(contents, places));
  file.write(head.data(), static_cast<std::streamsize>(head.size()));
  uint64_t written = head.size();
  for (size_t i = 0; i < sections.size() && file; ++i) {
    const std::string gap(places[i].at - written, '\0');
    file.write(gap.data(), static_cast<std::streamsize>(gap.size()));
    file.write(reinterpret_cast<const char*>(sections[i].data()),
               static_cast<std::streamsize>(sections[i].size()));
    written = places[i].at + places[i].bytes;
  }
  file.close();
  if (!file || std::rename(fresh.c_str(), path.c_str()) != 0) {
    const Error error = system_error("write", path);
    ::unlink(fresh.c_str());
    return error;
  }
  return success();
}

bool CompiledFile::is_one(const std::string& path) {
  std::array<char, magic.size()> start{};
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), start.size());
  return file && std::string_view(start.data(), start.size()) == magic;
}

namespace {

// The index where it is whole, or what is wrong.
Result<std::string_view> index_in(std::span<const std::byte> file) {
  if (file.size() < index_at) return Error{"it is cut short"};
  if (std::memcmp(file.data(), magic.data(), magic.size()) != 0)
    return Error{"it does not begin as one"};
  uint64_t index_bytes = 0;
  std::memcpy(&index_bytes, file.data() + magic.size(), sizeof index_bytes);
  Hash hash;
  std::memcpy(hash.bytes.data(), file.data() + 24, hash.bytes.size());
  if (index_bytes > most_index_bytes || index_bytes > file.size() - index_at)
    return Error{"it is cut short"};
  const std::string_view index(reinterpret_cast<const char*>(file.data()) + index_at, index_bytes);
  if (sha256(index) != hash) return Error{"its index is damaged"};
  return index;
}

// Of a file that was sound: all sums are in the index, and the index has its hash.
bool is_still_sound(std::span<const std::byte> file, const Hash& index_was) {
  const auto index = index_in(file);
  if (!index || sha256(*index) != index_was) return false;
  const auto contents = read_index(*index, file);
  return contents.ok() && std::ranges::all_of(contents->packed, [](const auto& packed) {
           return word_sum(packed.bytes) == packed.sum;
         });
}

}  // namespace

Result<std::shared_ptr<const CompiledFile>> CompiledFile::open(const std::string& path) {
  const auto wrong = [&](const std::string& why) {
    return bad_input("'" + path + "' is no sound compiled file: " + why + "; compile it again");
  };
  auto mapped = MappedFile::open(path);
  if (!mapped) return bad_input(mapped.error());
  const std::span<const std::byte> bytes = mapped->bytes();
  ::madvise(const_cast<std::byte*>(bytes.data()), bytes.size(), MADV_HUGEPAGE);
  ::madvise(const_cast<std::byte*>(bytes.data()), bytes.size(), MADV_WILLNEED);
  const auto index = index_in(bytes);
  if (!index) return wrong(index.error());
  auto contents = read_index(*index, bytes);
  if (!contents) return wrong(contents.error());
  mapped->know_again([index_was = sha256(*index)](std::span<const std::byte> file) {
    return is_still_sound(file, index_was);
  });
  if (const auto version = mapped->version(); !version) return wrong(version.error());
  std::shared_ptr<CompiledFile> file(new CompiledFile(path, std::move(*mapped)));
  file->contents_ = std::move(*contents);
  return std::shared_ptr<const CompiledFile>(std::move(file));
}

std::optional<std::span<const std::byte>> CompiledFile::packed(const Hash& name) const {
  const auto found =
      std::find_if(contents_.packed.begin(), contents_.packed.end(),
                   [&](const CompiledContents::Packed& one) { return one.name == name; });
  if (found == contents_.packed.end()) return std::nullopt;
  // All of its pages in one call rather than a fault each; a kernel that cannot is asked in vain.
  ::madvise(const_cast<std::byte*>(found->bytes.data()), found->bytes.size(), MADV_POPULATE_READ);
  if (word_sum(found->bytes) != found->sum) return std::nullopt;
  return found->bytes;
}

std::string CompiledFile::what() const {
  return "'" + path_ + "' was compiled for plan " + short_name(contents_.plan) + " of model " +
         short_name(contents_.model);
}

}  // namespace shingle
