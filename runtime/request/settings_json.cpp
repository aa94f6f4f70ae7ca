#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "base/strict_json.hpp"
#include "base/text.hpp"
#include "request/settings.hpp"
#include "sys/file.hpp"

namespace pybox {
namespace {

constexpr Bytes kSmallestVm = 512_MiB;
constexpr Bytes kLargestVm{std::uint64_t{1} << 40U};

Error usage(std::string what) { return {ErrorKind::Usage, std::move(what)}; }

/// A whole number in a range that does not start at 0, which JsonFields::count cannot say.
Result<std::uint64_t> ranged(JsonFields& fields, const char* key, std::uint64_t min,
                             std::uint64_t max) {
  const auto value = fields.count(key, max);
  if (!value || *value < min) {
    return usage("`" + std::string(key) + "` must be a whole number from " + std::to_string(min) +
                 " to " + std::to_string(max));
  }
  return *value;
}

Result<Settings> settings_from(std::string_view text) {
  const nlohmann::json parsed = PYBOX_TRY(parse_json(text, JsonComments::Allow));
  JsonFields fields = PYBOX_TRY(JsonFields::of(parsed, ""));
  Settings settings;
  if (fields.has("engine")) {
    const std::string name = PYBOX_TRY(fields.text("engine"));
    settings.engine = PYBOX_TRY(engine_choice(name, "`engine`"));
  }
  if (fields.has("max_timeout_s")) {
    const double most = seconds(ceiling::kMaxTimeoutOperator);
    const auto value = fields.number("max_timeout_s", 0, most);
    if (!value || from_seconds(*value) <= Nanos(0)) {
      return usage("`max_timeout_s` must be a number above 0 and at most 300");
    }
    settings.max_timeout = from_seconds(*value);
  }
  if (fields.has("ready_boxes")) {
    settings.ready_boxes =
        static_cast<std::uint32_t>(PYBOX_TRY(ranged(fields, "ready_boxes", 0, 64)));
  }
  if (fields.has("vm_memory_bytes")) {
    settings.vm_memory =
        Bytes{PYBOX_TRY(ranged(fields, "vm_memory_bytes", kSmallestVm.count, kLargestVm.count))};
  }
  if (fields.has("vm_cpus")) {
    settings.vm_cpus = static_cast<std::uint32_t>(PYBOX_TRY(ranged(fields, "vm_cpus", 1, 256)));
  }
  if (fields.has("vm_accelerator")) {
    settings.vm_accelerator = PYBOX_TRY(fields.text("vm_accelerator"));
    const std::string& name = *settings.vm_accelerator;
    if (name != "auto" && name != "kvm" && name != "tcg") {
      return usage("`vm_accelerator` names `" + visible(name) + "`; it must be auto, kvm or tcg");
    }
  }
  PYBOX_TRY(fields.finish());
  return settings;
}

}  // namespace

Result<Settings> load_settings(const std::filesystem::path& file) {
  auto text = sys::read_file(file, 1_MiB);
  if (!text && (text.error().errno_code() == ENOENT || text.error().errno_code() == ENOTDIR)) {
    return Settings{};
  }
  if (!text) return std::move(text).error().as(ErrorKind::Usage);
  auto settings = settings_from(*text);
  if (!settings) return std::move(settings).error().as(ErrorKind::Usage).context(file.string());
  return settings;
}

Result<EngineKind> engine_choice(std::string_view name, std::string_view where) {
  static constexpr std::array<std::string_view, 2> kOffered = {"vm", "native"};
  for (const std::string_view offered : kOffered) {
    if (name == offered) return *engine_from(name);
  }
  Error error = usage(std::string(where) + " names the engine `" + visible(name) +
                      "`; it must be vm or native");
  const std::string_view near = nearest(name, kOffered);
  if (!near.empty()) return std::move(error).hint("did you mean `" + std::string(near) + "`?");
  return error;
}

}  // namespace pybox
