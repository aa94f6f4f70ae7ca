#include <algorithm>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "base/toml.hpp"
#include "pypi/lock.hpp"
#include "pypi/pep440.hpp"

namespace pybox::pypi {
namespace {

/// "/a/b-1.whl" and "https://x/b-1.whl#sha256=…" give "b-1.whl".
std::string file_name_in(std::string_view url) {
  url = url.substr(0, url.find_first_of("?#"));
  const std::size_t slash = url.rfind('/');
  std::string name;
  url = slash == std::string_view::npos ? url : url.substr(slash + 1);
  for (std::size_t i = 0; i < url.size(); ++i) {
    const bool plus = url.substr(i).starts_with("%2B") || url.substr(i).starts_with("%2b");
    name += plus ? '+' : url[i];  // the one escape that versions need
    if (plus) i += 2;
  }
  return name;
}

/// A wheel is named NAME-VERSION-(BUILD-)PYTHON-ABI-PLATFORM.whl (packaging specification "Binary
/// distribution format"). Says what is wrong with it, or nothing.
std::string trouble_with_wheel(std::string_view file, const Pin& pin) {
  if (!file.ends_with(".whl")) return in_ticks(file) + " of `" + pin.name + "` is not a wheel";
  const std::size_t dash = file.find('-');
  const std::size_t next = dash == std::string_view::npos ? dash : file.find('-', dash + 1);
  if (next == std::string_view::npos) {
    return in_ticks(file) + " of `" + pin.name + "` has no wheel's name";
  }
  const std::string_view name = file.substr(0, dash);
  const std::string_view version = file.substr(dash + 1, next - dash - 1);
  const auto one = parse_python_version(version);
  const auto other = parse_python_version(pin.version);
  const bool same = trouble_with_name(name).empty() && normalised_name(name) == pin.name && one &&
                    other && *one == *other;
  return same ? std::string{}
              : in_ticks(file) + " is not a wheel of `" + pin.name + "==" + pin.version + "`";
}

Result<void> read_wheel(const TomlValue& wheel, Pin& pin) {
  if (wheel.kind != TomlKind::Table) {
    return refused_line(wheel.line, "a wheel of `" + pin.name + "` must be a table");
  }
  TomlFields fields(wheel, "a wheel of `" + pin.name + "`");
  fields.ignore({"upload-time", "size"});
  if (fields.has("path")) {
    return refused_line(wheel.line, "a wheel of `" + pin.name + "` is a local path");
  }
  const TomlValue* url = PYBOX_TRY(fields.required("url", TomlKind::Text));
  const TomlValue* name = PYBOX_TRY(fields.optional("name", TomlKind::Text));
  const std::string trouble =
      trouble_with_wheel(name != nullptr ? name->text : file_name_in(url->text), pin);
  if (!trouble.empty()) return refused_line(wheel.line, trouble);
  const TomlValue* hashes = PYBOX_TRY(fields.required("hashes", TomlKind::Table));
  PYBOX_TRY(fields.finish());
  const TomlValue* sha256 = hashes->find("sha256");
  if (sha256 == nullptr) {
    return refused_line(hashes->line, "a wheel of `" + pin.name + "` has no sha256");
  }
  const std::string hash_trouble = trouble_with_hash("sha256:" + sha256->text);
  if (!hash_trouble.empty()) return refused_line(sha256->line, hash_trouble);
  pin.sha256.push_back(sha256->text);
  return {};
}

/// Where a package would come from that is no wheel of an index.
Result<void> refuse_other_sources(TomlFields& fields, const Pin& pin) {
  constexpr std::pair<std::string_view, std::string_view> kOthers[] = {
      {"vcs", "a vcs"}, {"directory", "a directory"}, {"archive", "an archive"}};
  for (const auto& [key, what] : kOthers) {
    if (!fields.has(key)) continue;
    return refused_line(pin.line, "`" + pin.name + "` comes from " + std::string(what) +
                                      "; only wheels of an index may be in a lock");
  }
  if (fields.has("marker")) {
    return refused_line(pin.line,
                        "`" + pin.name + "` has a marker; lock for one platform and Python");
  }
  return {};
}

Result<Pin> read_package(const TomlValue& package) {
  if (package.kind != TomlKind::Table)
    return refused_line(package.line, "a package must be a table");
  TomlFields fields(package, "a package");
  const TomlValue* name = PYBOX_TRY(fields.required("name", TomlKind::Text));
  std::string trouble = trouble_with_name(name->text);
  if (!trouble.empty()) return refused_line(name->line, trouble);
  Pin pin{normalised_name(name->text), {}, {}, name->line};
  PYBOX_TRY(refuse_other_sources(fields, pin));
  const TomlValue* version = PYBOX_TRY(fields.optional("version", TomlKind::Text));
  if (version == nullptr) return refused_line(pin.line, "`" + pin.name + "` has no version");
  trouble = trouble_with_version(version->text);
  if (!trouble.empty()) return refused_line(version->line, trouble);
  pin.version = version->text;
  // A source distribution may be listed; its digest is not taken, so it can never be installed.
  fields.ignore(
      {"requires-python", "dependencies", "index", "sdist", "attestation-identities", "tool"});
  const TomlValue* wheels = PYBOX_TRY(fields.optional("wheels", TomlKind::List));
  PYBOX_TRY(fields.finish());
  if (wheels == nullptr || wheels->items.empty()) {
    return refused_line(pin.line,
                        "`" + pin.name + "` has no wheel, only what would have to be built");
  }
  if (wheels->items.size() > kMaxPinHashes) {
    return refused_line(
        pin.line, "`" + pin.name + "` has more than " + std::to_string(kMaxPinHashes) + " wheels");
  }
  for (const TomlValue& wheel : wheels->items) PYBOX_TRY(read_wheel(wheel, pin));
  std::sort(pin.sha256.begin(), pin.sha256.end());
  pin.sha256.erase(std::unique(pin.sha256.begin(), pin.sha256.end()), pin.sha256.end());
  return pin;
}

/// [tool.pybox], written by `pybox image lock SCRIPT.py`.
Result<void> read_tool(const TomlValue& tool, Lock& lock) {
  const TomlValue* ours = tool.find("pybox");
  if (ours == nullptr) return {};
  if (ours->kind != TomlKind::Table)
    return refused_line(ours->line, "`tool.pybox` must be a table");
  TomlFields fields(*ours, "`tool.pybox`");
  if (const TomlValue* block = PYBOX_TRY(fields.optional("block", TomlKind::Text))) {
    const std::string trouble = trouble_with_hash(block->text);
    if (!trouble.empty()) return refused_line(block->line, trouble);
    lock.made_for_block = block->text;
  }
  if (const TomlValue* python = PYBOX_TRY(fields.optional("python", TomlKind::Text))) {
    if (!parse_python_version(python->text)) {
      return refused_line(python->line, in_ticks(python->text) + " is not a Python version");
    }
    lock.made_for_python = python->text;
  }
  return fields.finish();
}

Result<void> read_head(TomlFields& fields, Lock& lock) {
  const TomlValue* version = PYBOX_TRY(fields.required("lock-version", TomlKind::Text));
  if (version->text != "1.0") {
    return refused_line(version->line,
                        "lock-version " + in_ticks(version->text) + " is not known; 1.0 is");
  }
  for (const std::string_view key :
       {"environments", "extras", "dependency-groups", "default-groups"}) {
    const TomlValue* list = PYBOX_TRY(fields.optional(key, TomlKind::List));
    if (list == nullptr || list->items.empty()) continue;
    return refused_line(list->line, "the lock has `" + std::string(key) +
                                        "`; lock for one use, one platform and one Python");
  }
  if (const TomlValue* python = PYBOX_TRY(fields.optional("requires-python", TomlKind::Text))) {
    const auto specifiers = parse_specifiers(python->text);
    if (!specifiers) return refused_line(python->line, specifiers.error().message());
    lock.requires_python = python->text;
  }
  fields.ignore({"created-by"});
  const TomlValue* tool = PYBOX_TRY(fields.optional("tool", TomlKind::Table));
  return tool == nullptr ? Result<void>{} : read_tool(*tool, lock);
}

}  // namespace

Result<Lock> parse_pylock(std::string_view text) {
  if (text.size() > kMaxPylockBytes) {
    return Error(ErrorKind::Refused, "a pylock.toml may have " + std::to_string(kMaxPylockBytes) +
                                         " bytes; this has more");
  }
  const TomlValue document = PYBOX_TRY(parse_toml(text));
  Lock lock;
  TomlFields fields(document, "the lock");
  PYBOX_TRY(read_head(fields, lock));
  const TomlValue* packages = PYBOX_TRY(fields.required("packages", TomlKind::List));
  PYBOX_TRY(fields.finish());
  if (packages->items.size() > kMaxLockPins) {
    return refused_line(packages->line, "more than " + std::to_string(kMaxLockPins) + " packages");
  }
  for (const TomlValue& package : packages->items) {
    lock.pins.push_back(PYBOX_TRY(read_package(package)));
  }
  lock.pins = PYBOX_TRY(settled_pins(std::move(lock.pins)));
  lock.text = std::string(text);
  lock.digest = "sha256:" + sha256_hex(text);
  return lock;
}

}  // namespace pybox::pypi
