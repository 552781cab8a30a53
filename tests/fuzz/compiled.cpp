// Fuzzes the indexes of compiled files. The input serves as the index and as the file. All
// sections that the reader accepts lie in the file, and no byte belongs to two of them.
#include "devices/weights/compiled_index.hpp"
#include "tests/fuzz/target.hpp"

namespace shingle::fuzz {

void compiled(Bytes bytes) {
  const Result<CompiledContents> read = read_index(text_of(bytes), bytes);
  if (!read) return expect_sentence(read.error());
  size_t taken = 0;
  const auto take = [&](Bytes part) {
    expect(part.empty() || (part.data() >= bytes.data() &&
                            part.data() + part.size() <= bytes.data() + bytes.size()),
           "a section lies within the file");
    taken += part.size();
  };
  for (const auto& kept : read->kept) {
    take(kept.bytes);
    expect(kept.begin >= 0 &&
               kept.begin + static_cast<int64_t>(kept.bytes.size()) <= read->file_bytes[kept.file],
           "what is kept lies within the model's file");
  }
  for (const auto& packed : read->packed) take(packed.bytes);
  taken += read->plan_text.size() + read->memory_text.size();
  expect(taken <= bytes.size(), "no byte counts twice");
}

}  // namespace shingle::fuzz
