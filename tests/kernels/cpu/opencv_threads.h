// Sets OpenCV's number of threads for one scope. A separate file: OpenCV declares a Stream too.
#pragma once

namespace weft::test {

class OpencvThreads {
 public:
    explicit OpencvThreads(int count);
    ~OpencvThreads();
    OpencvThreads(const OpencvThreads&) = delete;
    OpencvThreads& operator=(const OpencvThreads&) = delete;

 private:
    int before_;
};

}  // namespace weft::test
