#pragma once
/// What `--json` prints on stdout. One object each, with schema_version.

#include <string>
#include <vector>

#include "cli/doctor.hpp"
#include "image/registry.hpp"
#include "receipt/receipt.hpp"

namespace pybox::cli {

std::string version_json();
/// The list of kept receipts; `Receipt`s newest first.
std::string receipts_json(const std::vector<Receipt>& receipts);
std::string doctor_json(const std::vector<DoctorCheck>& checks, bool usable);
std::string images_json(const std::vector<image::Listed>& images);

/// What `pybox image list` prints without it.
std::string images_text(const std::vector<image::Listed>& images);

}  // namespace pybox::cli
