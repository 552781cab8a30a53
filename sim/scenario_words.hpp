// The words of one scenario line, taken from the front. What is missing or malformed makes bad()
// true; the line is then refused as a whole.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "partition/base/time.hpp"

namespace shingle::sim {

class Words {
 public:
  explicit Words(std::string_view line);

  bool empty() const { return next_ == words_.size(); }
  bool bad() const { return bad_; }
  void reject() { bad_ = true; }

  std::string word();
  bool accept(std::string_view word);  // takes it if it is next
  void expect(std::string_view word);
  int64_t integer();
  double number();
  Duration duration();               // "5ms"
  int64_t rate();                    // "1MB/s", in bytes per second
  std::vector<uint32_t> integers();  // as many as there are
  bool next_is_number() const;

 private:
  std::vector<std::string> words_;
  size_t next_ = 0;
  bool bad_ = false;
};

}  // namespace shingle::sim
