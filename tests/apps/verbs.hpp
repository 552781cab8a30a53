// What the tests of the program's verbs share: a model, a clip, a picture, a plan in a folder, and
// how a refusal looks.
#pragma once

#include <string>
#include <vector>

#include "tests/apps/program.hpp"

namespace shingle {

std::string model_in(const ScratchFolder& folder, const std::string& name = "tiny");
std::string clip_in(const ScratchFolder& folder, int frames);
std::string image_in(const ScratchFolder& folder);
// Every node has tiles, though for so small a network one alone would be faster.
std::string plan_in(const ScratchFolder& folder, const std::string& model, const char* nodes);
// Nodes 0, 1, ... named board0, board1, ..., one for each port.
std::string cluster_text(const std::vector<uint16_t>& ports);

bool has(const std::string& text, const std::string& part);
// Checks for one sentence on stderr that says `part`, and nothing on stdout.
void check_refusal(Program& program, const std::string& exit, const std::string& part);

}  // namespace shingle
