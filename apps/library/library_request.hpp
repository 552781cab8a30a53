// LibraryRequest: a request as its caller sees it: the desk's request, and its results in the form
// of the model's file, which are made when they are first asked for.
#pragma once

#include <shingle/shingle.h>

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "apps/library/opened_model.hpp"
#include "apps/library/request_desk.hpp"

namespace shingle {

class LibraryRequest {
 public:
  // `picture`: its size, if a picture was submitted.
  LibraryRequest(std::shared_ptr<RequestDesk> desk, std::shared_ptr<const OpenedModel> model,
                 RequestDesk::Request request, std::optional<PixelSize> picture)
      : desk_(std::move(desk)),
        model_(std::move(model)),
        request_(std::move(request)),
        picture_(picture) {}

  RequestDesk& desk() const { return *desk_; }
  const RequestDesk::Request& request() const { return request_; }
  const Model& model() const { return model_->file->model; }

  // How it ended; SHINGLE_TIMEOUT if it is under way. Results are there with SHINGLE_OK.
  RequestEnd end() const { return desk_->end_of(request_); }

  // Any thread. What they return stays where it is. REQUIRES: it ended as SHINGLE_OK.
  const std::vector<OutputValue>& values();  // by output of the model
  Result<const char*> findings();            // as a line of `shingle run --json`
  Result<std::span<const shingle_box>> boxes();

 private:
  Status read_finding();                             // REQUIRES: mutex_ is locked
  const std::vector<std::vector<float>>& ordered();  // the same
  const std::shared_ptr<RequestDesk> desk_;
  const std::shared_ptr<const OpenedModel> model_;
  const RequestDesk::Request request_;
  const std::optional<PixelSize> picture_;

  std::mutex mutex_;  // of what follows; empty: not asked for yet
  std::vector<std::vector<float>> ordered_;
  std::vector<OutputValue> values_;
  std::optional<Finding> finding_;
  std::string json_;
  std::optional<std::vector<std::string>> box_names_;
  std::vector<shingle_box> boxes_;
};

}  // namespace shingle
