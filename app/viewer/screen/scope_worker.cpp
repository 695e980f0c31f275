#include "app/viewer/screen/scope_worker.h"

#include <utility>

#include "kernels/device/stream.h"

namespace weft {

Scopes make_scopes(const ShownFrame& shown, Side side, int columns) {
    const AVFramePtr frame = frame_of(shown, side);
    const PlaneViews planes = plane_views(*frame);
    Scopes scopes;
    scopes.info = shown.info;
    scopes.row_step = sampled_row_step(shown.info);
    scopes.histograms = histograms(planes, shown.info, scopes.row_step);
    scopes.waveforms = waveforms(planes, shown.info, columns, scopes.row_step);
    for (const Waveform& waveform : scopes.waveforms)
        scopes.brightness.push_back(log_brightness(waveform.counts));
    scopes.vectorscope = vectorscope(planes, shown.info, scopes.row_step);
    if (scopes.vectorscope) scopes.vectorscope_brightness = dot_brightness(*scopes.vectorscope);
    if (&shown.side(side) != &shown.original) {
        const AVFramePtr original = frame_of(shown, 0);
        scopes.errors = picture_error(plane_views(*original), planes, shown.info);
    }
    return scopes;
}

ScopeWorker::ScopeWorker(Device device, std::function<void()> changed)
    : task_(
          [this, device = std::move(device)](const Request& request, const auto& /*superseded*/) {
              use_device(device);  // a lost device is reported by the filter thread
              auto made = std::make_shared<const Scopes>(
                  make_scopes(*request.shown, request.side, request.columns));
              // Superseded ones are shown, too: during playback, most are.
              task_.publish({}, [&](auto& result) { result = std::move(made); });
          },
          std::move(changed)) {}

void ScopeWorker::ask(ShownFramePtr shown, Side side, int columns) {
    Request request{std::move(shown), side, columns};
    if (request == last_) return;
    last_ = request;
    task_.ask(std::move(request));
}

std::shared_ptr<const Scopes> ScopeWorker::result() const {
    return task_.read(std::identity());
}

}  // namespace weft
