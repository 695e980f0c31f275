// Completion of a typed path, as by Tab in a shell.
#pragma once

#include <chrono>
#include <filesystem>
#include <future>
#include <optional>
#include <string>
#include <string_view>

#include "app/viewer/shell/folder_listing.h"

namespace weft {

// Whether the text is a path rather than words to search for.
bool looks_like_path(std::string_view text);

// The path that was typed in a list of `folder`: relative to that or absolute; "~" is the home
// folder.
std::filesystem::path typed_path(const std::filesystem::path& folder, const std::string& typed);

struct PathCompletion {
    std::string typed = {};         // the text that was completed
    std::string text = {};          // as far as all names agree; with "/" if it is a single folder
    FolderListing candidates = {};  // the names that begin with the text
};

// Blocks on the file system. Names that differ only in ASCII case match if no others do; names that
// are not UTF-8 never match. A dot at the beginning includes hidden names.
PathCompletion complete_path(const std::filesystem::path& folder, const std::string& typed,
                             ListingOptions options);

// Completes in a thread. Used by the window's thread.
class PathCompleter {
 public:
    // Returns immediately. Ignored while an earlier path is being completed.
    void ask(const std::filesystem::path& folder, const std::string& typed,
             const ListingOptions& options);
    bool busy() const { return working_.valid(); }
    // The completion, once; waits for it for at most `patience`.
    std::optional<PathCompletion> poll(std::chrono::milliseconds patience = {});

 private:
    std::future<PathCompletion> working_;
};

}  // namespace weft
