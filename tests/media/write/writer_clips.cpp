#include "tests/media/write/writer_clips.h"

#include <map>

#include "tests/support/clips.h"

namespace weft::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBase =
    "-f lavfi -i testsrc2=s=160x90:r=25:d=1 -f lavfi -i sine=d=1 -c:v libx264 -preset ultrafast "
    "-bf 2 -c:a aac -shortest";

// A leading "@" names another clip, or a file made by make_parts().
const std::map<std::string, std::string>& recipes() {
    static const std::map<std::string, std::string> all{
        {"base.mp4", kBase},
        {"silent.mp4",
         "-f lavfi -i testsrc2=s=160x90:r=25:d=0.4 -c:v libx264 -preset ultrafast -bf 2"},
        {"ntsc.mp4",
         "-f lavfi -i testsrc2=s=160x90:r=30000/1001:d=1 -c:v libx264 -preset ultrafast"},
        {"vfr.mkv",
         "-f lavfi -i testsrc2=s=160x90:r=30:d=1 -vf "
         "'select=not(eq(mod(n\\,7)\\,3))*not(between(n\\,10\\,16))' -vsync vfr -c:v libx264 "
         "-preset ultrafast"},
        {"ten.mp4",
         "-f lavfi -i testsrc2=s=160x90:r=25:d=0.4 -pix_fmt yuv420p10 -c:v libx264 -preset "
         "ultrafast"},
        {"ten422.mkv",
         "-f lavfi -i testsrc2=s=160x90:r=25:d=0.4 -pix_fmt yuv422p10 -c:v libx264 -preset "
         "ultrafast"},
        {"full444.mkv",
         "-f lavfi -i testsrc2=s=160x90:r=25:d=0.4 -pix_fmt yuv444p -color_range pc -c:v ffv1"},
        {"twelve.mkv", "-f lavfi -i testsrc2=s=160x90:r=25:d=0.4 -pix_fmt yuv420p12 -c:v ffv1"},
        {"gray.mkv", "-f lavfi -i testsrc2=s=160x90:r=25:d=0.4 -pix_fmt gray -c:v ffv1"},
        {"alpha.mov",
         "-f lavfi -i testsrc2=s=160x90:r=25:d=0.4 -vf format=rgba,colorchannelmixer=aa=0.5 -c:v "
         "png"},
        {"rgb.mkv", "-f lavfi -i testsrc2=s=160x90:r=25:d=0.4 -pix_fmt bgr0 -c:v ffv1"},
        {"odd.mkv",
         "-f lavfi -i testsrc2=s=160x90:r=25:d=0.4 -vf scale=161:91 -pix_fmt yuv420p -c:v ffv1"},
        {"odd422.mkv",
         "-f lavfi -i testsrc2=s=160x90:r=25:d=0.4 -vf scale=161:90 -pix_fmt yuv422p -c:v ffv1"},
        {"wide.mp4",
         "-f lavfi -i testsrc2=s=160x90:r=25:d=0.4 -vf setsar=4/3 -c:v libx264 -preset ultrafast"},
        {"turned.mp4", "-i @base.mp4 -c copy -metadata:s:v rotate=90"},
        {"delayed.mkv", "-itsoffset 0.5 -i @base.mp4 -i @base.mp4 -map 0:v -map 1:a -c copy"},
        {"opus.webm", "-i @base.mp4 -c:v libvpx-vp9 -cpu-used 8 -deadline realtime -c:a libopus"},
        {"flac.mkv", "-i @base.mp4 -c:v copy -c:a flac"},
        {"two.mkv",
         "-i @base.mp4 -i @ten.mp4 -map 0:v -map 0:a -map 1:v -map 0:a -c copy "
         "-metadata:s:a:0 language=fre -metadata:s:a:1 language=ger -disposition:a:1 "
         "hearing_impaired"},
        {"hdr.mkv",
         "-f lavfi -i testsrc2=s=160x90:r=25:d=0.4 -pix_fmt yuv420p10 -c:v libx265 -preset "
         "ultrafast -color_primaries bt2020 -color_trc smpte2084 -colorspace bt2020nc -x265-params "
         "log-level=error:master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L("
         "10000000,1):max-cll=1000,400"},
        {"fields.mkv",
         "-f lavfi -i testsrc2=s=160x96:r=25:d=0.4 -vf setfield=tff -flags +ilme+ildct -c:v "
         "mpeg2video -q:v 3"},
    };
    return all;
}

