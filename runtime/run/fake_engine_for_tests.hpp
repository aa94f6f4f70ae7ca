#pragma once
/// Stands in for an engine: answers at once with what the test wants.

#include <functional>
#include <utility>

#include "engine/engine.hpp"

namespace pybox::run {

using Behaviour =
    std::function<Result<engine::RunAnswer>(const link::RunOrder&, const engine::Console&)>;

class FakeEngine final : public engine::Engine {
 public:
  explicit FakeEngine(Behaviour behaviour) : behaviour_(std::move(behaviour)) {}
  Result<engine::RunAnswer> run(const link::RunOrder& order,
                                const engine::Console& console) override {
    return behaviour_(order, console);
  }

 private:
  Behaviour behaviour_;
};

}  // namespace pybox::run
