// The exit codes of every command; docs/manual.md has the table for users.
#pragma once

#include "app/media/libav/error.h"

namespace weft {

constexpr int exit_code(Outcome outcome) {
    switch (outcome) {
        case Outcome::ok:
            return 0;
        case Outcome::failed:
            return 1;
        case Outcome::usage:
            return 2;
        case Outcome::some_failed:
            return 3;
        case Outcome::damaged:
            return 4;
        case Outcome::not_written:
            return 5;
        case Outcome::no_gpu:
            return 6;
        case Outcome::interrupted:
            return 130;  // 128 + SIGINT, as shells count
        case Outcome::terminated:
            return 143;  // 128 + SIGTERM
    }
    return 1;
}

}  // namespace weft
