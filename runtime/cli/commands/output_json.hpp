#pragma once
/// What `--json` prints on stdout. One object each, with schema_version.

#include <string>
#include <vector>

#include "receipt/receipt.hpp"
#include "store/registry.hpp"

namespace pybox::cli {

std::string version_json();
/// The list of kept receipts; `Receipt`s newest first.
std::string receipts_json(const std::vector<Receipt>& receipts);
std::string images_json(const std::vector<store::Listed>& images);

/// What `pybox image list` prints without it.
std::string images_text(const std::vector<store::Listed>& images);

}  // namespace pybox::cli