// Clips for individual tests.
const std::map<std::string, std::string>& special_recipes() {
    static const std::map<std::string, std::string> all{
        {"vfrsound.mp4", "-i @vfr.mkv -i @base.mp4 -map 0:v -map 1:a -c copy"},
        {"jitter.mp4",
         "-f lavfi -i testsrc2=s=160x90:r=30:d=1 -i @base.mp4 -map 0:v -map 1:a -vf "
         "'settb=1/90000,setpts=N*3003+mod(N*7919\\,1500)' -enc_time_base 1/90000 -vsync vfr "
         "-video_track_timescale 90000 -c:v libx264 -preset ultrafast -c:a copy"},
        {"fine.nut",
         "-f lavfi -i testsrc2=s=160x90:r=1:d=6 -vf settb=1/200000000 -enc_time_base 1/200000000 "
         "-c:v libx264 -preset veryfast -bf 3"},
        {"slides.mp4",
         "-f lavfi -i testsrc2=s=160x90:r=25:d=0.4 -vf "
         "'setpts=if(lt(N\\,5)\\,N*40\\,N*77777)/1000/TB' "
         "-vsync vfr -video_track_timescale 1000 -enc_time_base 1/1000 -c:v libx264 -preset "
         "ultrafast"},
        {"late.mkv", "-i @base.mp4 -itsoffset 0.5 -i @jitter.mp4 -map 0:a -map 1:v -c copy"},
        {"cover.jpg", "-f lavfi -i color=red:s=32x32:d=0.04 -frames:v 1"},
        {"rich.mkv",
         "-i @base.mp4 -i @texts.srt -i @tags.txt -map 0 -map 1 -map_metadata 2 -c copy -c:s srt "
         "-attach @font.ttf -metadata:s:t mimetype=application/x-truetype-font -attach @cover.jpg "
         "-metadata:s:t:1 mimetype=image/jpeg -metadata:s:t:1 filename=cover.jpg -metadata:s:a:0 "
         "language=fre -metadata:s:s:0 language=ger -disposition:s:0 forced -disposition:a:0 "
         "+original+default"},
        {"rich.mp4",
         "-i @base.mp4 -i @texts.srt -i @cover.jpg -i @tags.txt -map 0 -map 1 -map 2 -map_metadata "
         "3 -c copy -c:s mov_text -disposition:v:1 attached_pic -metadata:s:a:0 language=fre "
         "-metadata:s:s:0 language=ger"},
        {"timecode.mov", "-i @base.mp4 -c copy -timecode 01:00:00:00"},
        {"fast.mp4", "-f lavfi -i testsrc2=s=160x90:r=60:d=0.5 -c:v libx264 -preset ultrafast"},
        {"silence.mkv",
         "-f lavfi -i testsrc2=s=160x90:r=25:d=3 -f lavfi -i sine=d=3 -af "
         "'aselect=not(between(t\\,1\\,2))' -c:v libx264 -preset ultrafast -c:a pcm_s16le"},
    };
    return all;
}

Bytes bytes_of(std::string_view text) {
    return {text.begin(), text.end()};
}

void make_parts() {
    static const bool made = [] {
        write_bytes("texts.srt", bytes_of("1\n00:00:00,100 --> 00:00:00,500\nHello <i>world</i>\n"
                                          "\n2\n00:00:00,600 --> 00:00:00,900\nSecond line\n"));
        write_bytes("tags.txt", bytes_of(";FFMETADATA1\ntitle=The title\ncustom_tag=my value\n"
                                         "artist=Someone\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\n"
                                         "END=400\ntitle=First\n[CHAPTER]\nTIMEBASE=1/1000\n"
                                         "START=400\nEND=1000\ntitle=Second\n"));
        write_bytes("font.ttf", Bytes(2000, 0x5A));
        return true;
    }();
    (void)made;
}

const std::string& recipe_of(const std::string& name) {
    const auto special = special_recipes().find(name);
    return special != special_recipes().end() ? special->second : recipes().at(name);
}

bool has_recipe(const std::string& name) {
    return special_recipes().contains(name) || recipes().contains(name);
}

}  // namespace

std::vector<std::string> clip_names() {
    std::vector<std::string> names;
    for (const auto& [name, recipe] : recipes()) names.push_back(name);
    return names;
}

fs::path clip(const std::string& name) {
    make_parts();
    const std::string& recipe = recipe_of(name);
    for (std::size_t at = 0; (at = recipe.find('@', at)) != std::string::npos; ++at) {
        const std::string other = recipe.substr(at + 1, recipe.find(' ', at) - at - 1);
        if (has_recipe(other)) clip(other);
    }
    return make_clip(name, recipe);
}

}  // namespace weft::test
