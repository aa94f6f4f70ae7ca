#include "store/recipe.hpp"

#include <array>
#include <iterator>

#include "base/digest.hpp"
#include "store/architecture.hpp"
#include "store/own_images.hpp"
#include "store/package_recipe.hpp"

namespace pybox::store {
namespace {

/// Raise when the steps in prepare.cpp, tree.cpp or kernel_build.cpp change what they produce.
constexpr std::string_view kStepsVersion = "1";
/// The same for image_build.cpp.
constexpr std::string_view kPackageStepsVersion = "1";

/// What a box never needs. Empty folders that a box does need come back with Recipe::folders.
constexpr std::string_view kDrop[] = {
    "boot",
    "home",
    "media",
    "mnt",
    "opt",
    "root",
    "run",
    "srv",
    "sys",
    "var",
    "dev",
    "tmp",
    "proc",
    "etc/apt",
    "etc/alternatives",
    "etc/bindresvport.blacklist",
    "etc/ca-certificates",
    "etc/cron*",
    "etc/debconf.conf",
    "etc/default",
    "etc/dpkg",
    "etc/ethertypes",
    "etc/fstab",
    "etc/gai.conf",
    "etc/issue*",
    "etc/logrotate.d",
    "etc/profile.d",
    "etc/python3*",
    "etc/rpc",
    "etc/skel",
    "etc/update-motd.d",
    "etc/xattr.conf",
    "etc/ssl/private",
    "usr/bin/apt*",
    "usr/bin/c_rehash",
    "usr/bin/debconf*",
    "usr/bin/dpkg*",
    "usr/bin/iconv",
    "usr/bin/ischroot",
    "usr/bin/localedef",
    "usr/bin/openssl",
    "usr/bin/run-parts",
    "usr/bin/savelog",
    "usr/bin/tzselect",
    "usr/bin/update-alternatives",
    "usr/bin/zdump",
    "usr/bin/ld.so",
    "usr/bin/pldd",
    "usr/bin/py3*",
    "usr/bin/pygettext*",
    "usr/share/applications",
    "usr/share/base-files",
    "usr/share/bash-completion",
    "usr/share/binfmts",
    "usr/share/bug",
    "usr/share/ca-certificates",
    "usr/share/common-licenses",
    "usr/share/debconf",
    "usr/share/debianutils",
    "usr/share/dict",
    "usr/share/doc",
    "usr/share/doc-base",
    "usr/share/dpkg",
    "usr/share/info",
    "usr/share/libc-bin",
    "usr/share/lintian",
    "usr/share/locale",
    "usr/share/man",
    "usr/share/menu",
    "usr/share/misc",
    "usr/share/perl5",
    "usr/share/pixmaps",
    "usr/share/polkit-1",
    "usr/games",
    "usr/include",
    "usr/src",
    "usr/local",
    "usr/lib/ssl/misc",
    "usr/lib/ssl/private",
    "usr/lib/binfmt.d",
    "usr/lib/tmpfiles.d",
    "usr/lib/systemd",
    "usr/lib/apt",
    "usr/lib/dpkg",
    "usr/libexec/dpkg",
    "usr/lib/python3/dist-packages/debconf.py",
};

/// And what it needs besides Python: what the standard library looks for at run time, and a shell.
constexpr std::string_view kPackages[] = {
    "tzdata",           // zoneinfo
    "tzdata-legacy",    // and its old names, such as US/Eastern
    "ca-certificates",  // ssl.create_default_context()
    "media-types",      // mimetypes
    "netbase",          // socket.getservbyname()
    "ncurses-base",     // terminfo for curses
    "base-files",       // the root's links
    "libc-bin",         // C.UTF-8, and ldconfig for ctypes.util
    "libstdc++6",       // what manylinux wheels take from the system (PEP 600)
    "dash",             // subprocess with shell=True, and what one calls there
    "coreutils",
    "findutils",
    "grep",
    "sed",
    "mawk",
    "debianutils",
};

/// What maintainer scripts or an administrator would have written.
constexpr std::pair<std::string_view, std::string_view> kFiles[] = {
    {"etc/passwd",
     "root:x:0:0:root:/tmp:/usr/sbin/nologin\nbox:x:1000:1000:box:/tmp:/bin/sh\n"
     "nobody:x:65534:65534:nobody:/tmp:/usr/sbin/nologin\n"},
    {"etc/group", "root:x:0:\nbox:x:1000:\nnogroup:x:65534:\n"},
    {"etc/hosts", "127.0.0.1 localhost box\n::1 localhost\n"},
    {"etc/hostname", "box\n"},
    {"etc/resolv.conf", ""},
    {"etc/nsswitch.conf",
     "passwd: files\ngroup: files\nshadow: files\nhosts: files\nnetworks: files\n"
     "protocols: files\nservices: files\n"},
    {"etc/shells", "/bin/sh\n/usr/bin/sh\n"},
};
constexpr std::pair<std::string_view, std::string_view> kLinks[] = {
    {"usr/bin/awk", "mawk"},
    {"usr/bin/which", "which.debianutils"},
    {"etc/localtime", "/usr/share/zoneinfo/Etc/UTC"},
};

struct Base {
  std::string_view python;
  std::string_view suite;  ///< the oldest one that has it: the calmest
};
constexpr std::array kBases = {Base{"3.13", "trixie"}, Base{"3.14", "forky"},
                               Base{"3.15", "forky"}};

Recipe make_base(const Base& base) {
  const std::string python(base.python);
  const std::string program = "python" + python;
  Recipe recipe;
  recipe.name = folder_of_image("stdlib", base.python);
  recipe.python = python;
  recipe.suite = base.suite;
  recipe.packages = {program,             // and with it the standard library
                     program + "-gdbm",   // dbm.gnu
                     program + "-venv"};  // ensurepip, and the pip that builders use
  recipe.packages.insert(recipe.packages.end(), std::begin(kPackages), std::end(kPackages));
  recipe.drop.assign(std::begin(kDrop), std::end(kDrop));
  // A hook for crash reports, read at every start.
  recipe.drop.push_back("usr/lib/" + program + "/sitecustomize.py");
  recipe.drop.push_back(std::string(kLibraryFolder) + "/gconv");
  recipe.keep_only = {{"usr/sbin", {"ldconfig"}}};  // ctypes.util.find_library() asks it
  recipe.folders = {
      "dev",           "etc/ssl/certs", "proc", "tmp", "usr/lib/python3/dist-packages",
      "usr/local/bin", "var/lib/dpkg"};
  for (const auto& [path, text] : kFiles) recipe.files.emplace_back(path, text);
  for (const auto& [path, target] : kLinks) recipe.links.emplace_back(path, target);
  for (const char* name : {"usr/bin/python3", "usr/bin/python"})
    recipe.links.emplace_back(name, program);
  return recipe;
}

std::vector<Recipe> make_bases() {
  std::vector<Recipe> recipes;
  for (const Base& base : kBases) recipes.push_back(make_base(base));
  return recipes;
}

/// Every field with its length before it: no two recipes share a text.
class FieldText {
 public:
  void add(std::string_view field) {
    text_ += std::to_string(field.size()) + ":" + std::string(field) + "\n";
  }
  void add_all(const std::vector<std::string>& fields) {
    add(std::to_string(fields.size()));
    for (const std::string& field : fields) add(field);
  }
  void add_pairs(const std::vector<std::pair<std::string, std::string>>& pairs) {
    add(std::to_string(pairs.size()));
    for (const auto& [name, value] : pairs) add(name), add(value);
  }
  std::string digest() const { return "sha256:" + sha256_hex(text_); }

