// What classes are called: by a file, by the model's own metadata, or by COCO's list.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "partition/base/result.hpp"

namespace shingle {

using ClassNames = std::vector<std::string>;  // by class

std::string name_of_class(const ClassNames& names, int class_id);  // "class 7" beyond the list

// The 80 classes in the order in which COCO's detectors number them.
const ClassNames& coco_names();

// One name a line, as Darknet's .names files and ImageNet's synset files have them: of
// "n01440764 tench, Tinca tinca" the name is "tench". Empty lines at the end do not count. At most
// 100 000 names, a MiB of text; names longer than 200 bytes are cut (plain_text).
Result<ClassNames> parse_names(std::string_view text);
Result<ClassNames> read_names(const std::string& path);  // the sentence names the file

// The metadata entry `names` of Ultralytics' exports: "{0: 'person', 1: 'bicycle'}" or "['person',
// 'bicycle']". None where the text is anything else.
std::optional<ClassNames> names_in_metadata(std::string_view text);

}  // namespace shingle
