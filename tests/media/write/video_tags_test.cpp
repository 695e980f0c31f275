// What a video's container states about it: tags, time codes, tracks of data, XMP, layouts. It is
// kept where programs look for it, or reported as lost.
#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "app/media/demux/input_file.h"
#include "app/media/metadata/unread_metadata.h"
#include "tests/media/write/picture_files.h"
#include "tests/media/write/writer_support.h"

namespace weft {
namespace {

namespace fs = std::filesystem;
using namespace test;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

class MediaVideoTags : public ClipTest {};

constexpr const char* kPicture = "-f lavfi -i testsrc2=s=64x48:r=24:d=0.2 -c:v libx264 ";

struct Written {
    fs::path file;
    WriteReport report;
};

Written write_as(const fs::path& source, const std::string& ending) {
    Written written{.file = fresh_output(ending), .report = {}};
    written.report = rewrite(source, quick_options(written.file));
    return written;
}

// --strict refuses what the report of `written` names.
void expect_refused(const fs::path& source, const std::string& ending, const std::string& name) {
    WriterOptions options = quick_options(fresh_output(ending));
    options.strict = true;
    try {
        rewrite(source, options);
        ADD_FAILURE() << "not refused: " << name;
    } catch (const Error& error) {
        EXPECT_EQ(error.outcome(), Outcome::usage);
        EXPECT_THAT(error.what(), HasSubstr(name));
    }
    EXPECT_FALSE(fs::exists(options.path));
}

std::string exiftool(const std::vector<std::string>& tags, const fs::path& file) {
    std::vector<std::string> command{"exiftool", "-s", "-s", "-s"};
    command.insert(command.end(), tags.begin(), tags.end());
    command.push_back(file.string());
    return run_command(command).out;
}

nlohmann::json format_tags(const fs::path& file) {
    return ffprobe(file, "-show_entries format_tags")
        .at("format")
        .value("tags", nlohmann::json::object());
}

// Replaces every occurrence of `from`, which has the size of `to`.
fs::path patched(const fs::path& file, const std::string& name, const std::string& from,
                 const std::string& to) {
    Bytes bytes = read_bytes(file);
    auto at = bytes.begin();
    int count = 0;
    while ((at = std::search(at, bytes.end(), from.begin(), from.end())) != bytes.end()) {
        at = std::copy(to.begin(), to.end(), at);
        ++count;
    }
    EXPECT_GT(count, 0) << name;
    return write_bytes(name, bytes);
}

TEST_F(MediaVideoTags, StayWherePlayersLook) {
    const fs::path source =
        make_clip("placed.mp4", std::string(kPicture) +
                                    "-metadata title=Walk -metadata artist=Ann -metadata tmpo=120 "
                                    "-metadata location=+40.6800-074.5000/");
    const std::vector<std::string> list{"-ItemList:Title", "-ItemList:Artist",
                                        "-ItemList:BeatsPerMinute"};
    const Written mp4 = write_as(source, ".mp4");
    EXPECT_THAT(mp4.report.warnings, IsEmpty());
    EXPECT_EQ(exiftool(list, mp4.file), exiftool(list, source));
    EXPECT_EQ(exiftool(list, mp4.file), "Walk\nAnn\n120\n");
    EXPECT_THAT(exiftool({"-UserData:GPSCoordinates"}, mp4.file), HasSubstr("40 deg 40'"));
    EXPECT_EQ(format_tags(mp4.file).value("location", ""), "+40.6800-074.5000/");
    const Written mov = write_as(source, ".mov");
    EXPECT_EQ(exiftool({"-UserData:Title", "-UserData:Artist"}, mov.file), "Walk\nAnn\n");
    EXPECT_THAT(mov.report.warnings, Contains(HasSubstr("BPM (tmpo)")));
    expect_refused(source, ".mkv", "BPM (tmpo)");
}

// Tags that the list has no place for are in the QuickTime keys, next to it.
TEST_F(MediaVideoTags, OfAnyNameStay) {
    const fs::path source = make_clip("named.nut", std::string(kPicture) +
                                                       "-metadata title=Walk -metadata "
                                                       "com.example.lens=50mm -metadata mood=calm "
                                                       "-metadata xyz=ünï");
    for (const char* ending : {".mp4", ".mov", ".mkv"}) {
        SCOPED_TRACE(ending);
        const Written written = write_as(source, ending);
        EXPECT_THAT(written.report.warnings, IsEmpty());
        nlohmann::json tags = nlohmann::json::object();
        const nlohmann::json found = format_tags(written.file);
        for (const auto& [key, value] : found.items()) {
            std::string name = key;
            std::ranges::transform(name, name.begin(), ::tolower);
            tags[name] = value;
        }
        EXPECT_EQ(tags.value("title", ""), "Walk");
        EXPECT_EQ(tags.value("com.example.lens", ""), "50mm");
        EXPECT_EQ(tags.value("mood", ""), "calm");
        EXPECT_EQ(tags.value("xyz", ""), "ünï");
    }
}

TEST_F(MediaVideoTags, NamesOfTracksStay) {
    const fs::path source =
        make_clip("tracks.mkv", std::string(kPicture) + "-metadata:s:v title=Main");
    const Written mp4 = write_as(source, ".mp4");
    EXPECT_EQ(exiftool({"-Track1Name"}, mp4.file), "Main\n");
    EXPECT_THAT(mp4.report.warnings, IsEmpty());
    const Written mkv = write_as(mp4.file, ".mkv");
    EXPECT_EQ(stream_of(mkv.file, "video").at("tags").value("title", ""), "Main");
    EXPECT_THAT(mkv.report.warnings, IsEmpty());
}

TEST_F(MediaVideoTags, ThatTheMuxerDropsAreNamed) {
    const fs::path source =
        make_clip("tool.nut", std::string(kPicture) + "-metadata encoding_tool=abc");
    EXPECT_THAT(write_as(source, ".mkv").report.warnings,
                Contains("mkv cannot store all tags; lost: encoding_tool"));
    expect_refused(source, ".mkv", "encoding_tool");
}

TEST_F(MediaVideoTags, TimesOfCreationInAnySpelling) {
    const fs::path source = make_clip("dated.nut", std::string(kPicture) +
                                                       "-metadata CREATION_TIME='2016-05-31 "
                                                       "17:01:35'");
    for (const char* ending : {".mp4", ".mov", ".mkv", ".webm"}) {
        const Written written = write_as(source, ending);
        EXPECT_THAT(written.report.warnings, IsEmpty()) << ending;
        EXPECT_THAT(format_tags(written.file).value("creation_time", ""),
                    HasSubstr("2016-05-31T17:01:35"))
            << ending;
    }
}

TEST_F(MediaVideoTags, XmpStaysOrIsNamed) {
    const fs::path source = make_clip("plain_xmp.mov", kPicture);
    run_command({"exiftool", "-q", "-overwrite_original", "-XMP:Rating=5", "-XMP:Subject=holiday",
                 source.string()});
    ASSERT_EQ(exiftool({"-XMP:Rating"}, source), "5\n") << "needs exiftool";
    const Written mov = write_as(source, ".mov");
    const Written mp4 = write_as(source, ".mp4");
    const Written again = write_as(mp4.file, ".mp4");
    for (const Written& written : {mov, mp4, again}) {
        EXPECT_EQ(exiftool({"-XMP:Rating", "-XMP:Subject"}, written.file), "5\nholiday\n");
        EXPECT_THAT(written.report.warnings, IsEmpty());
    }
    expect_refused(source, ".mkv", "xmp");
}

// libav's muxer writes no description of such data: the entry would be called "stts".
TEST_F(MediaVideoTags, TracksOfUnknownDataAreNamed) {
    const fs::path timed = make_clip("timed.mov", std::string(kPicture) + "-timecode 01:00:00:00");
    const fs::path source =
        patched(patched(timed, "entry.mov", std::string("tmcd\0\0\0\0\0\0\0\1", 12),
                        std::string("mebx\0\0\0\0\0\0\0\1", 12)),
                "mebx.mov", "mhlrtmcd", "mhlrmeta");
    for (const char* ending : {".mov", ".mp4", ".mkv"}) {
        const Written written = write_as(source, ending);
        EXPECT_TRUE(stream_of(written.file, "data").is_null()) << ending;
        EXPECT_THAT(written.report.warnings, Contains(HasSubstr("kind of data"))) << ending;
    }
    expect_refused(source, ".mov", "(mebx)");
}

// FFmpeg knows drop-frame time codes at multiples of 29.97 Hz alone.
TEST_F(MediaVideoTags, TimeCodesThatAreNotKeptAreNamed) {
    const fs::path timed = make_clip("timed.mov", std::string(kPicture) + "-timecode 01:00:00:00");
    Bytes bytes = read_bytes(timed);
    const std::string entry("tmcd\0\0\0\0\0\0\0\1", 12);
    const auto at = std::search(bytes.begin(), bytes.end(), entry.begin(), entry.end());
    ASSERT_NE(at, bytes.end());
    at[19] |= 1;  // the flag of the description
    const fs::path source = write_bytes("dropped.mov", bytes);
    for (const char* ending : {".mp4", ".mkv"}) {
        const Written written = write_as(source, ending);
        EXPECT_THAT(written.report.warnings, Contains(HasSubstr("tmcd"))) << ending;
        expect_refused(source, ending, "tmcd");
    }
    EXPECT_EQ(stream_of(write_as(source, ".mov").file, "data").value("codec_tag_string", ""),
              "tmcd");
}

TEST_F(MediaVideoTags, StereoAndProjectionStayOrAreNamed) {
    const fs::path source =
        make_clip("stereo.mkv", std::string(kPicture) + "-metadata:s:v stereo_mode=left_right");
    for (const char* ending : {".mkv", ".mp4", ".webm"})
        EXPECT_THAT(write_as(source, ending).report.warnings, IsEmpty()) << ending;
    for (const char* ending : {".mov", ".avi", ".nut"})
        expect_refused(source, ending, "the stereo mode (side by side)");
}

// One element of Matroska, with a size of eight bytes.
std::string element(const std::string& id, const std::string& content) {
    std::string made = id + '\x01';
    for (unsigned shift = 56; shift > 0; shift -= 8)
        made += static_cast<char>(content.size() >> (shift - 8));
    return made + content;
}

std::string simple_tag(const std::string& name, const std::string& value) {
    return element("\x67\xC8", element("\x45\xA3", name) + element("\x44\x87", value));
}

std::string chapter(const std::string& content) {
    return element("\xB6", content);
}

std::string chapter_name(const std::string& name, const std::string& language) {
    return element("\x80", element("\x85", name) + element("\x43\x7C", language));
}

TEST_F(MediaVideoTags, FindsWhatMatroskaStatesAndFfmpegDoesNotRead) {
    const std::string video =
        element("\xE0", element("\x54\xCC", "\x02") + element("\x54\xAA", "\x08"));
    const std::string tracks =
        element("\xAE",
                element("\xB9", std::string(1, '\1')) + element("\x22\xB5\x9D", "es-419") + video) +
        element("\xAE", element("\xB9", std::string(1, '\0')) + element("\x22\xB5\x9D", "fr"));
    const std::string chapters =
        element("\x45\xB9", chapter(chapter_name("One", "eng") + chapter_name("Eins", "ger") +
                                    chapter(chapter_name("Inner", "und")))) +
        element("\x45\xB9", "");
    const std::string tags =
        element("\x73\x73",
                element("\x63\xC0", element("\x68\xCA", "\x46")) + simple_tag("TITLE", "Series")) +
        element("\x73\x73", simple_tag("ACTOR", "Anna") + simple_tag("ACTOR", "Bob") +
                                simple_tag("TITLE", "Series"));
    const std::string file =
        element("\x1A\x45\xDF\xA3", "") +
        element("\x18\x53\x80\x67",
                element("\x15\x49\xA9\x66", element("\x3E\xB9\x23", std::string(16, 'n'))) +
                    element("\x16\x54\xAE\x6B", tracks) + element("\x10\x43\xA7\x70", chapters) +
                    element("\x12\x54\xC3\x67", tags));
    const fs::path path = write_bytes("unread.mkv", Bytes(file.begin(), file.end()));
    EXPECT_THAT(
        find_unread_metadata(InputFile(path.string()), "matroska,webm").lost,
        testing::ElementsAre(
            "the links to other segments", "the language es-419 of track 1",
            "the crop of track 1 (left 2, top 0, right 0, bottom 8), so hidden rows and columns "
            "become visible",
            "the disabled state of track 2", "a second name of a chapter (Eins)",
            "the level 70 of the tag TITLE=Series", "the tag ACTOR=Anna, which another one follows",
            "the languages of chapter names (eng, ger)", "1 chapter edition", "1 nested chapter"));
    // No cut and no changed byte may end in a crash or an endless walk.
    for (std::size_t size = 0; size < file.size(); size += 3) {
        Bytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
        if (size > 0) cut[size / 2] = 0xFF;
        const fs::path part = write_bytes("unread_part.mkv", cut.empty() ? Bytes{1} : cut);
        (void)find_unread_metadata(InputFile(part.string()), "matroska,webm");
    }
}

std::string big32(std::size_t value) {
    std::string text;
    for (unsigned shift = 32; shift > 0; shift -= 8)
        text += static_cast<char>(value >> (shift - 8));
    return text;
}

std::string box(const std::string& type, const std::string& content) {
    return big32(8 + content.size()) + type + content;
}

// libav's muxers write the titles of chapters alone into these.
TEST_F(MediaVideoTags, OfChaptersStayOrAreNamed) {
    const fs::path list = clip_dir() / "chapters.txt";
    write_bytes("chapters.txt",
                text_bytes(";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=100\n"
                           "title=One\ncomposer=Ann\n"));
    const fs::path source =
        make_clip("listed_chapters.mkv",
                  "-f ffmetadata -i " + list.string() + " " + kPicture + "-map 1 -map_chapters 0");
    for (const char* ending : {".mp4", ".mov", ".webm"}) expect_refused(source, ending, "COMPOSER");
    for (const char* ending : {".mkv", ".nut"}) {
        const Written written = write_as(source, ending);
        EXPECT_THAT(written.report.warnings, IsEmpty()) << ending;
        EXPECT_EQ(
            run_command({"ffprobe", "-v", "error", "-show_entries", "chapter_tags=title,composer",
                         "-of", "csv=p=0", written.file.string()})
                .out,
            "One,Ann\n")
            << ending;
    }
}

// mkvmerge writes English where no language was chosen.
TEST_F(MediaVideoTags, TheDefaultLanguageOfChaptersIsNoLoss) {
    const auto found_in = [](const std::string& language) {
        const std::string names = element("\x45\xB9", chapter(chapter_name("One", language)) +
                                                          chapter(chapter_name("Two", "und")));
        const std::string file = element("\x1A\x45\xDF\xA3", "") +
                                 element("\x18\x53\x80\x67", element("\x10\x43\xA7\x70", names));
        const fs::path path = write_bytes("language.mkv", text_bytes(file));
        return find_unread_metadata(InputFile(path.string()), "matroska,webm");
    };
    EXPECT_THAT(found_in("eng").lost, IsEmpty());
    EXPECT_THAT(found_in("eng").notes, Contains(HasSubstr("English by default")));
    EXPECT_THAT(found_in("und").notes, IsEmpty());
    EXPECT_THAT(found_in("ger").lost, Contains("the languages of chapter names (ger)"));
}

// The pixels of the filtered video alone are turned.
TEST_F(MediaVideoTags, TheRotationOfACopiedVideoIsNamed) {
    make_clip("small.mp4", kPicture);
    make_clip("large.mp4", "-f lavfi -i testsrc2=s=96x64:r=24:d=0.2 -c:v libx264");
    const fs::path source = make_clip("two_videos.mp4",
                                      "-i @large.mp4 -i @small.mp4 -map 0 -map 1 -c copy "
                                      "-metadata:s:v:1 rotate=90");
    expect_refused(source, ".mkv", "rotation (shown turned 90 degrees");
    EXPECT_THAT(write_as(source, ".mp4").report.warnings, IsEmpty());
}

TEST_F(MediaVideoTags, FindsWhatMp4StatesAndFfmpegDoesNotRead) {
    const std::string zeros(4, '\0');
    const std::string clap = big32(60) + big32(1) + big32(48) + big32(1) + std::string(16, '\0');
    const std::string entry = std::string(24, '\0') + std::string("\0\x40\0\x30", 4) +
                              std::string(50, '\0') + box("clap", clap);
    const std::string table = box("stbl", box("stsd", zeros + big32(1) + box("avc1", entry)));
    const std::string track =
        box("trak", box("mdia", box("elng", zeros + "es-419" + '\0') + box("minf", table)) +
                        box("udta", box("tagX", "")));
    const std::string data = box("data", zeros + zeros + "x");
    const std::string list =
        box("ilst", box("\xA9nam", data) + box("\xA9mvn", data) + box("tmpo", data));
    const std::string meta = box("meta", zeros + box("hdlr", std::string(25, '\0')) + list);
    const std::string file =
        box("ftyp", "isom") +
        box("moov", track + box("udta", meta + box("GPMF", "") + box("\xA9xyz", ""))) +
        box("uuid", std::string(16, '\x11')) + box("inst", "");
    const fs::path path = write_bytes("unread.mp4", Bytes(file.begin(), file.end()));
    const UnreadMetadata found = find_unread_metadata(InputFile(path.string()), "mov,mp4");
    EXPECT_THAT(found.lost, testing::UnorderedElementsAre("language es-419 of track 1",
                                                          "clean aperture (crop) (clap) of "
                                                          "track 1",
                                                          "tagX of track 1", "GPMF",
                                                          "uuid 1111111111111111", "inst"));
    EXPECT_THAT(found.list_names, testing::ElementsAre("movement name (©mvn)", "BPM (tmpo)"));
    EXPECT_EQ(found.list_entries, box("\xA9mvn", data) + box("tmpo", data));
    for (std::size_t size = 1; size < file.size(); size += 3) {
        Bytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
        cut[size / 2] = 0xFF;
        const fs::path part = write_bytes("unread_part.mp4", cut);
        (void)find_unread_metadata(InputFile(part.string()), "mov,mp4");
    }
}

// The clip's index with more boxes of user data at its end, which is the file's.
fs::path with_user_data(const std::string& name, const std::string& boxes) {
    const Bytes clip =
        read_bytes(make_clip("no_data.mp4", std::string(kPicture) + "-fflags +bitexact"));
    std::string file(clip.begin(), clip.end());
    const std::size_t type = file.rfind("moov");
    const std::string more = box("udta", boxes);
    const std::string size = big32(file.size() - type + 4 + more.size());
    file.replace(type - 4, 4, size);
    file += more;
    return write_bytes(name, text_bytes(file));
}

// TS 26.244, clause 8.
TEST_F(MediaVideoTags, Of3gppStay) {
    const std::string zeros(4, '\0');
    const std::string undetermined = zeros + "\x55\xC4";
    const std::string french = zeros + "\x1A\x45";
    const fs::path source = with_user_data(
        "phone.3gp", box("titl", undetermined + "Walk" + '\0') +
                         box("perf", french + "Anne" + '\0') +
                         box("gnre", undetermined + "Film" + '\0') +
                         box("albm", undetermined + "Trips" + '\0' + '\7') +
                         box("yrrc", zeros + std::string("\x07\xD4", 2)) +
                         box("cprt", undetermined + "\xFE\xFF" + std::string("\0A\0", 3)) +
                         box("kywd", undetermined + "\1\4cats"));
    const Written mkv = write_as(source, ".mkv");
    EXPECT_THAT(mkv.report.warnings,
                Contains("FFmpeg does not read all metadata of the source; lost: cprt; kywd"));
    EXPECT_EQ(exiftool({"-Title", "-Artist", "-Genre", "-Album", "-Date"}, mkv.file),
              "Walk\nAnne\nFilm\nTrips\n2004\n");
    const nlohmann::json tags = format_tags(mkv.file);
    EXPECT_EQ(tags.value("ARTIST-fre", ""), "Anne");
    EXPECT_EQ(tags.value("track", tags.value("PART_NUMBER", "")), "7");
    EXPECT_EQ(exiftool({"-ItemList:Title", "-ItemList:Artist"}, write_as(source, ".mp4").file),
              "Walk\nAnne\n");
}

// libav keeps the last text of a name, and the first of a box.
TEST_F(MediaVideoTags, SeveralTextsOfOneNameAreNamed) {
    const std::string zeros(4, '\0');
    const auto entry = [&](const std::string& value) {
        return box("data", std::string("\0\0\0\1", 4) + zeros + value);
    };
    const auto text = [&](const std::string& language, const std::string& value) {
        return big32(value.size()).substr(2) + language + value;
    };
    const std::string list = box("ilst", box("\xA9"
                                             "ART",
                                             entry("Ann") + entry("Eve")) +
                                             box("\xA9"
                                                 "ART",
                                                 entry("Bob")) +
                                             box("\xA9nam", entry("Walk")));
    const std::string meta = box("meta", zeros + box("hdlr", std::string(25, '\0')) + list);
    const fs::path source = with_user_data(
        "several.mp4", meta + box("\xA9nam", text("\x15\xC7", "Walk") + text("\x1A\x45", "Tour")));
    const UnreadMetadata found = find_unread_metadata(InputFile(source.string()), "mov,mp4");
    EXPECT_THAT(found.lost, testing::UnorderedElementsAre("©ART=Ann, which another one follows",
                                                          "©ART=Eve, which another one follows",
                                                          "©nam=Tour, which another one follows"));
}

}  // namespace
}  // namespace weft
