// What a network that reads text calls its letters.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "partition/base/result.hpp"

namespace shingle {

using Letters = std::vector<std::string>;  // UTF-8, by class without the blank

// One letter a line, as PaddleOCR's dictionaries have them; a line of one blank is a blank. Empty
// lines at the end do not count. More than 100 000 letters are none; long ones are cut
// (plain_text).
Letters letters_in(std::string_view text);

// The letters of a file of at most a MiB. The sentence names the file.
Result<Letters> read_letters(const std::string& path);

Letters usual_letters();  // 0 to 9, a to z: CRNN's

}  // namespace shingle
