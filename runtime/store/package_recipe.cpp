#include "store/package_recipe.hpp"

namespace pybox::store {

const PackageExtras& data_extras() {
  static const PackageExtras extras = [] {
    PackageExtras made;
    // What matplotlib's own file asks of packagers: the backend that needs no display.
    made.edits.push_back(
        {"matplotlib/mpl-data/matplotlibrc", "\n##backend: Agg\n", "\nbackend: Agg\n"});
    made.edits.push_back({"matplotlib/font_manager.py", "            fm = json_load(fm_path)\n",
                          "            fm = json_load(\n"
                          "                fm_path if fm_path.exists() else\n"
                          "                cbook._get_data_path('pybox-fontlist.json'))\n"});
    made.files.emplace_back("matplotlib/mpl-data/pybox-fontlist.json", data_font_list());
    return made;
  }();
  return extras;
}

const PackageExtras& extras_of(std::string_view image) {
  static const PackageExtras none;
  return image == kDataImage ? data_extras() : none;
}

}  // namespace pybox::store
