#include <cmath>
#include <nlohmann/json.hpp>

#include "base/strict_json.hpp"
#include "vm/status.hpp"

namespace pybox::vm {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxItems = 1024;
constexpr double kLongestUptime = 3.2e9;

Result<std::vector<std::string>> texts(JsonFields& fields, const char* key) {
  std::vector<std::string> all;
  for (const json* item : PYBOX_TRY(fields.list(key, kMaxItems))) {
    if (!item->is_string()) return Error(ErrorKind::Protocol, std::string(key) + ": not text");
    all.push_back(item->get<std::string>());
  }
  return all;
}

}  // namespace

std::string status_to_json(const Status& status) {
  json out = {{"running", status.running}};
  for (const char* key : {"pid", "qemu_pid", "accelerator", "memory_bytes", "cpus", "uptime_s",
                          "state", "images", "runs", "notices", "guest"}) {
    out[key] = nullptr;
  }
  if (status.running) {
    out["pid"] = status.pid;
    out["qemu_pid"] = status.qemu_pid;
    out["accelerator"] = status.accelerator;
    out["memory_bytes"] = status.memory.count;
    out["cpus"] = status.cpus;
    out["uptime_s"] = std::round(seconds(status.uptime) * 1000) / 1000;
    out["state"] = status.state;
    out["images"] = status.images;
    out["runs"] = status.runs;
    out["notices"] = status.notices;
    if (status.guest) out["guest"] = json::parse(link::guest_head(*status.guest), nullptr, false);
  }
  return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<Status> status_from_json(std::string_view text) {
  const json value = PYBOX_TRY(parse_json(text));
  JsonFields fields = PYBOX_TRY(JsonFields::of(value, ""));
  Status status;
  status.running = PYBOX_TRY(fields.flag("running"));
  if (!status.running) return status;
  status.pid = PYBOX_TRY(fields.count("pid"));
  status.qemu_pid = PYBOX_TRY(fields.count("qemu_pid"));
  status.accelerator = PYBOX_TRY(fields.text("accelerator", 16));
  status.memory = Bytes{PYBOX_TRY(fields.count("memory_bytes"))};
  status.cpus = static_cast<std::uint32_t>(PYBOX_TRY(fields.count("cpus", 65536)));
  status.uptime = from_seconds(PYBOX_TRY(fields.number("uptime_s", 0, kLongestUptime)));
  status.state = PYBOX_TRY(fields.text("state", 16));
  status.images = PYBOX_TRY(texts(fields, "images"));
  status.runs = static_cast<std::uint32_t>(PYBOX_TRY(fields.count("runs", 65536)));
  status.notices = PYBOX_TRY(texts(fields, "notices"));
  if (fields.has("guest")) {
    (void)PYBOX_TRY(fields.object("guest"));
    status.guest = PYBOX_TRY(link::guest_from(value["guest"].dump()));
  }
  PYBOX_TRY(fields.finish());
  return status;
}

}  // namespace pybox::vm
