#include "apps/serve/frigate/desk.hpp"

#include <algorithm>
#include <cassert>

#include "apps/system/plain_text.hpp"
#include "partition/base/text.hpp"

namespace shingle::serve {
namespace {

using State = Standing::State;

constexpr size_t longest_sentence = 600;

// Of the input that takes the picture: the only one of bytes.
std::optional<PictureSize> picture_size(const Session& session) {
  for (const TensorInfo& input : session.inputs())
    if (input.type == DataType::uint8 && input.shape.size() == 4)
      return PictureSize{static_cast<int32_t>(input.shape[3]),
                         static_cast<int32_t>(input.shape[2])};
  return std::nullopt;
}

FrigateRows rows_of(std::span<const shingle_box> boxes, PictureSize size) {
  std::vector<FrigateBox> copied;
  for (const shingle_box& box : boxes)
    copied.push_back({box.x0, box.y0, box.x1, box.y1, box.score, box.class_id});
  return frigate_rows(std::move(copied), size.width, size.height);
}

std::string late_sentence(std::chrono::milliseconds limit) {
  return "the picture was not computed within " + std::to_string(limit.count()) +
         " ms (--answer-in)";
}

// Of a standing that is not `ready`.
std::string why_not(const std::string& name, const Standing& standing) {
  if (standing.state == State::unknown) return "there is no model " + in_quotes(name);
  if (standing.state == State::loading)
    return "the model " + in_quotes(name) + " is still being loaded";
  return "the model " + in_quotes(name) + " was not loaded: " + standing.error;
}

}  // namespace

FrigateDesk::FrigateDesk(ModelHost& models, const FrigateOptions& options, Log log,
                         std::function<void()> wake)
    : models_(models),
      options_(options),
      log_(std::move(log)),
      mailbox_(std::make_shared<Mailbox>()) {
  mailbox_->wake = std::move(wake);
}

FrigateDesk::~FrigateDesk() {  // frames that are under way may still end
  const std::lock_guard lock(mailbox_->mutex);
  mailbox_->wake = [] {};
}

void FrigateDesk::forget(Peer peer) { peers_.erase(peer); }

void FrigateDesk::answer(Peer peer, std::vector<std::string> frames) {
  PeerState& state = peers_[peer];
  state.wait.reset();
  state.frame.reset();
  if (state.delimited) frames.insert(frames.begin(), std::string());
  answers_.push_back({peer, std::move(frames)});
}

void FrigateDesk::answer_rows(Peer peer, const FrigateRows& rows, const std::string& error) {
  const std::string sentence = plain_text(error, longest_sentence);
  if (!sentence.empty()) note_once(LogLevel::info, "an answer to Frigate: " + sentence);
  answer(peer, {header_of_rows(sentence), std::string(rows.bytes())});
}

void FrigateDesk::on_message(Peer peer, ZmtpMessage message, Instant begun) {
  PeerState& state = peers_[peer];
  assert(!state.wait && !state.frame);
  state.delimited = message.delimited;
  if (!message.unfit.empty()) return answer_rows(peer, {}, message.unfit);
  if (message.frames == 0 || message.frames > 2)
    return answer_rows(peer, {},
                       "a message has " + std::to_string(message.frames) +
                           " frames; there are a header and one of bytes");
  const auto header = read_frigate_header(message.header);
  if (!header) return answer_rows(peer, {}, header.error());
  std::visit([&](const auto& said) { on_header(peer, said, message, begun); }, *header);
}

void FrigateDesk::on_header(Peer peer, const ModelAsked& asked, ZmtpMessage&, Instant begun) {
  PeerState& state = peers_[peer];
  state.model = asked.name;
  state.wait = Wait{.name = asked.name, .until = begun + options_.load_wait};
  look_at_wait(peer, state, begun);
}

void FrigateDesk::on_header(Peer peer, const ModelSent& sent, ZmtpMessage& message, Instant begun) {
  PeerState& state = peers_[peer];
  const auto refuse = [&](const std::string& why) {
    note_once(LogLevel::warning, "a model of Frigate was refused: " + why);
    answer(peer, {answer_to_data({.error = why})});
  };
  if (!models_.accepts())
    return refuse("this server accepts no models: start it with --accept-models");
  if (message.frames != 2 || message.payload.empty())
    return refuse("the model " + in_quotes(sent.name) + " came without bytes");
  if (!models_.accept(sent.name, std::move(message.payload), std::move(message.share)))
    return refuse("too many models wait to be stored: send it again later");
  state.model = sent.name;
  state.wait = Wait{.name = sent.name, .was_sent = true, .until = begun + options_.load_wait};
}

void FrigateDesk::on_header(Peer peer, const TensorSent& tensor, ZmtpMessage& message,
                            Instant begun) {
  PeerState& state = peers_[peer];
  const std::string name = state.model.empty() ? models_.only_name().value_or("") : state.model;
  if (name.empty()) {
    note_once(
        LogLevel::warning,
        "a detector was disconnected: it sent a tensor before it asked for a model, and there "
        "is not just one");
    answers_.push_back({peer, {}});
    return;
  }
  if (const Status computed = compute(state, name, tensor, message, begun); !computed)
    answer_rows(peer, {}, computed.error());
}

Status FrigateDesk::compute(PeerState& state, const std::string& name, const TensorSent& tensor,
                            const ZmtpMessage& message, Instant begun) {
  if (message.frames != 2) return Error{"the tensor came without bytes"};
  const Standing standing = models_.look_for_peer(name);
  if (standing.state != State::ready) return Error{why_not(name, standing)};
  const auto size = picture_size(*standing.session);
  if (!size) return Error{"the model " + in_quotes(name) + " takes no pictures"};
  auto picture = read_frigate_picture(tensor, message.payload, *size, options_.pixels);
  if (!picture) return picture.failure();
  const uint64_t ticket = next_ticket_++;
  const auto done = [mailbox = mailbox_, ticket, size = *size, limit = options_.answer_in,
                     session = std::weak_ptr(standing.session)](Request request,
                                                                shingle_code code) {
    Finished finished{.ticket = ticket};
    if (CallEnd{code}.is_final()) finished.ended = session;
    const auto boxes = request.boxes();
    finished.error = code == SHINGLE_LATE ? late_sentence(limit) : boxes.end.sentence;
    if (boxes.end.ok()) finished.rows = rows_of(boxes.boxes, size);
    const std::lock_guard lock(mailbox->mutex);
    mailbox->finished.push_back(std::move(finished));
    mailbox->wake();
  };
  const CallEnd submitted = standing.session->submit(*picture, options_.answer_in, done);
  if (submitted.is_final()) models_.has_ended(*standing.session, submitted.sentence);
  if (!submitted.ok()) return Error{submitted.sentence};
  state.frame = Frame{ticket, begun + options_.answer_in};
  return success();
}

void FrigateDesk::note_once(LogLevel level, const std::string& sentence) {
  if (std::exchange(last_note_, sentence) != sentence) note_to(log_, level, sentence);
}

void FrigateDesk::take_finished() {
  std::vector<Finished> finished;
  {
    const std::lock_guard lock(mailbox_->mutex);
    finished.swap(mailbox_->finished);
  }
  for (const Finished& each : finished) {
    if (const auto session = each.ended.lock()) models_.has_ended(*session, each.error);
    const auto found = std::ranges::find_if(peers_, [&](const auto& peer) {
      return peer.second.frame && peer.second.frame->ticket == each.ticket;
    });
    if (found != peers_.end()) answer_rows(found->first, each.rows, each.error);
  }
}

// Answers once the model is loaded, cannot be loaded, or time is up.
void FrigateDesk::look_at_wait(Peer peer, PeerState& state, Instant now) {
  assert(state.wait);
  const Wait wait = *state.wait;
  const Standing standing = models_.look_for_peer(wait.name, wait.was_sent);
  if (standing.may_come() && now < wait.until) return;
  ModelAnswer said{.is_available = standing.state != State::unknown && standing.is_saved,
                   .is_loaded = standing.state == State::ready};
  if (!said.is_loaded) said.error = plain_text(why_not(wait.name, standing), longest_sentence);
  if (!said.is_loaded) note_once(LogLevel::warning, "Frigate was told: " + said.error);
  answer(peer, {wait.was_sent ? answer_to_data(said) : answer_to_request(said)});
}

std::vector<FrigateDesk::Answer> FrigateDesk::answers(Instant now) {
  take_finished();
  for (auto& [peer, state] : peers_) {
    if (state.frame && now >= state.frame->until)
      answer_rows(peer, {}, late_sentence(options_.answer_in));
    else if (state.wait)
      look_at_wait(peer, state, now);
  }
  return std::exchange(answers_, {});
}

std::optional<FrigateDesk::Instant> FrigateDesk::next() const {
  std::optional<Instant> first;
  const auto take = [&](Instant each) { first = first ? std::min(*first, each) : each; };
  for (const auto& [peer, state] : peers_) {
    if (state.frame) take(state.frame->until);
    if (state.wait) take(state.wait->until);
  }
  return first;
}

}  // namespace shingle::serve
