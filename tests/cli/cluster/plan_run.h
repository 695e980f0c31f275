// A plan of six pictures and a film in a folder with two levels, and runs of it.
#pragma once

#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <sys/stat.h>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/cli/cluster/picture_tree.h"
#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {

class PlanRunTest : public PictureTreeTest {
 protected:
    static constexpr int kFiles = 7;

    void SetUp() override {
        CliTest::SetUp();
        if (IsSkipped()) return;
        make_pictures(kFiles - 1);
        std::filesystem::copy_file(short_clip(), path("in/film.mkv"));
    }
    Command plan(const Arguments& more = {}) const {
        Arguments arguments = {"batch",      "-vf",      "box",    "--recursive",     "-o",
                               path("out/"), path("in"), "--plan", path("films.plan")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return weft_command(arguments);
    }
    Command run_plan(const Arguments& more = {}) const {
        Arguments arguments = {"batch", "--gpu", "off", "--run", path("films.plan")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return weft_command(arguments);
    }
    Command check(const Arguments& more = {}) const {
        Arguments arguments = {"--check"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_plan(arguments);
    }
    // Name, inode and time of every output and receipt.
    std::map<std::string, std::string> states() const {
        std::map<std::string, std::string> all;
        for (const std::filesystem::directory_entry& entry :
             std::filesystem::recursive_directory_iterator(path("out"))) {
            if (entry.is_directory()) continue;
            struct stat info {};
            stat(entry.path().c_str(), &info);
            all[entry.path()] =
                fmt::format("{} {}.{}", info.st_ino, info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
        }
        return all;
    }
    int outputs() const {
        int count = 0;
        if (std::filesystem::exists(path("out")))
            for (const std::filesystem::directory_entry& entry :
                 std::filesystem::recursive_directory_iterator(path("out")))
                if (entry.is_regular_file() && !is_hidden(entry.path())) ++count;
        return count;
    }
    static bool is_hidden(const std::filesystem::path& file) {
        return file.filename().string().starts_with('.');
    }
    // The lines of the plan as JSON.
    std::vector<nlohmann::json> lines() const {
        std::vector<nlohmann::json> all;
        std::istringstream text(read_file(path("films.plan")));
        for (std::string line; std::getline(text, line);) all.push_back(parse_json(line));
        return all;
    }
    // The inputs of a report that failed, with their sentences.
    std::map<std::string, std::string> failures(const std::string& report) const {
        std::map<std::string, std::string> failed;
        const nlohmann::json page = parse_json(read_file(report));
        for (const auto& file : page.at("files"))
            if (file.at("status") != "ok" && file.at("status") != "skipped")
                failed[std::filesystem::path(file.at("input").get<std::string>()).filename()] =
                    file.at("error");
        return failed;
    }
};

}  // namespace weft::cli
