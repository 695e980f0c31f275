// The program's integration with desktops, shells and `man`: its entry, icon, completions and man
// page.
#include <fstream>
#include <regex>
#include <set>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;

// The file installed with the program, or else that in the sources or the build tree.
fs::path shipped(const std::string& installed, const fs::path& built) {
    const fs::path share = fs::path(weft_program()).parent_path().parent_path() / "share";
    return fs::exists(share / installed) ? share / installed : built;
}

fs::path asset(const std::string& installed, const std::string& source) {
    return shipped(installed, fs::path(WEFT_ASSETS) / source);
}

fs::path man_page() {
    return shipped("man/man1/weft.1",
                   fs::path(weft_program()).parent_path().parent_path() / "man" / "weft.1");
}

bool is_installed(const std::string& program) {
    return run({"sh", "-c", "command -v " + program}).exit_code == 0;
}

// The man page as plain text, rendered by groff without typography.
std::string man_text() {
    const Result result =
        run({"groff", "-k", "-mdoc", "-Tascii", "-P-cbou", "-rLL=9999n", man_page().string()});
    return result.out;
}

std::set<std::string> matches(const std::string& text, const char* pattern) {
    const std::regex regex(pattern, std::regex::multiline);
    std::set<std::string> found;
    for (std::sregex_iterator match(text.begin(), text.end(), regex), end; match != end; ++match)
        found.insert((*match)[1]);
    return found;
}

std::set<std::string> command_names() {
    return matches(weft({"--help"}).out, "^  ([a-z]+)  ");
}

class CliShell : public CliTest {
 protected:
    void SetUp() override {
        CliTest::SetUp();
        if (!fs::exists(man_page())) GTEST_SKIP() << "the man page is not here: " << man_page();
    }
};

TEST_F(CliShell, TheManPageNamesEveryCommandAndEveryOption) {
    if (!is_installed("groff")) GTEST_SKIP() << "groff is not installed";
    const std::string page = man_text();
    ASSERT_GE(command_names().size(), 5U);
    for (const std::string& command : command_names()) {
        EXPECT_TRUE(contains(page, "weft " + command + "\n")) << command;
        const std::set<std::string> options =
            matches(weft({command, "--help"}).out, "^  (-[^ ,]+)");
        EXPECT_FALSE(options.empty()) << command;
        const std::string section = page.substr(page.find("weft " + command + "\n"));
        for (const std::string& option : options)
            EXPECT_TRUE(contains(section, " " + option))
                << option << " of weft " << command << " is not in the man page";
    }
}

