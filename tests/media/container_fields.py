"""The structural fields of media files: sizes, types, counts, numbers, times, flags and checksums.

fields(name, data) lists those of a file. repair(name, data) makes its checksums fit again, so that a
changed field is not found by its checksum alone.
"""

import dataclasses
import struct
import zlib


@dataclasses.dataclass(frozen=True)
class Field:
    """A number in a file. Fields with equal names hold values of one kind."""
    name: str
    at: int
    width: int                # in bytes
    order: str = "big"
    bits: int = 0             # that hold the value, if not all of them
    kinds: tuple = ()         # other valid values of an identifier, as bytes

    def mask(self):
        return (1 << (self.bits or 8 * self.width)) - 1

    def get(self, data):
        return int.from_bytes(data[self.at:self.at + self.width], self.order) & self.mask()

    def put(self, data, value):
        kept = int.from_bytes(data[self.at:self.at + self.width], self.order) & ~self.mask()
        data[self.at:self.at + self.width] = (kept | value & self.mask()).to_bytes(self.width,
                                                                                   self.order)


def numbers(name, begin, end, width=4, order="big", most=1024):
    """The numbers of equal width between two bytes; the first ones have names of their own."""
    for index, at in enumerate(range(begin, min(end, begin + most * width) - width + 1, width)):
        yield Field(f"{name}.{min(index, 23)}", at, width, order)


def crc_of(data, crc=0):
    """The CRC-32 of Ogg and NUT, which zlib does not have: high bit first, not inverted."""
    for byte in data:
        crc = (crc << 8) & 0xFFFFFFFF ^ CRC_TABLE[crc >> 24 ^ byte]
    return crc


def crc_step(value):
    for _ in range(8):
        value = value << 1 ^ (0x104C11DB7 if value & 0x80000000 else 0)
    return value


CRC_TABLE = [crc_step(byte << 24) for byte in range(256)]


# ---- Matroska ------------------------------------------------------------------------------------

MASTERS = {0x1A45DFA3: "EBML", 0x18538067: "Segment", 0x1F43B675: "Cluster", 0xA0: "BlockGroup",
           0x75A1: "BlockAdditions", 0xA6: "BlockMore", 0x1549A966: "Info", 0x1654AE6B: "Tracks",
           0xAE: "TrackEntry", 0xE0: "Video", 0xE1: "Audio", 0x55B0: "Colour", 0x114D9B74: "SeekHead",
           0x4DBB: "Seek", 0x1C53BB6B: "Cues", 0xBB: "CuePoint", 0xB7: "CueTrackPositions",
           0x1254C367: "Tags", 0x7373: "Tag", 0x63C0: "Targets", 0x67C8: "SimpleTag",
           0x1043A770: "Chapters", 0x1941A469: "Attachments", 0x8E: "Slices"}
BLOCKS = {0xA3, 0xA1}
# Identifiers that others are changed to, by length: those of parts that may be anywhere, of level 1,
# and of the parts of clusters and tracks.
MATROSKA_IDS = tuple(bytes.fromhex(word) for word in (
    "EC BF A3 A0 A1 A2 AF AB A7 E7 9B FB FD A4 A6 E0 E1 86 D7 83 AE B5 85 75A1 75A2 63A2 6D80 5854 "
    "4DBB 7373 536E 258688 22B59C 23E383 2AD7B1 1F43B675 1C53BB6B 1254C367 1941A469 1043A770 1549A966 "
    "1654AE6B 114D9B74").split())


def vint(data, at, keep_marker):
    """A number of EBML, and the place after it."""
    length = 9 - data[at].bit_length()
    value = int.from_bytes(data[at:at + length], "big")
    return value if keep_marker else value & ((1 << 7 * length) - 1), at + length


def elements(data, begin, end, parent=""):
    """(parent, ID, place, place of its size, begin, end) of elements and those in them."""
    while begin < end:
        name, at = vint(data, begin, True)
        size, inside = vint(data, at, False)
        after = end if size == (1 << 7 * (inside - at)) - 1 else min(end, inside + size)
        yield parent, name, begin, at, inside, after
        if name in MASTERS:
            yield from elements(data, inside, after, MASTERS[name])
        begin = after


