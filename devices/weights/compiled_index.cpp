#include "devices/weights/compiled_index.hpp"

#include <array>
#include <charconv>
#include <cstdio>
#include <set>

namespace shingle {

namespace {

constexpr std::string_view version = "shingle compiled 1";
constexpr int64_t most_file_bytes = int64_t{1} << 36;
constexpr size_t most_sections = 100'000;
constexpr size_t most_files = 2 + 4096;

std::string place_text(const IndexedBytes& place) {
  std::array<char, 80> text{};
  std::snprintf(text.data(), text.size(), "%016llx %016llx %016llx",
                static_cast<unsigned long long>(place.at),
                static_cast<unsigned long long>(place.bytes),
                static_cast<unsigned long long>(place.sum));
  return text.data();
}

// Words of a line, one after the other; whatever is asked for and is not there fails.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}

  std::string_view word() {
    const size_t end = std::min(rest_.find(' '), rest_.size());
    const std::string_view found = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return found;
  }
  std::string_view rest() const { return rest_; }

  std::optional<uint64_t> number(int base) {
    const std::string_view text = word();
    uint64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
    return value;
  }

  std::optional<Hash> hash() { return read_hash(word()); }

 private:
  std::string_view rest_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> file) : file_(file) {}

  Result<CompiledContents> read(std::string_view index) {
    size_t lines = 0;
    for (size_t end = 0; !index.empty(); index.remove_prefix(std::min(end + 1, index.size()))) {
      end = std::min(index.find('\n'), index.size());
      const std::string_view line = index.substr(0, end);
      if (++lines > most_sections) return Error{"it has too many sections"};
      const bool fits = lines == 1 ? line == version : take(line);
      if (!fits)
        return Error{lines == 1 ? "another version wrote it"
                                : "line " + std::to_string(lines) + " of its index makes no sense"};
    }
    if (lines == 0 || !complete()) return Error{"its index is not complete"};
    return std::move(contents_);
  }

 private:
  // What is left out of the model's files was packed, in no less space: a small file cannot stand
  // for a huge one.
  bool complete() const {
    constexpr uint64_t slack = 1 << 20;
    uint64_t there = slack, wanted = 0;
    for (const auto& kept : contents_.kept) there += kept.bytes.size();
    for (const auto& packed : contents_.packed) there += packed.bytes.size();
    for (const int64_t bytes : contents_.file_bytes) wanted += static_cast<uint64_t>(bytes);
    return wanted <= there && contents_.model != Hash{} && contents_.plan != Hash{} &&
           !contents_.file_bytes.empty() && contents_.file_bytes[0] > 0 &&
           !contents_.plan_text.empty();
  }

  bool take(std::string_view line) {
    Words words(line);
    const std::string_view key = words.word();
    const bool repeats = key == "kept" || key == "packed";
    if (!repeats && !seen_.emplace(key).second) return false;  // it would overrule what was checked
    if (key == "model") return set(contents_.model, words.hash());
    if (key == "plan-hash") return set(contents_.plan, words.hash());
    if (key == "kernels") return contents_.kernels = words.rest(), true;
    if (key == "files") return take_sizes(words);
    if (key == "plan") return take_text(words, contents_.plan_text);
    if (key == "memory") return take_text(words, contents_.memory_text);
    if (key == "kept") return take_kept(words);
    return key == "packed" && take_packed(words);
  }

  static bool set(Hash& to, const std::optional<Hash>& value) {
    if (value) to = *value;
    return value.has_value();
  }

  bool take_sizes(Words& words) {
    while (!words.rest().empty()) {
      const auto bytes = words.number(16);
      if (!bytes || *bytes > uint64_t{most_file_bytes}) return false;
      if (contents_.file_bytes.size() == most_files) return false;
      contents_.file_bytes.push_back(static_cast<int64_t>(*bytes));
    }
    return contents_.file_bytes.size() >= 2;
  }

  // The next section: they follow each other, so that no byte of the file counts twice.
  std::optional<IndexedBytes> place(Words& words) {
    const auto at = words.number(16), bytes = words.number(16), sum = words.number(16);
    if (!at || !bytes || !sum || *at < free_from_ || *at > file_.size() ||
        *bytes > file_.size() - *at)
      return std::nullopt;
    free_from_ = *at + *bytes;
    return IndexedBytes{*at, *bytes, *sum};
  }

  std::span<const std::byte> section(const IndexedBytes& place) const {
    return file_.subspan(place.at, place.bytes);
  }

  bool take_text(Words& words, std::string& to) {
    const auto its = place(words);
    if (!its || word_sum(section(*its)) != its->sum) return false;
    const auto bytes = section(*its);
    to.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return true;
  }

  bool take_kept(Words& words) {
    const auto file = words.number(16), begin = words.number(16);
    const auto its = place(words);
    if (!file || *file >= contents_.file_bytes.size() || !begin || !its) return false;
    const auto size = static_cast<uint64_t>(contents_.file_bytes[*file]);
    if (*begin > size || its->bytes > size - *begin) return false;
    const auto first = static_cast<int64_t>(*begin);
    if (!contents_.kept.empty()) {
      const CompiledContents::Kept& last = contents_.kept.back();
      const int64_t end = last.begin + static_cast<int64_t>(last.bytes.size());
      if (*file < last.file || (*file == last.file && first < end)) return false;
    }
    if (word_sum(section(*its)) != its->sum) return false;
    contents_.kept.push_back({*file, first, section(*its)});
    return true;
  }

  bool take_packed(Words& words) {
    const auto name = words.hash();
    const auto its = place(words);
    constexpr uint64_t alignment = 64;  // kernels read vectors
    if (!name || !its || its->at % alignment != 0) return false;
    contents_.packed.push_back({*name, section(*its), its->sum});
    return true;
  }

  std::span<const std::byte> file_;
  uint64_t free_from_ = 0;
  std::set<std::string, std::less<>> seen_;
  CompiledContents contents_;
};

}  // namespace

std::string print_index(const CompiledContents& contents, const std::vector<IndexedBytes>& places) {
  std::array<char, 20> number{};
  const auto hex = [&](int64_t value) {
    std::snprintf(number.data(), number.size(), "%016llx", static_cast<unsigned long long>(value));
    return std::string(number.data());
  };
  size_t next = 0;
  const auto place = [&] { return place_text(places[next++]) + "\n"; };
  std::string text = std::string(version) + "\nmodel " + to_string(contents.model) +
                     "\nplan-hash " + to_string(contents.plan) + "\nkernels " + contents.kernels +
                     "\nfiles";
  for (const int64_t bytes : contents.file_bytes) text += " " + hex(bytes);
  text += "\n";
  text += "plan " + place();
  text += "memory " + place();
  for (const auto& kept : contents.kept)
    text += "kept " + std::to_string(kept.file) + " " + hex(kept.begin) + " " + place();
  for (const auto& packed : contents.packed)
    text += "packed " + to_string(packed.name) + " " + place();
  return text;
}

Result<CompiledContents> read_index(std::string_view index, std::span<const std::byte> file) {
  return Reader(file).read(index);
}

}  // namespace shingle
