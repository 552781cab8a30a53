"""SPDX 2.3 documents of Debian packages: what is in a package, what it needs and what it was built with. tools/sbom is the program.

Equal packages give equal documents. `defects` checks any document against what the specification asks for."""
import datetime
import hashlib
import io
import re
import subprocess
import tarfile

import deb

# What Debian's copyright files say in the machine-readable form stands in a comment: their short names are not all SPDX's.
UNSAID = "NOASSERTION"
CREATOR = "Organization: the shingle developers"
COPYRIGHT = "Copyright (c) 2026 the shingle developers"


def identifier(*words):
    return "SPDXRef-" + "-".join(re.sub(r"[^A-Za-z0-9.-]", "-", word.replace("+", "plus")) for word in words)


def checksums(content):
    return [{"algorithm": name, "checksumValue": hashlib.new(name.lower(), content).hexdigest()} for name in ("SHA1", "SHA256")]


def files_of(package):
    """The files of a package, as SPDX has them. Links and folders are none."""
    archive = subprocess.run(["dpkg-deb", "--fsys-tarfile", str(package)], stdout=subprocess.PIPE, check=True).stdout
    found = []
    with tarfile.open(fileobj=io.BytesIO(archive)) as tree:
        for entry in sorted((entry for entry in tree if entry.isreg()), key=lambda entry: entry.name):
            name = "./" + entry.name.removeprefix("./")
            found.append({"SPDXID": identifier("File", name[2:]), "fileName": name, "checksums": checksums(tree.extractfile(entry).read()),
                          "licenseConcluded": UNSAID, "licenseInfoInFiles": [UNSAID], "copyrightText": UNSAID})
    return found


def verification_code(files):
    """Of the specification's section 7.9: SHA-1 of the sorted SHA-1s of all files."""
    sums = sorted(sum["checksumValue"] for file in files for sum in file["checksums"] if sum["algorithm"] == "SHA1")
    return hashlib.sha1("".join(sums).encode()).hexdigest()


def purl(fields):
    return {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
            "referenceLocator": f"pkg:deb/debian/{fields['Package'].replace('+', '%2B')}@{fields['Version'].replace('+', '%2B')}"
                                f"?arch={fields['Architecture']}"}


def licences(copyright):
    """Short names of licences in a copyright file in Debian's machine-readable form, as they stand there; none in another form."""
    return sorted(set(re.findall(r"^License: *(\S[^\n]*)", copyright, re.M))) if copyright.startswith("Format:") else []


def debian_package(fields, copyright):
    """A package of Debian's, of which the document knows the name, the version and where it comes from."""
    one = {"SPDXID": identifier("Package", fields["Package"]), "name": fields["Package"], "versionInfo": fields["Version"],
           "supplier": "Organization: Debian", "downloadLocation": UNSAID, "filesAnalyzed": False, "licenseConcluded": UNSAID,
           "licenseDeclared": UNSAID, "copyrightText": UNSAID, "externalRefs": [purl(fields)]}
    if "SHA256" in fields:
        one["checksums"] = [{"algorithm": "SHA256", "checksumValue": fields["SHA256"]}]
    if fields.get("Homepage"):
        one["homepage"] = fields["Homepage"]
    if licences(copyright):
        one["licenseComments"] = "Debian's copyright file names: " + "; ".join(licences(copyright))
    return one


def our_package(package, fields, files):
    content = package.read_bytes()
    return {"SPDXID": identifier("Package", fields["Package"]), "name": fields["Package"], "versionInfo": fields["Version"],
            "packageFileName": package.name, "supplier": CREATOR, "downloadLocation": UNSAID, "checksums": checksums(content),
            "filesAnalyzed": True, "packageVerificationCode": {"packageVerificationCodeValue": verification_code(files)},
            "licenseConcluded": "MIT", "licenseDeclared": "MIT", "licenseInfoFromFiles": [UNSAID],
            "copyrightText": COPYRIGHT, "description": fields["Description"].split("\n")[0],
            "hasFiles": [file["SPDXID"] for file in files]}


def other_of_ours(fields):
    return {"SPDXID": identifier("Package", fields["Package"]), "name": fields["Package"], "versionInfo": fields["Version"],
            "supplier": CREATOR, "downloadLocation": UNSAID, "filesAnalyzed": False, "licenseConcluded": "MIT",
            "licenseDeclared": "MIT", "copyrightText": COPYRIGHT}


def relation(one, kind, other):
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}


