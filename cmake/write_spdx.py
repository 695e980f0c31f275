#!/usr/bin/env python3
"""Writes the SPDX 2.3 list of what an archive holds: write_spdx.py STAGE NAME VERSION.

Standard output is the JSON: the program, each library's Debian package with its source (from
STAGE/share/doc/warpweft/libraries/VERSIONS), and every file with its hashes.
"""

import datetime
import hashlib
import json
import os
import pathlib
import re
import sys

VERSIONS_LINE = re.compile(r"(\S+) (\S+) \(source (\S+) (\S+)\)")


def distribution():
    """The ID of this machine's distribution, whose packages were bundled: debian or ubuntu."""
    for line in pathlib.Path("/etc/os-release").read_text().splitlines():
        key, _, value = line.partition("=")
        if key == "ID":
            return value.strip('"')
    return "linux"


def spdx_id(kind, name):
    return f"SPDXRef-{kind}-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def library(line):
    match = VERSIONS_LINE.fullmatch(line)
    if match is None:
        sys.exit(f"write_spdx: not a line of VERSIONS: {line}")
    package, version, source, source_version = match.groups()
    return {
        "SPDXID": spdx_id("Package", package),
        "name": package,
        "versionInfo": version,
        "sourceInfo": f"built from the source package {source} {source_version}",
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "NOASSERTION",
        "copyrightText": "NOASSERTION",
        "comment": f"share/doc/warpweft/libraries/{package}.copyright holds its licence",
        "externalRefs": [{
            "referenceCategory": "PACKAGE-MANAGER",
            "referenceType": "purl",
            "referenceLocator": f"pkg:deb/{distribution()}/{package}@{version}?arch=amd64",
        }],
    }


def file_entry(path, stage):
    data = path.read_bytes()
    name = "./" + path.relative_to(stage).as_posix()
    return {
        "SPDXID": spdx_id("File", name),
        "fileName": name,
        "checksums": [
            {"algorithm": "SHA1", "checksumValue": hashlib.sha1(data).hexdigest()},
            {"algorithm": "SHA256", "checksumValue": hashlib.sha256(data).hexdigest()},
        ],
        "licenseConcluded": "NOASSERTION",
        "copyrightText": "NOASSERTION",
    }


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    stage, name, version = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    listed = (stage / "share/doc/warpweft/libraries/VERSIONS").read_text().splitlines()
    libraries = [library(line) for line in sorted(set(listed))]
    files = [file_entry(path, stage) for path in sorted(stage.rglob("*"))
             if path.is_file() and not path.is_symlink()]
    digest = hashlib.sha256(json.dumps(files).encode()).hexdigest()
    created = int(os.environ.get("SOURCE_DATE_EPOCH", datetime.datetime.now().timestamp()))
    program = {
        "SPDXID": "SPDXRef-Package-warpweft",
        "name": "warpweft",
        "versionInfo": version,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "GPL-2.0-or-later",
        "licenseDeclared": "MIT",
        "copyrightText": "Copyright (c) 2026 The Warpweft authors",
        "comment": "The source is MIT; with the distribution's FFmpeg the whole is under the GPL.",
    }
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", program["SPDXID"])]
    relations += [(program["SPDXID"], "DEPENDS_ON", each["SPDXID"]) for each in libraries]
    relations += [(program["SPDXID"], "CONTAINS", each["SPDXID"]) for each in files]
    json.dump({
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": name,
        "documentNamespace": f"https://warpweft.github.io/spdx/{name}-{digest}",
        "creationInfo": {
            "created": datetime.datetime.fromtimestamp(created, datetime.timezone.utc)
                       .strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Tool: warpweft-write_spdx"],
        },
        "packages": [program, *libraries],
        "files": files,
        "relationships": [{"spdxElementId": one, "relationshipType": kind,
                           "relatedSpdxElement": other} for one, kind, other in relations],
    }, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
