#include "transport/keys/keys.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cstdio>
#include <span>
#include <sstream>
#include <vector>
#include <zmq.hpp>

#include "partition/base/checksum.hpp"

namespace shingle {
namespace {

using Letters = std::array<char, key_letters + 1>;  // and the zero that ZeroMQ writes

std::string text_of(const Letters& letters) { return {letters.data(), key_letters}; }

// Words between blanks; none in a comment. A key may hold a '#': only the first letter counts.
std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  if (!words.empty() && words[0].starts_with('#')) words.clear();
  return words;
}

std::optional<uint32_t> number_in(const std::string& word) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return number;
}

std::string lines_of(const std::map<NodeId, PublicKey>& keys) {
  std::string text;
  for (const auto& [node, key] : keys) text += std::to_string(node.value) + " " + key.z85 + "\n";
  return text;
}

// Of what the list says, not of its blanks and comments.
std::string sum_of(const std::map<NodeId, PublicKey>& keys) {
  const std::string text = lines_of(keys);
  std::array<char, 9> digits{};
  std::snprintf(digits.data(), digits.size(), "%08x", checksum(std::as_bytes(std::span(text))));
  return digits.data();
}

constexpr const char* copy_again =
    ": it was cut short or changed by hand; copy it again from where 'shingle keys' wrote it";

Error bad_line(int number, const std::string& why) {
  return {"line " + std::to_string(number) + ": " + why};
}

}  // namespace

KeyPair new_key_pair() {
  Letters open{}, secret{};
  zmq_curve_keypair(open.data(), secret.data());
  return {{text_of(open)}, text_of(secret)};
}

bool is_key(std::string_view text) {
  constexpr std::string_view others = ".-:+=^!/*?&<>()[]{}@%$#";  // of Z85, beside letters, digits
  return text.size() == key_letters && std::ranges::all_of(text, [&](char letter) {
           return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
                  (letter >= 'A' && letter <= 'Z') || others.find(letter) != others.npos;
         });
}

Result<Allowed> Allowed::parse(std::string_view text) {
  Allowed allowed;
  std::optional<uint32_t> members;
  bool ended = false;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::vector<std::string> words = words_of(line);
    if (words.empty()) continue;
    const bool two = words.size() == 2;
    if (ended) return bad_line(number, "there is more after the end of the list");
    if (two && words[0] == "members" && !members && allowed.keys_.empty()) {
      members = number_in(words[1]);
      if (!members) return bad_line(number, "expected how many members there are");
    } else if (two && words[0] == "end") {
      if (members != allowed.keys_.size() || words[1] != sum_of(allowed.keys_))
        return bad_line(number, std::string("the end does not fit the list") + copy_again);
      ended = true;
    } else {
      const auto node = number_in(words[0]);
      if (!node || !two || !is_key(words[1]))
        return bad_line(number, "expected a node's id and its public key of 40 letters");
      if (!allowed.add({*node}, {words[1]}))
        return bad_line(number, "node " + words[0] + " or its key is in the list already");
    }
  }
  if (members && !ended)
    return bad_line(number, std::string("the end line is missing") + copy_again);
  allowed.has_end_ = ended;
  return allowed;
}

std::string Allowed::text() const {
  return "# Who may join: a node's id and its public key. 'shingle keys' writes it.\nmembers " +
         std::to_string(keys_.size()) + "\n" + lines_of(keys_) + "end " + sum_of(keys_) + "\n";
}

bool Allowed::add(NodeId node, const PublicKey& key) {
  assert(is_key(key.z85));
  return !node_of(key) && keys_.emplace(node, key).second;
}

bool Allowed::remove(NodeId node) { return keys_.erase(node) > 0; }

const PublicKey* Allowed::key_of(NodeId node) const {
  const auto found = keys_.find(node);
  return found == keys_.end() ? nullptr : &found->second;
}

std::optional<NodeId> Allowed::node_of(const PublicKey& key) const {
  for (const auto& [node, known] : keys_)
    if (known == key) return node;
  return std::nullopt;
}

std::string secret_text(NodeId node, const KeyPair& pair) {
  assert(is_key(pair.open.z85) && is_key(pair.secret));
  return "# The secret of node " + std::to_string(node.value) +
         ": for its owner's eyes, on its machine.\npublic " + pair.open.z85 + "\nsecret " +
         pair.secret + "\n";
}

Result<KeyPair> parse_secret(std::string_view text) {
  KeyPair pair;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> words = words_of(line);
    if (words.size() != 2 || !is_key(words[1])) continue;
    if (words[0] == "public") pair.open.z85 = words[1];
    if (words[0] == "secret") pair.secret = words[1];
  }
  if (pair.secret.empty() || pair.open.z85.empty())
    return Error{"expected the lines 'public KEY' and 'secret KEY' with keys of 40 letters"};
  Letters derived{};
  if (zmq_curve_public(derived.data(), pair.secret.c_str()) != 0 ||
      text_of(derived) != pair.open.z85)
    return Error{"its public key does not belong to its secret one"};
  return pair;
}

}  // namespace shingle
