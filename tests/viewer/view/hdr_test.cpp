#include "app/viewer/view/hdr.h"

#include <cmath>

#include <gtest/gtest.h>

namespace weft {
namespace {

AVFramePtr tagged(AVColorTransferCharacteristic transfer) {
    AVFramePtr frame = make_frame();
    frame->color_trc = transfer;
    frame->color_primaries = AVCOL_PRI_BT2020;
    return frame;
}

SideData with_peaks(unsigned max_cll, int mastering_nits) {
    SideData data;
    if (max_cll > 0) data.light = AVContentLightMetadata{max_cll, 0};
    if (mastering_nits > 0) {
        data.mastering.emplace();
        data.mastering->max_luminance = {mastering_nits * 10000, 10000};
    }
    return data;
}

TEST(ViewerHdr, IsKnownByItsTransfer) {
    EXPECT_EQ(hdr_of(*tagged(AVCOL_TRC_SMPTE2084), {}).transfer, HdrTransfer::pq);
    EXPECT_EQ(hdr_of(*tagged(AVCOL_TRC_ARIB_STD_B67), {}).transfer, HdrTransfer::hlg);
    EXPECT_FALSE(hdr_of(*tagged(AVCOL_TRC_BT2020_10), {}));
    EXPECT_EQ(hdr_text(hdr_of(*tagged(AVCOL_TRC_BT709), {})), "");
}

TEST(ViewerHdr, ThePeakIsTheLightLevelElseTheMasteringDisplays) {
    const auto peak = [](const SideData& data) {
        return hdr_of(*tagged(AVCOL_TRC_SMPTE2084), data).peak_nits;
    };
    EXPECT_EQ(peak(with_peaks(600, 4000)), 600);
    EXPECT_EQ(peak(with_peaks(0, 4000)), 4000);
    EXPECT_EQ(peak({}), 1000);
    EXPECT_EQ(peak(with_peaks(50, 0)), kScreenWhiteNits);
    EXPECT_EQ(peak(with_peaks(60000, 0)), 10000);
    EXPECT_EQ(hdr_of(*tagged(AVCOL_TRC_ARIB_STD_B67), with_peaks(600, 0)).peak_nits, 1000);
}

// ST 2084's own examples: 0.5081 is 100 cd/m², 1 is 10,000.
TEST(ViewerHdr, PqHasItsKnownPoints) {
    EXPECT_NEAR(pq_of(100), 0.5081, 5e-5);
    EXPECT_NEAR(pq_of(1000), 0.7518, 5e-5);
    EXPECT_DOUBLE_EQ(pq_of(10000), 1);
    EXPECT_NEAR(pq_of(0), 0, 1e-6);
}

// Below the knee light is unchanged: 10 cd/m² are 10 / 203 of the screen's white.
TEST(ViewerHdr, DarkPartsKeepTheirLightAndThePeakIsWhite) {
    const HdrPicture hdr{HdrTransfer::pq, false, 1000};
    const auto gray = [&](double nits) {
        const double v = pq_of(nits);
        const HdrColour shown = shown_colour(hdr, {v, v, v});
        EXPECT_NEAR(shown[0], shown[1], 1e-12);
        EXPECT_NEAR(shown[0], shown[2], 1e-12);
        return shown[0];
    };
    EXPECT_NEAR(gray(10), std::pow(10.0 / 203, 1 / 2.2), 1e-9);
    EXPECT_NEAR(gray(1000), 1, 1e-9);
    EXPECT_NEAR(gray(4000), 1, 1e-9);
    double last = 0;
    for (int step = 0; step < 73; ++step) {  // to 956 nits
        const double nits = std::pow(1.1, step);
        EXPECT_GT(gray(nits), last) << nits;
        last = gray(nits);
    }
}

// BT.2020's white is BT.709's, and a colour of BT.709 has no other components after the change.
TEST(ViewerHdr, WideColoursAreConvertedAndClipped) {
    const HdrPicture hdr{HdrTransfer::pq, true, 1000};
    const double v = pq_of(50);
    const HdrColour white = shown_colour(hdr, {v, v, v});
    for (const double value : white) EXPECT_NEAR(value, std::pow(50.0 / 203, 1 / 2.2), 1e-5);
    const HdrColour red = shown_colour(hdr, {v, pq_of(0), pq_of(0)});
    EXPECT_NEAR(red[0], std::pow(1.660491 * 50 / 203, 1 / 2.2), 1e-5);
    EXPECT_NEAR(red[1], 0, 1e-2);
    EXPECT_NEAR(red[2], 0, 1e-2);
}

// BT.2100: 0.75 is 203 cd/m² on a display of 1000 cd/m², and 1 is its peak.
TEST(ViewerHdr, HlgHasItsReferenceWhite) {
    const HdrPicture hlg{HdrTransfer::hlg, false, 1000};
    const HdrPicture pq{HdrTransfer::pq, false, 1000};
    const double white = shown_colour(hlg, {0.75, 0.75, 0.75})[0];
    const double same = pq_of(203);
    EXPECT_NEAR(white, shown_colour(pq, {same, same, same})[0], 2e-3);
    EXPECT_NEAR(shown_colour(hlg, {1, 1, 1})[0], 1, 1e-6);
}

TEST(ViewerHdr, SdrIsUnchanged) {
    const HdrColour colour{0.1, 0.5, 0.9};
    EXPECT_EQ(shown_colour({}, colour), colour);
}

}  // namespace
}  // namespace weft
