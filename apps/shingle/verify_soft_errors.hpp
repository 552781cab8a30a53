// shingle verify --soft-errors: what flipped bits do to a model's answers.
#pragma once

#include "apps/shingle/verbs.hpp"

namespace shingle {

int verify_soft_errors(const VerifyOptions& options);

}  // namespace shingle
