// LibraryRequest: a request as its caller sees it: the desk's request, and its results in the form
// of the model's file, which are made when they are first asked for.
#pragma once

#include <mutex>
#include <vector>

#include "apps/library/opened_model.hpp"
#include "apps/library/request_desk.hpp"

namespace shingle {

class LibraryRequest {
 public:
  LibraryRequest(std::shared_ptr<RequestDesk> desk, std::shared_ptr<const OpenedModel> model,
                 RequestDesk::Request request)
      : desk_(std::move(desk)), model_(std::move(model)), request_(std::move(request)) {}

  RequestDesk& desk() const { return *desk_; }
  const RequestDesk::Request& request() const { return request_; }
  const Model& model() const { return model_->file->model; }

  // How it ended; SHINGLE_TIMEOUT if it is under way. Results are there with SHINGLE_OK.
  RequestEnd end() const { return desk_->wait(request_, Duration(0)); }

  // By output of the model. They stay where they are. REQUIRES: it ended as SHINGLE_OK.
  const std::vector<OutputValue>& values();

 private:
  const std::shared_ptr<RequestDesk> desk_;
  const std::shared_ptr<const OpenedModel> model_;
  const RequestDesk::Request request_;
  std::mutex mutex_;
  std::vector<OutputValue> values_;  // empty: not asked for yet
};

}  // namespace shingle