def matroska(data):
    for parent, name, place, at, inside, after in elements(data, 0, len(data)):
        kinds = tuple(kind for kind in MATROSKA_IDS if len(kind) == at - place)
        yield Field(f"{parent} id", place, at - place, kinds=kinds)
        yield Field(f"{MASTERS.get(name, f'{name:X}')} size", at, inside - at,
                    bits=7 * (inside - at))
        if name in BLOCKS:
            yield Field("block track", inside, 1, bits=7)
            yield Field("block time", inside + 1, 2)
            yield Field("block flags", inside + 3, 1)
            if data[inside + 3] & 0x06:
                yield from numbers("lacing", inside + 4, inside + 8, 1)
        elif name not in MASTERS and after - inside <= 8 and after > inside:
            yield Field(f"{parent} {name:X}", inside, after - inside)
        elif name not in MASTERS:
            yield from numbers(f"{parent} {name:X}", inside, after, 1, most=6)


def repair_matroska(data):
    found = list(elements(data, 0, len(data)))
    for parent, name, _, _, inside, after in reversed(found):
        if name != 0xBF or after - inside != 4:
            continue
        end = next((e for _, n, _, _, b, e in found if b <= inside < e and MASTERS.get(n) == parent
                    and n != 0x18538067), None)
        if end:
            data[inside:after] = struct.pack("<I", zlib.crc32(data[after:end]))


def packets(data):
    """(time, flags, content) of the blocks of each track, by its kind and its number of that kind.

    The file is one that weft wrote: its sizes are known, and each block has one frame.
    """
    found, tracks, kinds, time = {}, {}, {}, 0
    for parent, name, _, _, inside, after in elements(data, 0, len(data)):
        value = int.from_bytes(data[inside:min(after, inside + 8)], "big")
        if (parent, name) == ("TrackEntry", 0xD7):
            track = value
        elif (parent, name) == ("TrackEntry", 0x83):
            kind = {1: "video", 2: "audio", 17: "subtitle"}.get(value, "other")
            kinds[kind] = kinds.get(kind, -1) + 1
            found[kind, kinds[kind]] = tracks[track] = []
        elif (parent, name) == ("Cluster", 0xE7):
            time = value
        elif name in BLOCKS:
            track, begin = vint(data, inside, False)
            late = int.from_bytes(data[begin:begin + 2], "big", signed=True)
            tracks[track].append((time + late, data[begin + 2], data[begin + 3:after]))
    return found


def element(name, content):
    size = (1 << 56 | len(content)).to_bytes(8, "big")
    return bytes.fromhex(name) + size + content


def children(data, inside, after):
    """(ID, whole bytes, content) of the direct parts of an element."""
    while inside < after:
        name, at = vint(data, inside, True)
        size, begin = vint(data, at, False)
        end = min(after, begin + size)
        yield name, data[inside:end], data[begin:end]
        inside = end


def rebuilt(data, cluster):
    """The header, info, tracks and clusters alone, each cluster changed by a function."""
    head, segment = list(children(data, 0, len(data)))[:2]
    body = b""
    for name, whole, content in children(segment[2], 0, len(segment[2])):
        if name == 0x1F43B675:
            body += element("1F43B675", cluster(list(children(content, 0, len(content)))))
        elif name in (0x1549A966, 0x1654AE6B):
            body += whole
    return head[1] + element("18538067", body)


def with_block_groups(data):
    """As old programs write it: a BlockGroup for every frame, and no checksums."""
    def cluster(parts):
        out = b""
        for name, whole, content in parts:
            if name == 0xA3:
                block = element("A1", content[:3] + b"\0" + content[4:])
                key = content[3] & 0x80
                out += element("A0", block + (b"" if key else element("FB", b"\xD8")))
            elif name != 0xBF:
                out += whole
        return out
    return rebuilt(data, cluster)


