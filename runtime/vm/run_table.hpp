#pragma once
/// Which client a run in the guest belongs to. Clients number their runs as they like; the guest
/// sees one numbering. Pure: no descriptors, no clock.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pybox::vm {

struct Route {
  std::optional<std::uint64_t> client;  ///< nullopt: the client is gone
  std::uint64_t client_run = 0;
  std::string receipt_id;
  std::string order_head;                     ///< for the record of a run whose client is gone
  std::optional<std::string> seal_head = {};  ///< for the same, once the program has started
};

class RunTable {
 public:
  /// The guest's number for a new run, or nullopt when this client already has a run of that number
  /// in progress.
  std::optional<std::uint64_t> add(Route route);
  Route* find(std::uint64_t run);
  /// The guest's number of a client's run.
  std::optional<std::uint64_t> run_of(std::uint64_t client, std::uint64_t client_run) const;
  /// The run has ended: forgets it and hands out where its report goes.
  std::optional<Route> take(std::uint64_t run);
  /// The client is gone: its runs stay, without it. Their numbers, to tell the guest.
  std::vector<std::uint64_t> drop_client(std::uint64_t client);
  /// Every run that is left, for when the VM is lost.
  std::vector<Route> take_all();
  std::size_t size() const { return routes_.size(); }
  /// A number that no run has had, for the supervisor's own questions to the guest.
  std::uint64_t fresh() { return ++last_; }

 private:
  std::map<std::uint64_t, Route> routes_;
  std::uint64_t last_ = 0;  ///< 0 is the link itself
};

}  // namespace pybox::vm
