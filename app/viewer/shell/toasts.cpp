#include "app/viewer/shell/toasts.h"

#include <algorithm>

namespace weft {
namespace {

constexpr std::chrono::seconds kNoteStays{4};
constexpr std::chrono::seconds kErrorStays{10};

}  // namespace

void Toasts::post(ToastKind kind, const std::string& text, Toast::Time now) {
    Toast toast;
    toast.kind = kind;
    const std::size_t end = std::min(text.find('\n'), text.size());
    toast.sentence = text.substr(0, end);
    toast.details = text.substr(std::min(end + 1, text.size()));
    toast.until = now + (kind == ToastKind::error ? kErrorStays : kNoteStays);
    const std::scoped_lock lock(mutex_);
    if (kind == ToastKind::error) {
        errors_.push_back(toast.sentence);
        if (errors_.size() > kMostRemembered) errors_.erase(errors_.begin());
    }
    posted_.push_back(std::move(toast));
}

std::vector<Toast>& Toasts::current(Toast::Time now) {
    const std::scoped_lock lock(mutex_);
    for (Toast& toast : posted_) {
        const auto same = std::ranges::find(shown_, toast.sentence, &Toast::sentence);
        if (same != shown_.end())
            same->until = toast.until;
        else
            shown_.push_back(std::move(toast));
    }
    posted_.clear();
    std::erase_if(shown_, [&](const Toast& t) { return !t.opened && t.until <= now; });
    while (shown_.size() > kMostShown) shown_.erase(shown_.begin());
    return shown_;
}

bool Toasts::empty() const {
    const std::scoped_lock lock(mutex_);
    return posted_.empty() && shown_.empty();
}

std::vector<std::string> Toasts::errors() const {
    const std::scoped_lock lock(mutex_);
    return errors_;
}

}  // namespace weft