 private:
  std::string text_;
};

}  // namespace

const Recipe* base_recipe(std::string_view python) {
  static const std::vector<Recipe> recipes = make_bases();
  for (const Recipe& recipe : recipes) {
    if (recipe.python == python) return &recipe;
  }
  return nullptr;
}

std::string known_pythons() { return "3.13, 3.14 and 3.15"; }

const KernelRecipe& kernel_recipe() {
  static const KernelRecipe recipe = {
      "trixie",
      "linux-image-cloud-" + std::string(kDebianArchitecture),
      // Disks at boot and hot-plugged ones, images, the tests' writable layer, entropy. virtio over
      // PCI, the console and tmpfs are built in.
      {"virtio_blk", "virtio_scsi", "sd_mod", "erofs", "overlay", "virtio_rng"},
      {"virtio_net"},
  };
  return recipe;
}

std::string digest_of(const Recipe& recipe) {
  FieldText text;
  for (const std::string_view field :
       {kStepsVersion, std::string_view("image"), kDebianArchitecture, kErofsUuid,
        std::string_view(recipe.name), std::string_view(recipe.python),
        std::string_view(recipe.suite)}) {
    text.add(field);
  }
  text.add(std::to_string(kFileTime));
  text.add_all(recipe.packages);
  text.add_all(recipe.drop);
  for (const auto& [folder, names] : recipe.keep_only) text.add(folder), text.add_all(names);
  text.add_all(recipe.folders);
  text.add_pairs(recipe.files);
  text.add_pairs(recipe.links);
  return text.digest();
}

std::string digest_of_packages(const Recipe& base, std::string_view lock_digest,
                               const PackageExtras& extras) {
  FieldText text;
  const std::string base_digest = digest_of(base);
  for (const std::string_view field :
       {kPackageStepsVersion, std::string_view("packages"), std::string_view(base_digest),
        lock_digest, kPackageFolder, kProgramFolder}) {
    text.add(field);
  }
  for (const PackageEdit& edit : extras.edits)
    text.add(edit.path), text.add(edit.before), text.add(edit.after);
  text.add_pairs(extras.files);
  return text.digest();
}

std::string digest_of(const KernelRecipe& recipe) {
  FieldText text;
  for (const std::string_view field :
       {kStepsVersion, std::string_view("kernel"), kDebianArchitecture,
        std::string_view(recipe.suite), std::string_view(recipe.package)}) {
    text.add(field);
  }
  text.add_all(recipe.modules);
  text.add_all(recipe.builder_modules);
  return text.digest();
}

}  // namespace pybox::store
