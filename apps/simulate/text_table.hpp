// A table for people to read.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace shingle {

// Rows of cells; each column is as wide as its widest cell.
class TextTable {
 public:
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string str() const {
    std::vector<size_t> widths;
    for (const auto& row : rows_)
      for (size_t i = 0; i < row.size(); ++i) {
        if (i == widths.size()) widths.push_back(0);
        widths[i] = std::max(widths[i], row[i].size());
      }
    std::string out;
    for (const auto& row : rows_) {
      std::string line;
      for (size_t i = 0; i < row.size(); ++i)
        line += row[i] + std::string(widths[i] - row[i].size() + 3, ' ');
      while (line.ends_with(' ')) line.pop_back();
      out += line + "\n";
    }
    return out;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace shingle
