// SoftErrorCampaign: bits flipped all over a network, evenly by layer, place and kind of bit, drawn
// from a seed; and what each did to the answer.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "devices/measure/soft_errors.hpp"

namespace shingle {

// Of a float32, from the top: 1, 8 and 23 bits.
enum class BitKind : uint8_t { sign, exponent, mantissa };
inline constexpr std::array<int, 3> bits_of_kind{1, 8, 23};
const char* name_of(BitKind kind);

struct FlipCounts {
  uint64_t flips = 0;
  uint64_t masked = 0;      // not a bit of the outputs differs
  uint64_t other_bits = 0;  // bits differ, the answer is the same
  uint64_t other_answer = 0;
  uint64_t not_finite = 0;   // of those: an output is no number any more
  uint64_t by_checksum = 0;  // a look at the weights finds it

  uint64_t by_audit() const {
    return flips - masked;
  }  // the tile that it falls into has other bits
  void add(const FlipCounts& more);
};

// One layer's weights, or its map.
struct FlipSite {
  LayerId layer;
  Flip::Place place = Flip::Place::weight;
  int64_t words = 0;
  std::array<FlipCounts, 3> kinds{};  // by BitKind

  // How likely a bit that flips anywhere in it changes the answer; by the kinds that were tried.
  double vulnerability() const;
};

struct CampaignOptions {
  uint64_t flips = 60;  // at each site, a third of each kind
  uint64_t seed = 1;
};

// What `flipped` outputs are, held against `clean` ones.
enum class Effect : uint8_t { other_bits, other_answer, not_finite };
using Judge = std::function<Effect(const std::vector<std::vector<float>>& clean,
                                   const std::vector<std::vector<float>>& flipped)>;

class SoftErrorCampaign {
 public:
  // Every layer's weights and map is a site. `errors` must outlive it.
  SoftErrorCampaign(const Model& model, SoftErrors& errors, const CampaignOptions& options);

  uint64_t size() const { return options_.flips * sites_.size(); }
  uint64_t done() const { return next_; }

  // One more, on the input that `errors` holds; in turn over the sites. REQUIRES: done() < size().
  Status step(const Judge& judge);

  const std::vector<FlipSite>& sites() const { return sites_; }

 private:
  SoftErrors& errors_;
  CampaignOptions options_;
  std::vector<FlipSite> sites_;
  uint64_t next_ = 0;
};

FlipCounts total(const std::vector<FlipSite>& sites, Flip::Place place, BitKind kind);

// How likely a bit that flips anywhere at that place, in the whole network, changes the answer.
double vulnerability(const std::vector<FlipSite>& sites, Flip::Place place);

}  // namespace shingle
