// SharedText: a text that many messages carry, kept once. Copies share it, nobody changes it.
#pragma once

#include <memory>
#include <string>
#include <utility>

namespace shingle {

class SharedText {
 public:
  SharedText() = default;
  SharedText(std::string text)  // NOLINT: a message is written with a plain text
      : text_(text.empty() ? nullptr : std::make_shared<const std::string>(std::move(text))) {}
  SharedText(const char* text) : SharedText(std::string(text)) {}

  const std::string& str() const {
    static const auto& none = *new std::string;
    return text_ ? *text_ : none;
  }
  operator const std::string&() const { return str(); }
  bool empty() const { return text_ == nullptr; }
  size_t size() const { return str().size(); }
  friend bool operator==(const SharedText& a, const SharedText& b) { return a.str() == b.str(); }

 private:
  std::shared_ptr<const std::string> text_;
};

}  // namespace shingle