def document(package, needed, headers, own=()):
    """The document of `package`. `needed`: all that it needs of Debian, as (fields, text of the copyright file); `headers`: fields
    of the packages whose headers are compiled into it; `own`: fields of our own packages that it needs."""
    fields, files = deb.control(package), files_of(package)
    ours = our_package(package, fields, files)
    theirs = [other_of_ours(other) for other in own] + [debian_package(other, copyright) for other, copyright in needed]
    built_with = [debian_package(other, "") for other in headers]
    all_needed = [*own, *(other for other, _ in needed)]
    ids = {other["Package"]: identifier("Package", other["Package"]) for other in all_needed}
    relations = [relation("SPDXRef-DOCUMENT", "DESCRIBES", ours["SPDXID"])]
    relations += [relation(ours["SPDXID"], "DEPENDS_ON", identifier("Package", name)) for name in deb.needs(fields) if name in ids]
    for other in all_needed:
        relations += [relation(ids[other["Package"]], "DEPENDS_ON", ids[name]) for name in deb.needs(other) if name in ids]
    relations += [relation(one["SPDXID"], "BUILD_DEPENDENCY_OF", ours["SPDXID"]) for one in built_with]
    name = f"{fields['Package']}_{fields['Version']}_{fields['Architecture']}"
    created = datetime.datetime.fromtimestamp(deb.made_at(package), datetime.timezone.utc)
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
            "documentNamespace": f"https://shingle.invalid/spdx/{name}/{ours['checksums'][1]['checksumValue']}",
            "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": [CREATOR, "Tool: shingle-tools-sbom"]},
            "documentDescribes": [ours["SPDXID"]], "packages": [ours, *theirs, *built_with], "files": files, "relationships": relations}


# --- checking -------------------------------------------------------------------------------------
LENGTHS = {"SHA1": 40, "SHA256": 64}
KINDS = {"DESCRIBES", "DEPENDS_ON", "BUILD_DEPENDENCY_OF", "CONTAINS"}


def missing(what, one, names):
    return [f"{what} has no {name}" for name in names if one.get(name) in (None, "", [])]


def bad_checksums(what, one):
    return [f"{what} has a bad checksum" for sum in one.get("checksums", [])
            if not re.fullmatch(f"[0-9a-f]{{{LENGTHS.get(sum.get('algorithm'), 0)}}}", sum.get("checksumValue", ""))]


def package_defects(one, files):
    what = f"package {one.get('name', one.get('SPDXID'))}"
    found = missing(what, one, ("SPDXID", "name", "downloadLocation")) + bad_checksums(what, one)
    code = one.get("packageVerificationCode", {}).get("packageVerificationCodeValue")
    if one.get("filesAnalyzed", True):
        own = [files[id] for id in one.get("hasFiles", []) if id in files]
        found += [f"{what} names a file that is not there"] * (len(own) != len(one.get("hasFiles", [])))
        found += [f"{what} has not the verification code of its files"] * (code != verification_code(own))
    elif code:
        found.append(f"{what} has a verification code of files that nobody looked at")
    return found


def defects(document):
    """What a document lacks of SPDX 2.3's required fields and rules, a sentence each; empty: it is sound."""
    found = missing("the document", document, ("spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "creationInfo"))
    wanted = {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT"}
    found += [f"{name} is not {value}" for name, value in wanted.items() if document.get(name) != value]
    if not re.fullmatch(r"[a-z][a-z0-9+.-]*:[^#\s]+", document.get("documentNamespace", "")):
        found.append("the namespace is no URI without a fragment")
    made = document.get("creationInfo", {})
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", made.get("created", "")):
        found.append("the time of creation is not of the form YYYY-MM-DDThh:mm:ssZ")
    if not made.get("creators") or not all(re.match(r"(Person|Organization|Tool): \S", one) for one in made["creators"]):
        found.append("a creator is neither a person nor an organization nor a tool")
    files = {file.get("SPDXID"): file for file in document.get("files", [])}
    for file in document.get("files", []):
        what = f"file {file.get('fileName')}"
        found += missing(what, file, ("SPDXID", "fileName", "checksums")) + bad_checksums(what, file)
        found += [f"{what} has no SHA1"] * all(sum.get("algorithm") != "SHA1" for sum in file.get("checksums", []))
    for one in document.get("packages", []):
        found += package_defects(one, files)
    ids = [one.get("SPDXID") for one in (document, *document.get("packages", []), *document.get("files", []))]
    found += [f"the identifier {id} is not of the form SPDXRef-..." for id in ids if not re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", id or "")]
    found += [f"the identifier {id} stands twice" for id in sorted({id for id in ids if id and ids.count(id) > 1})]
    for one in document.get("relationships", []):
        ends = (one.get("spdxElementId"), one.get("relatedSpdxElement"))
        found += [f"a relationship names {id}, which is not there" for id in ends if id not in ids]
        found += [f"there is no relationship {one.get('relationshipType')}"] * (one.get("relationshipType") not in KINDS)
    if not any(one.get("relationshipType") == "DESCRIBES" for one in document.get("relationships", [])):
        found.append("the document describes nothing")
    return found
