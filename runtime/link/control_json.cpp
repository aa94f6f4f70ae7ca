#include <nlohmann/json.hpp>

#include "base/strict_json.hpp"
#include "link/control.hpp"

namespace pybox::link {
namespace {

using nlohmann::json;

constexpr std::size_t kImages = 1024;

/// Runs `read` over the fields of one object and refuses what it did not take.
template <class Read>
auto fields_of(std::string_view text, Read read) -> decltype(read(std::declval<JsonFields&>())) {
  const json value = PYBOX_TRY(parse_json(text));
  JsonFields fields = PYBOX_TRY(JsonFields::of(value, ""));
  auto result = PYBOX_TRY(read(fields));
  PYBOX_TRY(fields.finish());
  return result;
}

std::string dump(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

std::string hello_head(const HelloHead& head) {
  return dump({{"time_ns", std::to_string(head.wall_clock.count())}, {"resumed", head.resumed}});
}

Result<HelloHead> hello_from(std::string_view text) {
  return fields_of(text, [](JsonFields& fields) -> Result<HelloHead> {
    HelloHead head;
    // As text: nanoseconds since the epoch are beyond what JSON numbers keep exactly.
    const std::string time = PYBOX_TRY(fields.text("time_ns", 20));
    head.wall_clock = Nanos(std::strtoll(time.c_str(), nullptr, 10));
    head.resumed = PYBOX_TRY(fields.flag("resumed"));
    return head;
  });
}

std::string ready_head(const ReadyHead& head) {
  return dump({{"boxd_version", head.boxd_version},
               {"kernel", head.kernel},
               {"cgroup", head.cgroup},
               {"images", head.images}});
}

Result<ReadyHead> ready_from(std::string_view text) {
  return fields_of(text, [](JsonFields& fields) -> Result<ReadyHead> {
    ReadyHead head;
    head.boxd_version = PYBOX_TRY(fields.text("boxd_version", 64));
    head.kernel = PYBOX_TRY(fields.text("kernel", 256));
    head.cgroup = PYBOX_TRY(fields.text("cgroup", 8));
    for (const json* item : PYBOX_TRY(fields.list("images", kImages))) {
      if (!item->is_string()) return Error(ErrorKind::Protocol, "images: not text");
      head.images.push_back(item->get<std::string>());
    }
    return head;
  });
}

std::string failed_head(const FailedHead& head) {
  return dump({{"message", head.message}, {"hint", head.hint}, {"refused", head.refused}});
}

Result<FailedHead> failed_from(std::string_view text) {
  return fields_of(text, [](JsonFields& fields) -> Result<FailedHead> {
    FailedHead head;
    head.message = PYBOX_TRY(fields.text("message"));
    head.hint = PYBOX_TRY(fields.text("hint"));
    head.refused = PYBOX_TRY(fields.flag("refused"));
    return head;
  });
}

std::string attach_head(const AttachHead& head) {
  return dump({{"image_id", head.image_id}, {"serial", head.serial}});
}

Result<AttachHead> attach_from(std::string_view text) {
  return fields_of(text, [](JsonFields& fields) -> Result<AttachHead> {
    AttachHead head;
    head.image_id = PYBOX_TRY(fields.text("image_id", 80));
    head.serial = PYBOX_TRY(fields.text("serial", 32));
    return head;
  });
}

std::string image_ready_head(std::string_view image_id) { return dump({{"image_id", image_id}}); }

Result<std::string> image_ready_from(std::string_view text) {
  return fields_of(text, [](JsonFields& fields) { return fields.text("image_id", 80); });
}

std::string stop_head(std::string_view reason) { return dump({{"reason", reason}}); }

Result<std::string> stop_from(std::string_view text) {
  return fields_of(text, [](JsonFields& fields) { return fields.text("reason", 32); });
}

std::string stream_head(int stream) { return dump({{"stream", stream}}); }

Result<int> stream_from(std::string_view text) {
  return fields_of(text, [](JsonFields& fields) -> Result<int> {
    const std::uint64_t stream = PYBOX_TRY(fields.count("stream", 2));
    if (stream == 0) return Error(ErrorKind::Protocol, "stream: neither 1 nor 2");
    return static_cast<int>(stream);
  });
}

std::string stdin_taken_head(std::uint64_t bytes) { return dump({{"bytes", bytes}}); }

Result<std::uint64_t> stdin_taken_from(std::string_view text) {
  return fields_of(text, [](JsonFields& fields) { return fields.count("bytes"); });
}

std::string guest_head(const GuestCounters& counters) {
  return dump({{"processes", counters.processes},
               {"cgroups", counters.cgroups},
               {"mounts", counters.mounts},
               {"boxd_fds", counters.boxd_fds},
               {"boxd_rss_kib", counters.boxd_rss_kib}});
}

Result<GuestCounters> guest_from(std::string_view text) {
  return fields_of(text, [](JsonFields& fields) -> Result<GuestCounters> {
    GuestCounters counters;
    counters.processes = PYBOX_TRY(fields.count("processes"));
    counters.cgroups = PYBOX_TRY(fields.count("cgroups"));
    counters.mounts = PYBOX_TRY(fields.count("mounts"));
    counters.boxd_fds = PYBOX_TRY(fields.count("boxd_fds"));
    counters.boxd_rss_kib = PYBOX_TRY(fields.count("boxd_rss_kib"));
    return counters;
  });
}

std::string ask_status_head(bool guest) { return dump({{"guest", guest}}); }

Result<bool> ask_status_from(std::string_view text) {
  return fields_of(text, [](JsonFields& fields) { return fields.flag("guest"); });
}

}  // namespace pybox::link
