#include "tests/media/read/reader_recipes.h"

#include <map>
#include <stdexcept>

#include "tests/support/clips.h"

namespace weft::test {

namespace {

// 60 frames, 2 s, 320×180: {V} video, {A} a tone, {X} fast H.264 with a key frame every 15 frames.
const std::map<std::string, std::string>& recipes() {
    static const std::map<std::string, std::string> table = {
        {"plain.mp4", "{V} {A} {X} -c:a aac"},
        {"faststart.mp4", "{V} {A} {X} -bf 2 -c:a aac -movflags +faststart"},
        {"fragments.mp4", "{V} {A} {X} -c:a aac -movflags frag_keyframe+empty_moov"},
        {"dash.mp4", "-i @plain.mp4 -c copy -movflags dash"},
        {"cmaf.mp4", "-i @plain.mp4 -c copy -movflags cmaf"},
        {"separate.mp4", "-i @plain.mp4 -c copy -movflags frag_keyframe+empty_moov+separate_moof"},
        {"every.mp4", "-i @plain.mp4 -c copy -movflags frag_every_frame+empty_moov"},
        {"smooth.mp4", "-i @plain.mp4 -c copy -movflags frag_keyframe+empty_moov+isml"},
        {"hybrid.mp4", "-i @plain.mp4 -c copy -movflags frag_keyframe"},
        {"hint.mp4", "-i @plain.mp4 -c copy -movflags rtphint"},
        {"late.mp4", "{V} -itsoffset 0.7 {A} {X} -c:a aac"},
        {"subtitles.mp4", "-i @plain.mp4 -i @lines.srt -c copy -c:s mov_text"},
        {"ima.mov", "-i @plain.mp4 -c:v copy -c:a adpcm_ima_qt"},
        {"alaw.mov", "-i @plain.mp4 -c:v copy -c:a pcm_alaw"},
        {"pcm.mov", "-i @plain.mp4 -c:v copy -c:a pcm_s16le"},
        {"stamped.mov", "-i @plain.mp4 -c copy -timecode 01:00:00:00"},
        {"vbr.avi", "{V} {A} -c:v mpeg4 -c:a libmp3lame -q:a 4"},
        {"plain.mov", "{V} {A} {X} -bf 2 -c:a aac"},
        {"plain.mkv", "{V} {A} {X} -bf 2 -c:a aac -cluster_time_limit 500"},
        {"plain.ts", "{V} {A} {X} -bf 2 -c:a aac"},
        {"mpeg4.avi", "{V} {A} -c:v mpeg4 -bf 2 -q:v 5 -c:a mp2"},
        {"mjpeg.avi", "{V} {A} -c:v mjpeg -q:v 5 -c:a pcm_s16le"},
        {"h264.avi", "{V} {A} {X} -bf 2 -c:a mp2"},
        {"yuyv.avi", "{V} -c:v rawvideo -pix_fmt yuyv422"},
        {"vp8.webm", "{V} {A} -c:v libvpx {Q} -c:a libopus"},
        {"vp8hidden.webm",
         "{V} -c:v libvpx -cpu-used 8 -auto-alt-ref 1 -lag-in-frames 16 -s 160x90"},
        {"vp9.webm", "{V} {A} -c:v libvpx-vp9 {Q} -c:a libopus -cluster_time_limit 500"},
        {"vp9hidden.webm",
         "{V} -c:v libvpx-vp9 -cpu-used 8 -auto-alt-ref 1 -lag-in-frames 25 -s 160x90"},
        {"vp8alpha.webm", "{V} -vf format=yuva420p -t 0.5 -c:v libvpx {Q} -auto-alt-ref 0"},
        {"vp9alpha.webm", "{V} -vf format=yuva420p -t 0.5 -c:v libvpx-vp9 {Q}"},
        {"ffv1.nut", "{V} {A} -c:v ffv1 -level 3 -slicecrc 1 -c:a pcm_s16le"},
        {"h264.nut", "{V} {A} {X} -bf 2 -c:a aac"},
        {"jpeg2000.mxf", "{V} -t 0.5 -c:v jpeg2000 -pix_fmt yuv422p"},
        {"late.nut", "{V} {X} -output_ts_offset 7.3"},
        {"anim.gif", "{V} -vf fps=10"},
        {"delays.gif", "{V} -vf fps=10,select='not(eq(mod(n\\,5)\\,2))' -vsync vfr"},
        {"anim.apng", "{V} -vf fps=10 -f apng -plays 0"},
        {"still.png", "{V} -frames:v 1"},
        {"still16.png", "{V} -frames:v 1 -pix_fmt rgb48be"},
        {"palette.png", "{V} -frames:v 1 -pix_fmt pal8"},
        {"adam7.png", "{V} -frames:v 1 -flags +ildct"},
        {"mono.png", "{V} -frames:v 1 -pix_fmt monob"},
        {"still.jpg", "{V} -frames:v 1"},
        {"still.bmp", "{V} -frames:v 1"},
        {"still.tiff", "{V} -frames:v 1"},
        {"still.webp", "{V} -frames:v 1"},
        {"still.tga", "{V} -frames:v 1"},
        {"still.exr", "{V} -frames:v 1"},
        {"mpeg2.mpg", "{V} {A} -c:v mpeg2video -bf 2 -c:a mp2"},
        {"interlaced.ts",
         "{V} {A} -c:v mpeg2video -bf 2 -flags +ildct+ilme -top 1 -q:v 4 -c:a mp2"},
        {"interlaced.mp4", "{V} {X} -flags +ilme+ildct -x264opts tff=1"},
        {"raw.h264", "{V} {X} -bf 2"},
        {"raw.hevc", "{V} {H}"},
        {"raw.ivf", "{V} -c:v libvpx-vp9 {Q}"},
        {"raw.y4m", "{V}"},
        {"raw.mjpeg", "{V}"},
        {"theora.ogv", "{V} -c:v libtheora"},
        {"flash.flv", "{V} -c:v flv1"},
        {"sound.flv", "{V} {A} {X} -bf 2 -c:a aac"},
        {"raw.h263", "{V} -c:v h263 -s 176x144"},
        {"animated.webp", "{V} -vf fps=5 -c:v libwebp_anim"},
        {"windows.wmv", "{V} -c:v wmv2"},
        {"late.wmv", "{V} -c:v wmv2 -output_ts_offset 7.3"},
        {"longaudio.wmv", "{V} -f lavfi -i sine=d=4 -c:v wmv2 -c:a wmav2"},
        {"tape.dv", "{V} -c:v dvvideo -s 720x576 -r 25 -pix_fmt yuv420p -t 0.4"},
        {"prores.mov", "{V} -c:v prores"},
        {"hevc.mkv", "{V} {H}:open-gop=1:keyint=20:bframes=3"},
        {"hevc10.mp4", "{V} {H} -pix_fmt yuv420p10le"},
        {"444.mkv", "{V} {X} -pix_fmt yuv444p"},
        {"direct444.mp4",
         "{V} -c:v libx264 -preset medium -g 15 -pix_fmt yuv444p -x264-params "
         "8x8dct=0:bframes=5:b-adapt=0:b-pyramid=normal:direct=spatial"},
        {"gray8.mkv", "{V} -c:v ffv1 -pix_fmt gray"},
        {"av1.mkv", "{V} -c:v libaom-av1 -cpu-used 8 -usage realtime"},
        {"opengop.ts", "{V} {A} {X} -bf 3 -x264opts open-gop=1 -c:a aac"},
        {"opengop.mkv", "{V} -c:v libx264 -preset veryfast -g 12 -bf 3 -x264opts open-gop=1"},
        {"opengop.mp4", "-i @opengop.mkv -c copy"},
        {"cra.mkv",
         "{V} -c:v libx265 -preset veryfast -x265-params log-level=error:keyint=12:open-gop=1"},
        {"mpeg2.mkv", "{V} -c:v mpeg2video -g 12 -bf 2 -q:v 5"},
        {"opengopcut.ts", "-ss 0.7 -i @opengop.ts -c copy"},
        {"refresh.ts", "{V} {A} {X} -x264opts intra-refresh=1 -c:a aac"},
        {"edited.mp4", "-ss 0.7 -i @plain.mp4 -c copy"},
        {"edited.mov", "-ss 0.7 -i @faststart.mp4 -c copy"},
        {"rotated.mp4", "-i @plain.mp4 -c copy -metadata:s:v rotate=270"},
        {"drops.mkv", "{V} {X} -vf select='not(eq(mod(n\\,7)\\,3))' -vsync vfr"},
        {"vfr.mp4", "-i @drops.mkv -c copy"},
        {"longaudio.mp4", "{V} -f lavfi -i sine=d=4 {X} -c:a aac"},
        {"twovideos.mkv", "{V} -f lavfi -i testsrc=s=160x90:r=30:d=2 {X} -map 1 -map 0"},
        {"nodefault.mkv", "-i @twovideos.mkv -map 0 -c copy -disposition:v:0 0 -disposition:v:1 0"},
        {"cover.mp4",
         "-i @plain.mkv -i @still.png -map 0 -map 1 -c copy -disposition:v:1 attached_pic"},
        {"coveronly.mp3",
         "{A} -i @still.jpg -map 0 -map 1 -c:v copy -disposition:v:0 attached_pic"},
        {"tone.wav", "{A}"},
        {"chapters.mkv", "-i @plain.mkv -i @chapters.txt -map_metadata 1 -c copy"},
        {"live.mkv", "-i @plain.mkv -c copy -live 1 -f matroska"},
        {"sidedata.mkv",
         "{V} {H} -pix_fmt yuv420p10le -color_primaries bt2020 -color_trc smpte2084 "
         "-colorspace bt2020nc"},
        {"anamorphic.mp4", "{V} {X} -vf setsar=4/3"},
    };
    return table;
}

std::string replace_all(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at))
        text.replace(at, from.size(), to);
    return text;
}

