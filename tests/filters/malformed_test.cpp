// Scorecard R13: malformed stacks are refused with the exact place of the mistake.
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "filters/stack.h"

namespace weft {
namespace {

struct Malformed {
    std::string_view text;    // '^' precedes the byte at fault
    std::string_view saying;  // part of the message
};

constexpr Malformed kMalformed[]{
    // the list
    {"^", "the stack is empty"},
    {"^   ", "the stack is empty"},
    {"^,", "a filter is missing"},
    {"^,gaussian", "a filter is missing"},
    {"gaussian,^", "a filter is missing"},
    {"gaussian, ^", "a filter is missing"},
    {"gaussian,^,sobel", "a filter is missing"},
    {"^=2", "a filter is missing"},
    {"gaussian^;sobel", "separate filters with ','"},
    {"gaussian=sigma=2^;sobel", "separate filters with ','"},
    {"^[0:v]gaussian", "labels in [ ]"},
    {"gaussian^[out]", "labels in [ ]"},
    {"gaussian=sigma=2^[out]", "labels in [ ]"},
    {"gaussian^]", "labels in [ ]"},
    // names of filters
    {"^gausian", "did you mean 'gaussian'?"},
    {"^Gaussian", "did you mean 'gaussian'?"},
    {"sobel, ^gblurr=2", "did you mean 'gblur'?"},
    {"^sobl=scale=2", "did you mean 'sobel'?"},
    {"^scale=640:360", "unknown filter 'scale'"},
    {"^crop", "valid are box, gaussian,"},
    {"^x", "unknown filter 'x'"},
    {"gaussian^:sigma=2", "after '='"},
    {"gblur^:2", "after '='"},
    {"^gaussian sobel", "unknown filter 'gaussian sobel'"},
    {"^convolve@a=1", "unknown filter"},
    {"^\xff\xfe", "unknown filter"},
    // names of parameters
    {"gaussian=^sgima=2", "did you mean 'sigma'?"},
    {"gaussian=sigma=2:^plane=y", "did you mean 'planes'?"},
    {"gaussian=^strength=2", "valid are sigma, steps, planes"},
    {"sobel=^sigma=2", "sobel has no parameter 'sigma'"},
    {"gaussian=^SIGMA=2", "has no parameter 'SIGMA'"},
    {"gaussian=sigma=2:^sigma=3", "given twice"},
    {"gaussian=2:^sigma=3", "given twice"},
    {"boxblur=lr=2:^luma_radius=3", "given twice"},
    {"gaussian=sigma=2:^3", "cannot follow one with a name"},
    {"disc=3:all:reflect:0:^5", "at most 4 parameters"},
    {"boxblur=2:1:^2", "at most 2 parameters: radius, power"},
    {"boxblur=^chroma_radius=2", "use boxblur@ffmpeg"},
    {"unsharp=^ax=5", "alpha is left alone"},
    {"tblend=^c0_mode=difference", "one mode for all"},
    {"tblend=^all_expr='A-B'", "expressions are not supported"},
    {"tblend=^all_opacity=0.5", "use gain="},
    {"gaussian=sigma=2:enable='gte(^x,1)'", "unknown name 'x'"},
    {"gaussian=sigma=2:region=12x3^*4", "its left side is missing"},
    {"gaussian=sigma=2:feather=^3", "needs a region"},
    // missing values
    {"gaussian=^", "a parameter is missing"},
    {"gaussian= ^", "a parameter is missing"},
    {"gaussian=sigma=^", "a value is missing"},
    {"gaussian=sigma=^:planes=y", "a value is missing"},
    {"gaussian=2:^", "a parameter is missing"},
    {"gaussian=^:2", "a parameter is missing"},
    {"gaussian=sigma=2:^", "a parameter is missing"},
    {"gaussian=sigma=2:^:planes=y", "a parameter is missing"},
    {"gaussian=^,sobel", "a parameter is missing"},
    {"gaussian=sigma=''^", "a value is missing"},
    {"gaussian=^=2", "'=2' is not a number"},
    // quotes
    {"gaussian=sigma=^'2", "not closed"},
    {"convolve=matrix=^'0 -1 0; -1 5 -1", "not closed"},
    {"^'gaussian", "not closed"},
    {"gaussian=sigma=2^\\", "escapes nothing"},
    {"gaussian^\\", "escapes nothing"},
    {"convolve=file=\"it^'s\"", "not closed"},
    {"convolve=file=it\\^'s", "not closed"},
    // numbers
    {"gaussian=sigma=^abc", "'abc' is not a number"},
    {"gaussian=^abc", "'abc' is not a number"},
    {"gaussian=sigma=2^px", "'px' is not part of a number"},
    {"gaussian=sigma=2.5^.5", "'.5' is not part"},
    {"gaussian=sigma=1^ 2", "is not part of a number"},
    {"gaussian=sigma='1^,5'", "',5' is not part"},
    {"gaussian=sigma=^nan", "not a number"},
    {"gaussian=sigma=^inf", "not a number"},
    {"gaussian=sigma=^-inf", "not a number"},
    {"gaussian=sigma=0^x10", "not part of a number"},
    {"gaussian=sigma=^1e999", "out of range for a number"},
    {"gaussian=sigma=1/^0", "zero"},
    {"gaussian=sigma=1/^", "not a number"},
    {"gaussian=sigma=^1024.001", "outside 0 to 1024 px"},
    {"gaussian=sigma=^-1", "outside 0 to 1024"},
    {"gaussian=sigma=2:sigmaV=^-0.5", "-1 for sigma"},
    {"gaussian=radius=2^.5", "not a whole number"},
    {"gaussian=radius=^256", "outside 0 to 255"},
    {"gaussian=radius=^99999999999999999999", "too large"},
    {"box=^-1", "outside 0 to 255"},
    {"box=width=^512", "outside 0 to 511"},
    {"box=radius=3:width=^5", "either this or radius"},
    {"box=100:power=^8", "the limit is 511"},
    {"box=width=0^x3", "not a whole number"},
    {"gabor=sigma=^10:aspect=0.3", "three sigma by aspect must be at most 31 px"},
    {"gabor=wavelength=2:aspect=1:phase=^90", "every pixel falls on a zero of such waves"},
    {"motion=length=^64", "outside 1 to 63"},
    {"motion=angle=^361", "outside -360 to 360"},
    {"disc=^0", "outside 0.5 to 31"},
    {"sharpen=^-1", "outside 0 to 20"},
    {"unsharp=^4", "must be odd"},
    {"unsharp=^1", "outside 3 to 63"},
    {"unsharp=5:^6", "must be odd"},
    {"unsharp=5:5:^9", "outside -2 to 5"},
    {"dog=^7", "give sigma2"},
    {"dog=2:^1", "larger than sigma"},
    {"temporal_average=^0", "outside 1 to 32"},
    {"temporal_average=^33", "outside 1 to 32"},
    {"temporal_average=3:'^1 2'", "2 numbers for 3 frames"},
    {"tmix=weights='^1 -1'", "sum to 0"},
    {"tmix=weights='^1; 2'", "one row"},
    {"tmix=weights='1 ^x'", "not a number"},
    {"frame_difference=signed:threshold=^5", "no effect around mid gray"},
    {"frame_difference=threshold=^256", "outside 0 to 255"},
    // choices and booleans
    {"gaussian=border=^mirror", "valid are reflect101, reflect, replicate, wrap, constant"},
    {"gaussian=border=^reflct", "did you mean 'reflect'?"},
    {"sobel=direction=^z", "valid are both, x, y"},
    {"laplacian=neighbours=^6", "valid are 4, 8"},
    {"laplacian=absolute=^2", "neither 1 nor 0"},
    {"tblend=all_mode=^multiply", "not a choice"},
    {"convolve=matrix=1:normalize=^maybe", "neither 1 nor 0"},
    // planes
    {"gaussian=planes=^0", "planes=0 selects nothing"},
    {"gaussian=planes=^16", "outside ffmpeg's bit mask"},
    {"gaussian=planes=y^x", "names no component"},
    {"gaussian=planes=y^y", "named twice"},
    {"gaussian=planes=y+^y", "named twice"},
    {"gaussian=planes=0+^4", "outside the component numbers"},
    {"gaussian=planes=y+^", "a component is missing"},
    {"gaussian=planes=^+y", "a component is missing"},
    {"gaussian=planes=^luma+a", "luma cannot be combined"},
    {"gaussian=planes=^-1", "names no component"},
    {"gaussian=planes=^Y", "names no component"},
    // matrices
    {"^convolve", "give the matrix"},
    {"sobel,^convolve=planes=y", "give the matrix"},
    {"^bank", "give the file"},
    {"bank=file=a.txt:combine=^least", "max, sum, magnitude"},
    {"bank=file=a.txt:scale=^0", "flat picture"},
    {"convolve=matrix=^", "a value is missing"},
    {"convolve=matrix=' ^; '", "a row is missing"},
    {"convolve=matrix='^; 1'", "a row is missing"},
    {"convolve=matrix='1 2 3; 4 5 6; 7 ^x 9'", "'x' is not a number"},
    {"convolve=matrix='0 -1 0; -1 5 -1; ^0 -1'", "row 3 has 2 numbers"},
    {"convolve=matrix='^1 2 3 4 5 6 7 8'", "not a square"},
    {"convolve=matrix=^0.1 0.2", "not a square"},
    {"convolve=matrix='1,^,2'", "a number is missing"},
    {"convolve=matrix='1 2 3 4 |^ '", "a matrix is missing"},
    {"convolve=matrix='1|1|1|1^|1'", "more than 4"},
    {"convolve=matrix='1 ^1e10 3 4'", "outside -1e9 to 1e9"},
    {"convolve=matrix='^1 2 3 4':width=3", "do not fill rows"},
    {"convolve=matrix='^1 2; 3 4':mode=row", "mode=row"},
    {"convolve=matrix=1:matrix1='1 ^y'", "not a number"},
    {"convolve=matrix='1|2':matrix1=^3", "several matrices already"},
    {"convolve=matrix=1:scale=^0", "normalize=1"},
    {"convolve=matrix=1:0rdiv=^x", "not a number"},
    {"convolve=matrix=1:bias=^1e6", "outside -65535 to 65535"},
    {"convolve=matrix='1 2 3 4':anchor_x=^2", "2 columns"},
    {"convolve=matrix=1:file=^a.txt", "either matrix or file"},
    {"convolve=file=a.txt:matrix1=^1", "every matrix comes from the file"},
    {"convolution='0 -1 0 -1 5 -1 0 -1 0:0 -1 ^z'", "not a number"},
    {"gaussian=sigma=2,\nsobel=scale=^q", "not a number"},
};

TEST(FiltersMalformed, TableHasAHundredRows) {
    EXPECT_GE(std::size(kMalformed), 100U);
}

TEST(FiltersMalformed, EveryMistakeHasAPosition) {
    for (const Malformed& row : kMalformed) {
        std::string text(row.text);
        const std::size_t want = text.find('^');
        ASSERT_NE(want, std::string::npos) << row.text;
        text.erase(want, 1);
        SCOPED_TRACE(row.text);
        try {
            parse_stack(text);
            ADD_FAILURE() << "accepted";
        } catch (const FilterError& error) {
            EXPECT_EQ(error.position(), want) << error.with_caret();
            EXPECT_EQ(error.text(), text);
            EXPECT_NE(std::string_view(error.what()).find(row.saying), std::string_view::npos)
                << error.what();
        }
    }
}

}  // namespace
}  // namespace weft