def with_laces(data):
    """As mkvmerge writes sound: up to four frames of track 2 per block, Xiph's lacing."""
    def laced(blocks):
        if len(blocks) < 2:
            return b"".join(element("A3", block) for block in blocks)
        sizes = b"".join(b"\xFF" * ((len(block) - 4) // 255) + bytes([(len(block) - 4) % 255])
                         for block in blocks[:-1])
        head = blocks[0][:3] + b"\x82" + bytes([len(blocks) - 1])
        return element("A3", head + sizes + b"".join(block[4:] for block in blocks))

    def cluster(parts):
        out, waiting = b"", []
        for name, whole, content in parts:
            if name == 0xA3 and content[0] == 0x82:
                waiting.append(content)
                if len(waiting) == 4:
                    out += laced(waiting)
                    waiting = []
            elif name != 0xBF:
                out += whole
        return out + laced(waiting)
    return rebuilt(data, cluster)


# ---- MP4, MOV ------------------------------------------------------------------------------------

BOX_KINDS = tuple(b"free skip wide uuid mdat moof moov trak mdia minf stbl stts stsz stsc stco ctts "
                  b"elst traf tfdt trun".split())
# Boxes that contain others, and the bytes before the first of these.
BOXES = {b"moov": 0, b"trak": 0, b"mdia": 0, b"minf": 0, b"stbl": 0, b"edts": 0, b"moof": 0,
         b"traf": 0, b"mvex": 0, b"udta": 0, b"dinf": 0, b"mfra": 0, b"stsd": 8, b"avc1": 78,
         b"apch": 78, b"jpeg": 78, b"mp4v": 78, b"mp4a": 28, b"sowt": 28}


def mp4(data, begin=0, end=None):
    end = len(data) if end is None else end
    while begin + 8 <= end:
        size, kind = struct.unpack_from(">I4s", data, begin)
        after = end if size < 8 or begin + size > end else begin + size
        name = kind.decode("latin-1")
        yield Field(f"{name} size", begin, 4)
        yield Field("box type", begin + 4, 4, kinds=BOX_KINDS)
        if kind in BOXES:
            yield from numbers(name, begin + 8, begin + 8 + BOXES[kind])
            yield from mp4(data, begin + 8 + BOXES[kind], after)
        elif kind not in (b"mdat", b"free"):
            yield from numbers(name, begin + 8, after)
        begin = after


# ---- AVI -----------------------------------------------------------------------------------------

CHUNK_KINDS = tuple(b"JUNK LIST RIFF idx1 00dc 00db 01wb 01dc 00wb 02wb ix00 strf strh".split())


def avi(data, begin=0, end=None):
    end = len(data) if end is None else end
    while begin + 8 <= end:
        kind, size = struct.unpack_from("<4sI", data, begin)
        after = min(end, begin + 8 + size + size % 2)
        name = kind.decode("latin-1")
        yield Field("chunk type", begin, 4, kinds=CHUNK_KINDS)
        yield Field(f"{name} size", begin + 4, 4, "little")
        if kind in (b"RIFF", b"LIST"):
            yield Field("list type", begin + 8, 4, kinds=(b"movi", b"hdrl", b"strl", b"INFO"))
            yield from avi(data, begin + 12, after)
        elif name in ("avih", "strh", "strf", "idx1", "indx", "dmlh", "vprp"):
            yield from numbers(name, begin + 8, after, order="little")
        begin = after


# ---- FLV -----------------------------------------------------------------------------------------

def flv(data):
    yield from numbers("magic", 0, 3, 1)
    yield Field("version", 3, 1)
    yield Field("streams", 4, 1)
    yield Field("header size", 5, 4)
    begin = 9
    while begin + 15 <= len(data):
        size = int.from_bytes(data[begin + 5:begin + 8], "big")
        yield Field("size before", begin, 4)
        yield Field("type", begin + 4, 1, kinds=(b"\x08", b"\x09", b"\x12", b"\x28", b"\x29"))
        yield Field("size", begin + 5, 3)
        yield Field("time", begin + 8, 3)
        yield Field("high time", begin + 11, 1)
        yield Field("stream", begin + 12, 3)
        kind, first = data[begin + 4], data[begin + 15]
        most = {8: 2 if first >> 4 == 10 else 1, 9: 5 if first & 15 == 7 else 1}.get(kind, 400)
        yield from numbers(f"start {kind}", begin + 15, begin + 15 + size, 1, most=most)
        begin += 15 + size
    yield Field("size before", len(data) - 4, 4)


# ---- GIF -----------------------------------------------------------------------------------------

def colours(flags):
    return 3 << (flags & 7) + 1 if flags & 0x80 else 0


def sub_blocks(data, at):
    """The length fields up to the one that is zero, and the place after it."""
    found = [Field("length", at, 1)]
    while data[at]:
        at += data[at] + 1
        found.append(Field("length", at, 1))
    return found, at + 1


def gif(data):
    yield from numbers("magic", 0, 6, 1)
    yield from numbers("screen", 6, 10, 2, "little")
    yield from numbers("screen flags", 10, 13, 1)
    at = 13 + colours(data[10])
    while at < len(data):
        yield Field("block", at, 1, kinds=(b"\x21", b"\x2C", b"\x3B", b"\0"))
        if data[at] == 0x21:
            yield Field("label", at + 1, 1, kinds=(b"\xF9", b"\xFF", b"\xFE", b"\x01"))
            yield from numbers("control", at + 3, at + 8, 1)
            lengths, at = sub_blocks(data, at + 2)
            yield from lengths
        elif data[at] == 0x2C:
            yield from numbers("image", at + 1, at + 9, 2, "little")
            yield from numbers("image flags", at + 9, at + 10, 1)
            at += 10 + colours(data[at + 9])
            yield Field("code size", at, 1)
            lengths, at = sub_blocks(data, at + 1)
            yield from lengths
        else:
            at = len(data)


# ---- APNG ----------------------------------------------------------------------------------------

PNG_KINDS = tuple(b"IHDR acTL fcTL fdAT IDAT IEND tEXt zzZz PLTE".split())


def png_chunks(data):
    at = 8
    while at + 12 <= len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        if at + 12 + size > len(data):
            return
        yield at, size, kind
        at += 12 + size


def apng(data):
    yield from numbers("magic", 0, 8, 1)
    for at, size, kind in png_chunks(data):
        name = kind.decode("latin-1")
        yield Field(f"{name} size", at, 4)
        yield Field("type", at + 4, 4, kinds=PNG_KINDS)
        yield Field("checksum", at + 8 + size, 4)
        if kind in (b"IHDR", b"acTL", b"fcTL"):
            yield from numbers(name, at + 8, at + 8 + size)
            yield from numbers(f"{name} bytes", at + 8, at + 8 + size, 1)
        elif kind == b"fdAT":
            yield Field("sequence", at + 8, 4)


def repair_png(data):
    for at, size, _ in png_chunks(data):
        data[at + 8 + size:at + 12 + size] = struct.pack(">I", zlib.crc32(data[at + 4:at + 8 + size]))


# ---- Ogg -----------------------------------------------------------------------------------------

def ogg_pages(data):
    at = 0
    while at + 27 <= len(data) and data[at:at + 4] == b"OggS":
        segments = data[at + 26]
        size = 27 + segments + sum(data[at + 27:at + 27 + segments])
        yield at, segments, size
        at += size


def ogg(data):
    for at, segments, _ in ogg_pages(data):
        yield from numbers("magic", at, at + 4, 1)
        yield Field("version", at + 4, 1)
        yield Field("flags", at + 5, 1)
        yield Field("granule", at + 6, 8, "little")
        yield Field("serial", at + 14, 4, "little")
        yield Field("sequence", at + 18, 4, "little")
        yield Field("checksum", at + 22, 4, "little")
        yield Field("segments", at + 26, 1)
        yield from numbers("lacing", at + 27, at + 27 + segments, 1)
        if data[at + 18] < 2:  # pages of the decoder's headers
            yield from numbers("start", at + 27 + segments, at + 67 + segments, 1)


def repair_ogg(data):
    for at, _, size in list(ogg_pages(data)):
        data[at + 22:at + 26] = bytes(4)
        data[at + 22:at + 26] = struct.pack("<I", crc_of(data[at:at + size]))


# ---- NUT -----------------------------------------------------------------------------------------

NUT_CODES = tuple(bytes.fromhex(word) for word in (
    "4E4D7A561F5F04AD 4E5311405BF2F9DB 4E4BE4ADEECA4569 4E58DD672F23E64E 4E49AB68B596BA78").split())


def nut_packets(data):
    """(place, begin, end) of packets with start codes."""
    for code in NUT_CODES:
        at = data.find(code)
        while at >= 0:
            size, begin = 0, at + 8
            while data[begin] & 0x80:
                size, begin = size << 7 | data[begin] & 0x7F, begin + 1
            size, begin = size << 7 | data[begin], begin + 1
            begin += 4 if size > 4096 else 0
            if begin + size <= len(data):
                yield at, begin, begin + size
            at = data.find(code, at + 8)


def nut(data):
    for at, begin, end in nut_packets(data):
        name = NUT_CODES.index(data[at:at + 8])
        yield Field("code", at, 8, kinds=NUT_CODES)
        yield from numbers(f"size {name}", at + 8, begin, 1)
        yield from numbers(f"packet {name}", begin, min(end, begin + 200), 1, most=200)
        if name == 2:  # after a syncpoint come the headers of frames
            yield from numbers("frame", end, end + 6, 1)


def repair_nut(data):
    for _, begin, end in list(nut_packets(bytes(data))):
        data[end - 4:end] = struct.pack(">I", crc_of(data[begin:end - 4]))


# ---- ASF -----------------------------------------------------------------------------------------

ASF_HEADER = bytes.fromhex("3026B2758E66CF11A6D900AA0062CE6C")
ASF_DATA = bytes.fromhex("3626B2758E66CF11A6D900AA0062CE6C")
ASF_FILE = bytes.fromhex("A1DCAB8C47A9CF118EE400C00C205365")


def asf(data, begin=0, end=None):
    end = len(data) if end is None else end
    packet = struct.unpack_from("<I", data, data.find(ASF_FILE) + 92)[0]
    while begin + 24 <= end:
        kind, size = data[begin:begin + 16], int.from_bytes(data[begin + 16:begin + 24], "little")
        after = min(end, begin + max(size, 24))
        yield from numbers("object", begin, begin + 16, 1)
        yield Field("object size", begin + 16, 8, "little")
        if kind == ASF_HEADER:
            yield Field("objects", begin + 24, 4, "little")
            yield from asf(data, begin + 30, after)
        elif kind == ASF_DATA:
            yield Field("packets", begin + 40, 8, "little")
            for at in range(begin + 50, after, packet):
                yield from numbers("packet", at, min(at + 40, after), 1, most=40)
        else:
            yield from numbers(f"object {kind[:2].hex()}", begin + 24, after, order="little")
        begin = after


# ---- MPEG-TS -------------------------------------------------------------------------------------

def ts(data):
    for at in range(0, len(data) - 187, 188):
        yield Field("sync", at, 1)
        yield Field("pid", at + 1, 2, bits=13)
        yield Field("unit", at + 1, 1)
        yield Field("control", at + 3, 1)
        begin = at + 4
        if data[at + 3] & 0x20:
            yield from numbers("adaptation", at + 4, at + 7, 1)
            begin += 1 + data[at + 4]
        if data[at + 1] & 0x40:
            table = int.from_bytes(data[at + 1:at + 3], "big") & 0x1FFF in (0, 0x11, 0x1000)
            yield from numbers("table" if table else "header", begin, min(begin + 30, at + 188), 1)


# ---- RealMedia -----------------------------------------------------------------------------------

def real_media(data):
    begin = 0
    while begin + 10 <= len(data):
        kind, size = struct.unpack_from(">4sI", data, begin)
        name = kind.decode("latin-1")
        yield Field("chunk type", begin, 4, kinds=(b".RMF", b"PROP", b"MDPR", b"CONT", b"DATA"))
        yield Field(f"{name} size", begin + 4, 4)
        yield Field(f"{name} version", begin + 8, 2)
        if kind == b"DATA":
            yield from numbers("DATA", begin + 10, begin + 18)
            begin += 18
            while begin + 12 <= len(data) and data[begin:begin + 2] == b"\0\0":
                yield from numbers("packet", begin, begin + 6, 2)
                video = data[begin + 5] == 0
                yield from numbers("packet rest", begin + 6, begin + (20 if video else 12), 1)
                begin += max(12, int.from_bytes(data[begin + 2:begin + 4], "big"))
            return
        yield from numbers(name, begin + 10, begin + size, 2, most=60)
        begin += max(size, 8)


# ---- IVF -----------------------------------------------------------------------------------------

def ivf(data):
    yield from numbers("header", 0, 32, 2, "little")
    begin = 32
    while begin + 12 <= len(data):
        yield Field("size", begin, 4, "little")
        yield Field("time", begin + 4, 8, "little")
        begin += 12 + int.from_bytes(data[begin:begin + 4], "little")


# ---- all -----------------------------------------------------------------------------------------

FIELDS = {"mkv": matroska, "webm": matroska, "mp4": mp4, "mov": mp4, "avi": avi, "flv": flv,
          "gif": gif, "apng": apng, "ogv": ogg, "nut": nut, "asf": asf, "ts": ts, "rm": real_media,
          "ivf": ivf}
REPAIRS = {"mkv": repair_matroska, "webm": repair_matroska, "apng": repair_png, "ogv": repair_ogg,
           "nut": repair_nut}


def fields(extension, data):
    return list(FIELDS[extension](data))


def repair(extension, data):
    """Makes the checksums of a bytearray fit, as far as its structure can still be followed."""
    if extension in REPAIRS:
        try:
            REPAIRS[extension](data)
        except (IndexError, struct.error):
            pass
