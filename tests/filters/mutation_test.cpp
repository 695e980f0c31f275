// A small, repeatable fuzz run: any text either throws FilterError or gives a stack that
// round-trips and can be instantiated.
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "filters/preset.h"
#include "filters/stack.h"
#include "tests/filters/frames.h"

namespace weft {
namespace {

const std::vector<std::string> kSeeds{
    "gaussian=sigma=2,sobel=scale=1.5,convolve=matrix='0 -1 0; -1 5 -1; 0 -1 0':planes=y",
    "boxblur=luma_radius=2:power=3,unsharp=5:5:1.0:5:5:0.0",
    "convolution='0 -1 0 -1 5 -1 0 -1 0:0 0 0 0 1 0 0 0 0:1:1/9:0:128'",
    "tmix=frames=3:weights='1 2 1',tblend=all_mode=difference128",
    "laplacian=absolute=0:delta=128:border=constant:border_value=16,dog=1:2:luma",
    "convolve=file='it\\'\\''s a\\:b':width=3:anchor_x=1",
    "motion=15:45:0+2:wrap,disc=3.5,emboss=30:2:100:all+a,kirsch=15:2,highpass",
};

const std::vector<std::string> kPresetSeeds{
    "name = 'x'\ndescription = \"y\"\nstack = '''gaussian=sigma=3,\n  sobel'''\n",
    "[[step]]\nfilter = 'convolve'\nmatrix = [[0, -1, 0], [-1, 5.5, -1], [0, -1, 0]]\n"
    "normalize = true\n[[step]]\nfilter = 'box'\nradius = 4\n",
};

constexpr std::string_view kBytes = "',:;=\\|+-./0123456789 \n\t[]#\"{}aeghilmnorsuxyv\xc3\xff\x01";

class Mutator {
 public:
    explicit Mutator(unsigned seed) : random_(seed) {}

    std::string mutate(const std::vector<std::string>& seeds) {
        std::string text = pick(seeds);
        for (std::size_t k = 1 + below(4); k > 0; --k) change(text, seeds);
        return text;
    }

 private:
    std::size_t below(std::size_t n) { return random_() % n; }
    const std::string& pick(const std::vector<std::string>& seeds) {
        return seeds[below(seeds.size())];
    }
    char byte() { return kBytes[below(kBytes.size())]; }

    void change(std::string& text, const std::vector<std::string>& seeds) {
        const std::size_t at = below(text.size() + 1);
        switch (below(6)) {
            case 0:
                text.insert(at, 1, byte());
                return;
            case 1:
                text.erase(at, 1 + below(6));
                return;
            case 2:
                text.resize(at);
                return;
            case 3:
                text.insert(at, text.substr(below(text.size() + 1), below(20)));
                return;
            case 4:
                text.insert(at, pick(seeds).substr(below(10), below(30)));
                return;
            default:
                if (at < text.size()) text[at] = byte();
                return;
        }
    }

    std::mt19937 random_;
};

void expect_usable(const Stack& stack, const std::string& text) {
    const std::string printed = print_stack(stack);
    EXPECT_TRUE(parse_stack(printed) == stack) << text << '\n' << printed;
    EXPECT_EQ(print_stack(parse_stack(printed)), printed);
    for (const char* on : {"yuv420p", "rgba", "gray10"})
        for (const Step& step : stack) {
            try {
                step.filter->make(step.params, test::frame(on));
            } catch (const FilterError& error) {
                EXPECT_LE(error.position(), error.text().size());
            }
        }
}

TEST(FiltersMutation, StacksFailOnlyWithFilterError) {
    Mutator mutator(20240601);
    int accepted = 0;
    for (int k = 0; k < 20000; ++k) {
        const std::string text = mutator.mutate(kSeeds);
        try {
            const Stack stack = parse_stack(text);
            ++accepted;
            if (accepted % 8 == 0) expect_usable(stack, text);
        } catch (const FilterError& error) {
            EXPECT_LE(error.position(), error.text().size());
            EXPECT_FALSE(error.with_caret().empty());
        } catch (const std::exception& error) {
            FAIL() << text << "\nlet escape: " << error.what();
        }
    }
    EXPECT_GT(accepted, 500);
}

TEST(FiltersMutation, PresetsFailOnlyWithFilterError) {
    Mutator mutator(7);
    for (int k = 0; k < 3000; ++k) {
        const std::string text = mutator.mutate(kPresetSeeds);
        try {
            const Preset preset = parse_preset(text, "p.toml");
            EXPECT_TRUE(parse_stack(print_stack(preset.stack)) == preset.stack) << text;
        } catch (const FilterError& error) {
            EXPECT_LE(error.position(), error.text().size());
        } catch (const std::exception& error) {
            FAIL() << text << "\nlet escape: " << error.what();
        }
    }
}

}  // namespace
}  // namespace weft
