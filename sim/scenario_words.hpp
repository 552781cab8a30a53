// The words of one scenario line, read one after the other. A missing or malformed word makes bad()
// true, and then the whole line is refused.
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
  bool accept(std::string_view word);  // reads the next word if it is this one
  void expect(std::string_view word);  // as above; bad() if it is another one
  int64_t integer();
  double number();
  Duration duration();               // "5ms"
  int64_t rate();                    // "1MB/s", in bytes per second
  std::vector<uint32_t> integers();  // all up to the next word that is no number
  bool next_is_number() const;

 private:
  std::vector<std::string> words_;
  size_t next_ = 0;
  bool bad_ = false;
};

}  // namespace shingle::sim
