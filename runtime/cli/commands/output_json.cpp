#include "cli/commands/output_json.hpp"

#include <nlohmann/json.hpp>

#include "receipt/canonical_json.hpp"
#include "receipt/sections.hpp"

namespace pybox::cli {

using nlohmann::ordered_json;

namespace {

ordered_json listed_receipt(const Receipt& receipt) {
  const RunReport& report = receipt.report;
  const auto number = [](const auto& value) {
    return value ? ordered_json(*value) : ordered_json(nullptr);
  };
  return {{"receipt_id", sections::text_json(receipt.receipt_id)},
          {"created_at", sections::text_json(receipt.created_at)},
          {"image", sections::text_json(receipt.request.image)},
          {"engine", name_of(receipt.request.engine)},
          {"observation", name_of(report.outcome.observation)},
          {"exit_code", number(report.outcome.exit_code)},
          {"wall_s", sections::seconds_json(report.outcome.wall)},
          {"cleanup", name_of(report.cleanup.status)}};
}

ordered_json text_or_null(const std::string& text) {
  return text.empty() ? ordered_json(nullptr) : sections::text_json(text);
}

ordered_json matches_json(const store::Listed& listed) {
  return listed.matches_recipe ? ordered_json(*listed.matches_recipe) : ordered_json(nullptr);
}

ordered_json packages_json(const store::Listed& listed) {
  ordered_json packages = ordered_json::array();
  for (const store::Wheel& wheel : listed.wheels) {
    packages.push_back({{"name", sections::text_json(wheel.name)},
                        {"version", sections::text_json(wheel.version)},
                        {"sha256", sections::text_json(wheel.sha256)}});
  }
  return packages;
}

}  // namespace

std::string version_json() {
  return readable_json(
      {{"schema_version", 1}, {"version", PYBOX_VERSION}, {"build_type", PYBOX_BUILD_TYPE}});
}

std::string receipts_json(const std::vector<Receipt>& receipts) {
  ordered_json list = ordered_json::array();
  for (const Receipt& receipt : receipts) list.push_back(listed_receipt(receipt));
  return readable_json({{"schema_version", 1}, {"receipts", list}});
}

std::string images_json(const std::vector<store::Listed>& images) {
  ordered_json list = ordered_json::array();
  for (const store::Listed& listed : images) {
    const bool usable = listed.image.has_value();
    list.push_back({{"name", sections::text_json(listed.name)},
                    {"image_id", usable ? sections::text_json(listed.image->id) : nullptr},
                    {"python", usable ? sections::text_json(listed.image->python) : nullptr},
                    {"usable", usable},
                    {"matches_recipe", matches_json(listed)},
                    {"packages", packages_json(listed)},
                    {"problem", text_or_null(listed.problem)}});
  }
  return readable_json({{"schema_version", 1}, {"images", list}});
}

}  // namespace pybox::cli
