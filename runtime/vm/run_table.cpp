#include "vm/run_table.hpp"

#include <utility>

namespace pybox::vm {

std::optional<std::uint64_t> RunTable::add(Route route) {
  if (route.client && run_of(*route.client, route.client_run)) return std::nullopt;
  const std::uint64_t run = fresh();
  routes_[run] = std::move(route);
  return run;
}

Route* RunTable::find(std::uint64_t run) {
  const auto at = routes_.find(run);
  return at == routes_.end() ? nullptr : &at->second;
}

std::optional<std::uint64_t> RunTable::run_of(std::uint64_t client,
                                              std::uint64_t client_run) const {
  for (const auto& [run, route] : routes_) {
    if (route.client == client && route.client_run == client_run) return run;
  }
  return std::nullopt;
}

std::optional<Route> RunTable::take(std::uint64_t run) {
  const auto at = routes_.find(run);
  if (at == routes_.end()) return std::nullopt;
  Route route = std::move(at->second);
  routes_.erase(at);
  return route;
}

std::vector<std::uint64_t> RunTable::drop_client(std::uint64_t client) {
  std::vector<std::uint64_t> orphans;
  for (auto& [run, route] : routes_) {
    if (route.client != client) continue;
    route.client.reset();
    orphans.push_back(run);
  }
  return orphans;
}

std::vector<Route> RunTable::take_all() {
  std::vector<Route> all;
  for (auto& [run, route] : routes_) all.push_back(std::move(route));
  routes_.clear();
  return all;
}

}  // namespace pybox::vm