// String literals of a C++ source, or the whole of any other text.
std::string shown_text(const fs::path& file) {
    std::string text = read_file(file);
    if (file.extension() == ".in") return std::regex_replace(text, std::regex("\\\\-|\\.Fl "), "-");
    if (file.extension() != ".cpp") return text;
    std::string literals;
    for (const std::string& literal : matches(text, R"re("((?:[^"\\\n]|\\.)*)")re"))
        literals += literal + "\n";
    return literals;
}

// "-crf", but not the end of a word and not "-1" or "-x.mp4".
constexpr const char* kOneDash = R"((?:^|[ (`'])(-[a-z][a-z_:]*)(?![a-z0-9_:.-]))";

// Messages, the documents and the man page name no option that does not exist.
TEST_F(CliShell, EveryDocumentedOptionExists) {
    const fs::path root = fs::path(WEFT_ASSETS).parent_path();
    if (!fs::exists(root / "app")) GTEST_SKIP() << "the sources are not here: " << root;
    std::set<std::string> known = {"--help", "--version"};
    for (const std::string& command : command_names())
        known.merge(matches(weft({command, "--help"}).out, "(--[a-z][a-z-]+)"));
    // The long names of ffmpeg's words, which weft also takes, and other programs' options.
    known.merge(matches(read_file(root / "app/cli/command_line.cpp"), "\"(--[a-z-]+)\"\\}"));
    known.merge(matches(read_file(root / "dev"), "(--[a-z][a-z-]+)"));
    // CMake's, FFmpeg's, Python scripts', sbatch's, aws's, gdb's and the loader's, which the
    // documents name.
    known.merge(std::set<std::string>{"--preset", "--enable-gpl", "--clip", "--library", "--array",
                                      "--gres", "--wait", "--only-show-errors", "--args",
                                      "--library-path"});
    std::vector<fs::path> files = {root / "README.md", root / "CONTRIBUTING.md",
                                   root / "SECURITY.md", root / "CHANGELOG.md",
                                   root / "assets/man/weft.1.in"};
    for (const auto& entry : fs::directory_iterator(root / "docs")) files.push_back(entry.path());
    for (const char* layer : {"app", "filters", "kernels"})
        for (const auto& entry : fs::recursive_directory_iterator(root / layer))
            // The desktop's dialogs and clipboards are programs with options of their own.
            if (entry.path().extension() == ".cpp" && entry.path().stem() != "file_dialog" &&
                entry.path().stem() != "clipboard_picture")
                files.push_back(entry.path());
    for (const fs::path& file : files)
        for (const std::string& option : matches(shown_text(file), "(--[a-z][a-z-]+)"))
            EXPECT_TRUE(known.contains(option)) << option << " in " << file;
    // ffmpeg's words. The man page's macros have options of their own.
    known = matches(read_file(root / "app/cli/command_line.cpp"), "\"(-[a-z][a-z_:]*)\"");
    known.merge(std::set<std::string>{"-filtered", "-try"});             // ends of files' names
    known.merge(std::set<std::string>{"-video_size", "-pixel_format"});  // raw video
    // Those of encoders, the end of -x264-params, and a word of ffmpeg that is answered.
    known.merge(std::set<std::string>{"-g", "-bf", "-bf:", "-level", "-maxrate", "-refs", "-qp",
                                      "-params", "-muxers"});
    for (const fs::path& file : files)
        for (const std::string& option : matches(shown_text(file), kOneDash))
            EXPECT_TRUE(file.extension() == ".in" || known.contains(option))
                << option << " in " << file;
}

TEST_F(CliShell, TheManPageNamesEveryFilterKernelAndExitCode) {
    if (!is_installed("groff")) GTEST_SKIP() << "groff is not installed";
    const std::string page = man_text();
    const nlohmann::json filters = parse_json(weft({"list", "filters", "--json"}).out);
    for (const auto& filter : filters["filters"])
        EXPECT_TRUE(contains(page, filter["name"].get<std::string>())) << filter["name"];
    const nlohmann::json kernels = parse_json(weft({"list", "kernels", "--json"}).out);
    for (const auto& kernel : kernels["kernels"])
        EXPECT_TRUE(contains(page, kernel["name"].get<std::string>())) << kernel["name"];
    const std::string codes = page.substr(page.find("EXIT STATUS"));
    for (const char* code : {"0", "1", "2", "3", "4", "5", "6", "130, 143"})
        EXPECT_TRUE(std::regex_search(codes, std::regex("\n +" + std::string(code) + "\\s")))
            << code << " in " << codes;
}

TEST_F(CliShell, TheManPageNamesEveryKey) {
    if (!is_installed("groff")) GTEST_SKIP() << "groff is not installed";
    const std::string page = man_text();
    const std::string section = page.substr(page.find("\nKEYS"));
    const nlohmann::json listed = parse_json(weft({"list", "keys", "--json"}).out);
    ASSERT_GE(listed["keys"].size(), 50U);
    const std::regex ellipsis("…");
    for (const auto& row : listed["keys"]) {
        // ASCII has no ellipsis.
        const std::string action =
            std::regex_replace(row["action"].get<std::string>(), ellipsis, "");
        EXPECT_TRUE(contains(section, action)) << row;
        for (const auto& key : row["keys"])
            EXPECT_TRUE(contains(section, " " + key.get<std::string>())) << row;
    }
}

TEST_F(CliShell, ListKeysHasTheUsersChangesAndTheirFaults) {
    const std::filesystem::path folder = path("config");
    std::filesystem::create_directories(folder / "warpweft");
    std::ofstream(folder / "warpweft/keys.conf") << "F12 undo\nq ignore\nq2 quit\n";
    const auto listed = [&](const Arguments& more) {
        Command command = weft_command({"list", "keys"});
        command.argv.insert(command.argv.end(), more.begin(), more.end());
        command.env["XDG_CONFIG_HOME"] = folder.string();
        return run(command);
    };
    const Result one = listed({"F12"});
    EXPECT_TRUE(exits(one, 0));
    EXPECT_EQ(one.out, "F12 or Ctrl+Z: Undo (undo)\n");
    EXPECT_TRUE(contains(one.err, "keys.conf:3: unknown key 'q2'")) << one.err;
    EXPECT_TRUE(exits(listed({"q"}), 2));
    const nlohmann::json all = parse_json(listed({"--json"}).out);
    for (const auto& row : all["keys"]) {
        if (row["command"] != "quit") continue;
        EXPECT_EQ(row["keys"], nlohmann::json::array({"Ctrl+Q"}));
    }
}

TEST_F(CliShell, TheManPageIsCleanMdoc) {
    if (!is_installed("groff")) GTEST_SKIP() << "groff is not installed";
    const Result result = run({"groff", "-k", "-mdoc", "-ww", "-z", man_page().string()});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.err, "");
}

TEST_F(CliShell, TheDesktopEntryIsValid) {
    if (!is_installed("desktop-file-validate"))
        GTEST_SKIP() << "desktop-file-validate is not installed";
    const Result result =
        run({"desktop-file-validate", asset("applications/io.github.warpweft.Weft.desktop",
                                            "desktop/io.github.warpweft.Weft.desktop")
                                          .string()});
    EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
    EXPECT_EQ(result.out, "");
}

TEST_F(CliShell, TheMetainfoIsValid) {
    if (!is_installed("appstreamcli")) GTEST_SKIP() << "appstreamcli is not installed";
    const Result result = run({"appstreamcli", "validate", "--no-net",
                               asset("metainfo/io.github.warpweft.Weft.metainfo.xml",
                                     "desktop/io.github.warpweft.Weft.metainfo.xml")
                                   .string()});
    EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

TEST_F(CliShell, EveryIconHasTheSizeOfItsName) {
    for (const int size : {16, 22, 24, 32, 48, 64, 128, 256, 512}) {
        const std::string square = std::to_string(size) + "x" + std::to_string(size);
        const fs::path icon = asset("icons/hicolor/" + square + "/apps/io.github.warpweft.Weft.png",
                                    "icons/" + std::to_string(size) + ".png");
        EXPECT_EQ(video_field(icon.string(), "width"), std::to_string(size)) << icon;
        EXPECT_EQ(video_field(icon.string(), "height"), std::to_string(size)) << icon;
    }
}

// ---- completion --------------------------------------------------------------------------------

// The words that each shell's script offers to complete `line`, whose last word is unfinished.
std::set<std::string> lines_of(const std::string& text) {
    return matches(text, "^([^\\t\\n]+)");
}

std::string in_path() {
    return fs::path(weft_program()).parent_path().string() + ":" + std::getenv("PATH");
}

std::set<std::string> shell_answer(const std::string& shell, const std::string& script,
                                   const std::string& line) {
    Command command;
    command.argv = {shell, "-c", script, shell, line};
    command.env["PATH"] = in_path();
    const Result result = run(command);
    EXPECT_EQ(result.err, "");
    return lines_of(result.out);
}

std::set<std::string> bash_answer(const std::string& line) {
    const std::string script = asset("bash-completion/completions/weft", "completions/weft.bash");
    return shell_answer("bash", "source " + script + R"(
        compopt() { :; }
        COMP_LINE=$1 COMP_POINT=${#1}
        _weft weft
        printf '%s\n' "${COMPREPLY[@]}")",
                        line);
}

std::set<std::string> zsh_answer(const std::string& line) {
    const std::string script = asset("zsh/site-functions/_weft", "completions/_weft");
    return shell_answer("zsh", R"(
        compadd() { print -l -- "${found[@]}" }
        _files() { :; }
        words=("${(@s: :)1}") CURRENT=${#words} PREFIX=${words[-1]}
        source )" + script,
                        line);
}

std::set<std::string> fish_answer(const std::string& line) {
    const std::string script =
        asset("fish/vendor_completions.d/weft.fish", "completions/weft.fish");
    return shell_answer("fish", "source " + script + "; complete --do-complete $argv[2]", line);
}

struct Tab {
    const char* line;
    std::set<std::string> words;
};

// Words as a shell inserts them.
const std::vector<Tab> kTabs = {
    {"weft ba", {"batch"}},
    {"weft batch --recu", {"--recursive"}},
    {"weft batch --rec", {"--receipts", "--recursive"}},
    {"weft batch --verify ", {"packets", "decode"}},
    {"weft batch -vf gaus", {"gaussian"}},
    {"weft batch -vf gb", {"gblur"}},
    {"weft batch --gpu r", {"require"}},
    {"weft compare f.mkv --kernels direct,opencv", {"direct,opencv_cpu"}},
    {"weft list ker", {"kernels"}},
    {"weft list filters lap", {"laplacian"}},
    {"weft list keys Ctrl+Shift+E", {"Ctrl+Shift+E"}},
    {"weft batch --preset soft", {"soft-focus"}},
};

// The same without the parts that bash treats as separate words.
const std::vector<Tab> kStackTabs = {
    {"weft batch -vf gaussian=si", {"gaussian=sigma=", "gaussian=sigmaV="}},
    {"weft batch -vf gaussian=sigma=2,sob",
     {"gaussian=sigma=2,sobel", "gaussian=sigma=2,sobel@weft"}},
    {"weft batch -vf box=radius=3:border=wr", {"box=radius=3:border=wrap"}},
    {"weft batch -vf box=radius=3:radi", {"box=radius=3:radius_y="}},
    {"weft batch --preset redact:bo", {"redact:boxes="}},
    {"weft batch --preset redact:region=9x9+0+0:shape=e", {"redact:region=9x9+0+0:shape=ellipse"}},
};

TEST_F(CliShell, BashCompletes) {
    for (const Tab& tab : kTabs) EXPECT_EQ(bash_answer(tab.line), tab.words) << tab.line;
    EXPECT_EQ(bash_answer("weft batch -vf gaussian=si"),
              (std::set<std::string>{"sigma=", "sigmaV="}));
    EXPECT_EQ(bash_answer("weft batch -vf gaussian=sigma=2,sob"),
              (std::set<std::string>{"2,sobel", "2,sobel@weft"}));
    EXPECT_EQ(bash_answer("weft batch --preset redact:bo"), std::set<std::string>{"boxes="});
    EXPECT_EQ(bash_answer("weft batch -vf \"box=radius=3:border=wr"),
              std::set<std::string>{"box=radius=3:border=wrap"});
}

TEST_F(CliShell, ZshCompletes) {
    if (!is_installed("zsh")) GTEST_SKIP() << "zsh is not installed";
    for (const Tab& tab : kTabs) EXPECT_EQ(zsh_answer(tab.line), tab.words) << tab.line;
    for (const Tab& tab : kStackTabs) EXPECT_EQ(zsh_answer(tab.line), tab.words) << tab.line;
}

TEST_F(CliShell, FishCompletes) {
    if (!is_installed("fish")) GTEST_SKIP() << "fish is not installed";
    for (const Tab& tab : kTabs) EXPECT_EQ(fish_answer(tab.line), tab.words) << tab.line;
    for (const Tab& tab : kStackTabs) EXPECT_EQ(fish_answer(tab.line), tab.words) << tab.line;
}

// A new filter, kernel or preset needs no change in any script.
TEST_F(CliShell, EveryFilterAndKernelIsOffered) {
    const nlohmann::json filters = parse_json(weft({"list", "filters", "--json"}).out);
    const std::set<std::string> stacks = lines_of(weft({"complete", "batch", "-vf", ""}).out);
    for (const auto& filter : filters["filters"])
        EXPECT_TRUE(stacks.contains(filter["name"].get<std::string>())) << filter["name"];
    const nlohmann::json kernels = parse_json(weft({"list", "kernels", "--json"}).out);
    const std::set<std::string> rows = lines_of(weft({"complete", "batch", "--kernel", ""}).out);
    for (const auto& kernel : kernels["kernels"])
        EXPECT_TRUE(rows.contains(kernel["name"].get<std::string>())) << kernel["name"];
}

TEST_F(CliShell, NothingIsOfferedInsideQuotesOrForUnknownNames) {
    for (const Arguments& words :
         {Arguments{"batch", "-vf", "convolve=matrix='0 1"}, Arguments{"batch", "-vf", "nosuch=a"},
          Arguments{"batch", "-vf", "box=nosuch=a"}, Arguments{"batch", "-crf", ""},
          Arguments{"list", "nosuch", ""}}) {
        Arguments arguments = {"complete"};
        arguments.insert(arguments.end(), words.begin(), words.end());
        const Result result = weft(arguments);
        EXPECT_TRUE(exits(result, 0)) << testing::PrintToString(words);
        for (const std::string& line : lines_of(result.out))
            EXPECT_TRUE(line.starts_with(":")) << line << testing::PrintToString(words);
    }
}

}  // namespace
}  // namespace weft::cli
