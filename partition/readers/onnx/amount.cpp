#include "partition/readers/onnx/amount.hpp"

#include <algorithm>
#include <cmath>

#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

namespace {

constexpr int64_t most_exact = int64_t{1} << 24;  // whole numbers up to this are exact as floats
constexpr int64_t most_known = int64_t{1} << 40;
constexpr size_t most_terms = 8;  // a longer sum becomes a tensor of its own

void check_exact(Node& node, int64_t low, int64_t high) {
  if (low < -most_exact || high > most_exact)
    node.refuse("it computes with sizes beyond 2^24, which 32-bit floats do not hold exactly");
}

// The bounds keep all products that follow within 64 bits: a term is at most as wide as the amount.
Amount checked(Node& node, Amount amount) {
  if (amount.known()) return known_amount(amount.constant);
  check_exact(node, amount.low(), amount.high());
  if (amount.terms.size() <= most_terms) return amount;
  return amount_of(tensor_of(node, amount), amount.low(), amount.high());
}

std::string text_of(const Amount& amount) {
  std::string text = std::to_string(amount.constant);
  for (const Amount::Term& term : amount.terms)
    text.append("+")
        .append(std::to_string(term.times))
        .append("*")
        .append(std::to_string(term.tensor.value));
  return text;
}

TensorId number(Node& node, int64_t value) {
  return node.constant_tensor({1, 1, 1}, {static_cast<float>(value)});
}

TensorId emitted(Node& node, Binary::Kind kind, TensorId a, TensorId b) {
  return node.emit(Binary{kind}, {a, b}, map_view({})).tensor;
}

// The tensor that `make` makes, unless it was made before under this key.
template <class Make>
TensorId made_once(Node& node, const std::string& key, Make make) {
  const auto found = node.amount_tensors().find(key);
  if (found != node.amount_tensors().end()) return found->second;
  const TensorId tensor = make();
  node.amount_tensors().emplace(key, tensor);
  return tensor;
}

TensorId binary_tensor(Node& node, Binary::Kind kind, const Amount& a, const Amount& b) {
  const std::string key =
      std::to_string(static_cast<int>(kind)) + " " + text_of(a) + " " + text_of(b);
  return made_once(node, key,
                   [&] { return emitted(node, kind, tensor_of(node, a), tensor_of(node, b)); });
}

// constant + times * amount. REQUIRES: moderate numbers.
Amount scaled(const Amount& amount, int64_t times) {
  if (times == 0) return {};
  Amount result{.constant = amount.constant * times, .terms = amount.terms};
  for (Amount::Term& term : result.terms) term.times *= times;
  return result;
}

Amount added(const Amount& a, const Amount& b) {
  Amount result{.constant = a.constant + b.constant, .terms = a.terms};
  for (const Amount::Term& term : b.terms) {
    const auto place =
        std::ranges::lower_bound(result.terms, term.tensor.value, {},
                                 [](const Amount::Term& other) { return other.tensor.value; });
    if (place != result.terms.end() && place->tensor == term.tensor) {
      place->times += term.times;
      if (place->times == 0) result.terms.erase(place);
    } else {
      result.terms.insert(place, term);
    }
  }
  return result;
}

}  // namespace

int64_t Amount::low() const {
  int64_t total = constant;
  for (const Term& term : terms) total += term.times * (term.times > 0 ? term.low : term.high);
  return total;
}

int64_t Amount::high() const {
  int64_t total = constant;
  for (const Term& term : terms) total += term.times * (term.times > 0 ? term.high : term.low);
  return total;
}

Amount known_amount(int64_t value) {
  return {.constant = std::clamp(value, -most_known, most_known)};
}

Amount amount_of(TensorId tensor, int64_t low, int64_t high) {
  if (low == high) return known_amount(low);
  return {.constant = 0, .terms = {{.tensor = tensor, .times = 1, .low = low, .high = high}}};
}

Amount sum(Node& node, const Amount& a, const Amount& b) { return checked(node, added(a, b)); }

Amount difference(Node& node, const Amount& a, const Amount& b) {
  return checked(node, added(a, scaled(b, -1)));
}

Amount product(Node& node, const Amount& a, const Amount& b) {
  if (a.known() && b.known()) {
    const double exact = static_cast<double>(a.constant) * static_cast<double>(b.constant);
    const bool fits = std::abs(exact) <= static_cast<double>(most_known);
    return known_amount(fits ? a.constant * b.constant : exact < 0.0 ? -most_known : most_known);
  }
  check_exact(node, a.low(), a.high());
  check_exact(node, b.low(), b.high());
  const auto [low, high] =
      std::minmax({a.low() * b.low(), a.low() * b.high(), a.high() * b.low(), a.high() * b.high()});
  check_exact(node, low, high);
  if (a.known()) return checked(node, scaled(b, a.constant));
  if (b.known()) return checked(node, scaled(a, b.constant));
  return amount_of(binary_tensor(node, Binary::Kind::mul, a, b), low, high);
}

bool divides(int64_t divisor, const Amount& amount) {
  return amount.constant % divisor == 0 && std::ranges::all_of(amount.terms, [&](const auto& term) {
           return term.times % divisor == 0;
         });
}

Amount quotient(Node& node, const Amount& a, int64_t divisor) {
  const auto down = [&](int64_t number) {
    return number / divisor - (number < 0 && number % divisor != 0 ? 1 : 0);
  };
  if (a.known()) return known_amount(down(a.constant));
  if (divides(divisor, a)) {
    Amount result{.constant = a.constant / divisor, .terms = a.terms};
    for (Amount::Term& term : result.terms) term.times /= divisor;
    return result;
  }
  const TensorId tensor = made_once(node, text_of(a) + " / " + std::to_string(divisor), [&] {
    const TensorId real =
        emitted(node, Binary::Kind::div, tensor_of(node, a), number(node, divisor));
    const Box quotient{.tensor = real, .view = map_view({}), .sole = true};
    return node.activate(quotient, {.kind = Activation::Kind::floor}).tensor;
  });
  return amount_of(tensor, down(a.low()), down(a.high()));
}

Amount smaller(Node& node, const Amount& a, const Amount& b) {
  const Amount ahead = added(a, scaled(b, -1));
  if (ahead.high() <= 0) return a;
  if (ahead.low() >= 0) return b;
  return amount_of(binary_tensor(node, Binary::Kind::min, a, b), std::min(a.low(), b.low()),
                   std::min(a.high(), b.high()));
}

Amount larger(Node& node, const Amount& a, const Amount& b) {
  const Amount ahead = added(a, scaled(b, -1));
  if (ahead.low() >= 0) return a;
  if (ahead.high() <= 0) return b;
  return amount_of(binary_tensor(node, Binary::Kind::max, a, b), std::max(a.low(), b.low()),
                   std::max(a.high(), b.high()));
}

TensorId tensor_of(Node& node, const Amount& amount) {
  if (amount.constant == 0 && amount.terms.size() == 1 && amount.terms[0].times == 1)
    return amount.terms[0].tensor;
  return made_once(node, text_of(amount), [&] {
    std::optional<TensorId> total;
    if (amount.constant != 0 || amount.known()) total = number(node, amount.constant);
    for (const Amount::Term& term : amount.terms) {
      const TensorId scaled =
          term.times == 1 ? term.tensor
                          : emitted(node, Binary::Kind::mul, term.tensor, number(node, term.times));
      total = total ? emitted(node, Binary::Kind::add, *total, scaled) : scaled;
    }
    return *total;
  });
}

}  // namespace shingle::onnx
