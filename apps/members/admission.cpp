#include "apps/members/admission.hpp"

#include "transport/keys/key_folder.hpp"

namespace shingle {

std::string Admission::folder() const {
  if (insecure) return "";
  return keys.empty() ? KeyFolder::usual_path() : keys;
}

}  // namespace shingle