std::string expand(std::string text) {
    text = replace_all(text, "{V}", "-f lavfi -i testsrc2=s=320x180:r=30:d=2");
    text = replace_all(text, "{A}", "-f lavfi -i sine=d=2");
    text = replace_all(text, "{X}", "-c:v libx264 -preset ultrafast -g 15");
    text = replace_all(text, "{Q}", "-deadline realtime -cpu-used 8");
    return replace_all(text, "{H}", "-c:v libx265 -preset ultrafast -x265-params log-level=error");
}

void make_chapters() {
    const std::string text =
        ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1000\ntitle=one\n"
        "[CHAPTER]\nTIMEBASE=1/1000\nSTART=1000\nEND=2000\ntitle=two\n";
    write_bytes("chapters.txt", Bytes(text.begin(), text.end()));
}

void make_lines() {
    const std::string text =
        "1\n00:00:00,300 --> 00:00:00,900\nHello\n\n2\n00:00:01,000 --> 00:00:01,400\nWorld\n";
    write_bytes("lines.srt", Bytes(text.begin(), text.end()));
}

}  // namespace

std::filesystem::path recipe(const std::string& name) {
    const auto found = recipes().find(name);
    if (found == recipes().end()) throw std::logic_error("no recipe for " + name);
    for (const std::string& word : split_words(found->second))
        if (word == "@chapters.txt")
            make_chapters();
        else if (word == "@lines.srt")
            make_lines();
        else if (word.starts_with('@'))
            recipe(word.substr(1));
    return make_clip(name, expand(found->second));
}

}  // namespace weft::test
