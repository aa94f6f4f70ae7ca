#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "reports/html/diff_page.hpp"
#include "reports/html/shell.hpp"
#include "reports/site/site.hpp"
#include "reports/verify/verify.hpp"
#include "sys/file.hpp"

namespace pybox::reports {
namespace {

namespace fs = std::filesystem;

constexpr Bytes kLargest = 256_MiB;
constexpr const char* kMark = "site.json";  ///< what shows that a folder is a site of ours

Error os_error(const std::error_code& problem, const std::string& doing) {
  return Error::from_errno(problem.value(), doing);
}

Result<void> put(const fs::path& file, const std::string& text) {
  return sys::replace_file(file, text, 0644, sys::Durability::Unsynced);
}

/// Removes what was begun, unless it was put into place.
class Unfinished {
 public:
  explicit Unfinished(fs::path path) : path_(std::move(path)) {}
  ~Unfinished() {
    if (!path_.empty()) (void)sys::remove_tree(path_);
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  const fs::path& path() const { return path_; }
  void keep() { path_.clear(); }

 private:
  fs::path path_;
};

/// Plain files and folders only: a link would publish what stands elsewhere.
Result<void> copy_folder(const fs::path& from, const fs::path& to) {
  std::error_code problem;
  fs::create_directories(to, problem);
  if (problem) return os_error(problem, "making " + to.string());
  fs::recursive_directory_iterator walk(from, problem);
  for (; !problem && walk != fs::recursive_directory_iterator(); walk.increment(problem)) {
    const fs::path target = to / walk->path().lexically_relative(from);
    const fs::file_status status = walk->symlink_status(problem);
    if (problem) break;
    if (fs::is_directory(status)) {
      fs::create_directory(target, problem);
    } else if (fs::is_regular_file(status)) {
      const std::string bytes = PYBOX_TRY(sys::read_file(walk->path(), kLargest));
      PYBOX_TRY(put(target, bytes));
    } else {
      return Error(ErrorKind::Evidence,
                   visible(walk->path().string()) + " is neither a file nor a folder");
    }
    if (problem) break;
  }
  if (problem) return os_error(problem, "copying " + from.string());
  return {};
}

/// Copies one, and verifies the copy: what was checked is what is published.
Result<Published> take_in(const fs::path& folder, const fs::path& site,
                          const std::optional<PublicKey>& key) {
  const std::string text = PYBOX_TRY(sys::read_file(folder / "campaign.json", kLargest));
  Published published;
  published.campaign = PYBOX_TRY(campaign::evidence_from_json(text));
  const std::string& id = published.campaign.id;
  static const std::vector<std::string> kTaken = {"index.html", "changes",  "latest",
                                                  "badge.svg",  "feed.xml", kMark};
  if (!is_plain_word(id) || std::find(kTaken.begin(), kTaken.end(), id) != kTaken.end())
    return Error(ErrorKind::Evidence,
                 "`" + visible(id) + "` is not a name for a folder of the site");
  const fs::path target = site / id;
  std::error_code problem;
  if (fs::exists(target, problem))
    return Error(ErrorKind::Usage, "the campaign " + id + " is given twice");
  // Alone in its folder: how it stands to the others is the chain's matter, whichever came first.
  const fs::path alone = site / ".alone" / id;
  PYBOX_TRY(copy_folder(folder, alone));
  const PublicKey signer = key ? *key : PYBOX_TRY(key_beside(alone));
  const VerifiedEvidence verified =
      PYBOX_TRY_CONTEXT(verify_evidence(alone, signer), "it does not verify");
  published.key_id = verified.key_id;
  // Read again from the copy: the folder may have changed meanwhile.
  const std::string copied = PYBOX_TRY(sys::read_file(alone / "campaign.json", kLargest));
  if (copied != text) return Error(ErrorKind::Evidence, "it changed while it was copied");
  const std::string manifest = PYBOX_TRY(sys::read_file(alone / "manifest.sha256", kLargest));
  published.manifest_sha256 = sha256_hex(manifest);
  fs::rename(alone, target, problem);
  if (!problem) fs::remove(alone.parent_path(), problem);
  if (problem) return os_error(problem, "moving " + alone.string());
  return published;
}

Result<void> write_pages(const std::vector<Published>& campaigns, const fs::path& site) {
  std::error_code problem;
  fs::create_directories(site / "latest", problem);
  fs::create_directories(site / "changes", problem);
  if (problem) return os_error(problem, "making folders in " + site.string());
  PYBOX_TRY(put(site / "index.html", index_html(campaigns)));
  PYBOX_TRY(put(site / "feed.xml", feed_xml(campaigns)));
  PYBOX_TRY(put(site / kMark, site_json(campaigns)));
  PYBOX_TRY(put(site / "badge.svg", badge_svg(campaigns.back().campaign)));
  const std::string report = "../" + campaigns.back().campaign.id + "/report.html";
  PYBOX_TRY(
      put(site / "latest" / "index.html",
          forwarding_page("PyBox evidence: the latest report", report,
                          "<main><p><a href=\"" + report + "\">The latest report</a></p></main>")));
  for (std::size_t at = 1; at < campaigns.size(); ++at) {
    const Evidence& before = campaigns[at - 1].campaign;
    const Evidence& after = campaigns[at].campaign;
    PYBOX_TRY(put(site / "changes" / (after.id + ".html"),
                  diff_html(before, after, diff_campaigns(before, after))));
  }
  return {};
}

/// One rename; where a site stands already the two change places and the old one goes.
Result<void> into_place(Unfinished& made, const fs::path& site) {
  std::error_code problem;
  fs::permissions(made.path(), fs::perms(0755), problem);
  if (problem) return os_error(problem, "opening the site to readers");
  const unsigned how = fs::exists(site, problem) ? RENAME_EXCHANGE : RENAME_NOREPLACE;
  if (::syscall(SYS_renameat2, AT_FDCWD, made.path().c_str(), AT_FDCWD, site.c_str(), how) != 0)
    return Error::from_errno(errno, "putting " + site.string() + " into place");
  if (how == RENAME_NOREPLACE) made.keep();  // else the name now holds the old site, which goes
  return {};
}

}  // namespace

Result<SiteMade> publish(const std::vector<fs::path>& folders, const fs::path& site,
                         const std::optional<PublicKey>& key) {
  std::error_code problem;
  const fs::path target = fs::absolute(site, problem).lexically_normal();
  const fs::path place = target.has_filename() ? target : target.parent_path();
  if (fs::exists(place, problem) && !fs::exists(place / kMark, problem))
    return Error(ErrorKind::Usage,
                 visible(place.string()) + " is there already, and no site of `campaign publish`")
        .hint("choose another folder, or remove it");
  Unfinished made(place.parent_path() /
                  ("." + place.filename().string() + "." + std::to_string(::getpid())));
  fs::create_directories(made.path(), problem);
  if (problem) return os_error(problem, "making " + made.path().string());
  SiteMade done;
  for (const fs::path& folder : folders)
    done.campaigns.push_back(
        PYBOX_TRY_CONTEXT(take_in(folder, made.path(), key), visible(folder.string())));
  sort_chain(done.campaigns);
  PYBOX_TRY(write_pages(done.campaigns, made.path()));
  PYBOX_TRY(into_place(made, place));
  for (const ChainLink& link : chain_of(done.campaigns)) done.gaps += is_gap(link.state) ? 1U : 0U;
  return done;
}

}  // namespace pybox::reports
