// Input that is faster than the screen: the events passed to each redraw.
#include "app/viewer/shell/input_queue.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace weft {
namespace {

using Kind = InputEvent::Kind;
using Change = InputEvent::Change;

InputEvent press(int code) {
    return {.kind = Kind::key, .code = code, .change = Change::press};
}
InputEvent repeat(int code) {
    return {.kind = Kind::key, .code = code, .change = Change::repeat};
}
InputEvent release(int code) {
    return {.kind = Kind::key, .code = code, .change = Change::release};
}
InputEvent typed(char c) {
    return {.kind = Kind::character, .code = c, .change = Change::press};
}
InputEvent button(bool down, int number = 0) {
    return {.kind = Kind::button, .code = number, .change = down ? Change::press : Change::release};
}
InputEvent to(double x, double y = 0) {
    return {.kind = Kind::pointer, .x = x, .y = y};
}
InputEvent wheel() {
    return {.kind = Kind::wheel, .y = 1};
}
InputEvent enter(bool inside) {
    return {.kind = Kind::enter, .inside = inside};
}

std::string word(const InputEvent& event) {
    switch (event.kind) {
        case Kind::key:
            return std::string(1, event.change == Change::press     ? 'v'
                                  : event.change == Change::release ? '^'
                                                                    : '=') +
                   static_cast<char>(event.code);
        case Kind::character:
            return std::string(1, static_cast<char>(event.code));
        case Kind::button:
            return (event.change == Change::press ? "down" : "up") + std::to_string(event.code);
        case Kind::wheel:
            return "wheel";
        case Kind::pointer:
            return "to" + std::to_string(static_cast<int>(event.x));
        case Kind::enter:
            return event.inside ? "in" : "out";
        case Kind::focus:
            return "focus";
    }
    return "";
}

// The events of every redraw until the queue is empty: "va a | ^a".
std::string redraws(InputQueue& queue) {
    std::string all;
    for (int redraw = 0; !queue.empty() && redraw < 100; ++redraw) {
        std::string one;
        while (const auto event = queue.next()) one += (one.empty() ? "" : " ") + word(*event);
        all += (redraw == 0 ? "" : " | ") + one;
        queue.redrawn();
    }
    return all;
}

struct Row {
    std::vector<InputEvent> events;
    std::string redraws;
};

TEST(ViewerInput, ARedrawGetsOneChange) {
    const std::vector<Row> rows = {
        {{press('a'), typed('a'), release('a')}, "va a | ^a"},
        {{press('a'), typed('a'), repeat('a'), typed('a'), release('a')}, "va a =a a | ^a"},
        {{press('a'), typed('a'), press('b'), typed('b'), release('a'), release('b')},
         "va a | vb b | ^a ^b"},
        {{press('a'), release('a'), press('a'), release('a')}, "va | ^a | va | ^a"},
        {{press('C'), press('z'), release('z'), release('C')}, "vC | vz | ^z ^C"},
        {{to(1), to(2), to(3)}, "to1 to2 to3"},
        {{enter(true), to(5), enter(false)}, "in to5 out"},
        {{to(1), button(true), button(false), to(2)}, "to1 | down0 | up0 | to2"},
        {{button(true), button(false), button(true), button(false)}, "down0 | up0 | down0 | up0"},
        {{button(true), to(7), to(9), button(false)}, "down0 | to7 to9 | up0"},
        {{button(true, 1), button(true, 2)}, "down1 | down2"},
        {{to(1), wheel(), wheel(), to(2)}, "to1 | wheel wheel | to2"},
        {{press('C'), wheel(), release('C')}, "vC | wheel | ^C"},
        {{press('a'), to(1)}, "va | to1"},
    };
    for (const Row& row : rows) {
        InputQueue queue;
        for (const InputEvent& event : row.events) queue.push(event);
        EXPECT_EQ(redraws(queue), row.redraws);
    }
}

// Keys typed after a click go to the field that it opens.
TEST(ViewerInput, KeysWaitAfterAButton) {
    InputQueue queue;
    for (const InputEvent& event : {button(true), button(false), press('a'), typed('a')})
        queue.push(event);
    EXPECT_EQ(redraws(queue), "down0 | up0 |  |  | va a");
}

TEST(ViewerInput, EverythingWaitsUntilItSettles) {
    InputQueue queue;
    queue.push(press('a'));
    queue.push(to(1));
    ASSERT_TRUE(queue.next());
    queue.settle();
    queue.push(to(2));
    EXPECT_FALSE(queue.next());
    queue.redrawn();
    EXPECT_EQ(redraws(queue), " |  | to1 to2");
}

TEST(ViewerInput, TheMouseFollowsTheEvents) {
    InputQueue queue;
    for (const InputEvent& event :
         {enter(true), to(3, 4), button(true), enter(false), to(-9, 5), button(false)})
        queue.push(event);
    EXPECT_FALSE(queue.mouse().belongs_to_window());
    const auto redraw = [&] {
        while (queue.next()) {
        }
        queue.redrawn();
        return queue.mouse();
    };
    MouseState mouse = redraw();
    EXPECT_TRUE(mouse.belongs_to_window());
    EXPECT_EQ(mouse.x, 3);
    EXPECT_EQ(mouse.y, 4);
    EXPECT_FALSE(mouse.down[0]);
    mouse = redraw();
    EXPECT_TRUE(mouse.down[0]);
    EXPECT_EQ(mouse.x, 3);
    mouse = redraw();
    EXPECT_TRUE(mouse.belongs_to_window()) << "dragged out of the window";
    EXPECT_EQ(mouse.x, -9);
    EXPECT_FALSE(redraw().belongs_to_window());
}

TEST(ViewerInput, UnknownButtonsAreIgnored) {
    InputQueue queue;
    queue.push(button(true, 7));
    EXPECT_TRUE(queue.next());
    EXPECT_FALSE(queue.mouse().belongs_to_window());
}

}  // namespace
}  // namespace weft
