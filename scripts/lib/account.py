# SPDX-License-Identifier: Apache-2.0
"""Prints what ran, what did not run and why, label by label, from ctest's records. Exits with 1 if a test failed, or if a whole
kind of test is missing without a reason."""
import argparse
import collections
import json
import pathlib
import sys
import xml.etree.ElementTree as xml

KINDS = {
    "emu": "kernels in the emulator",
    "gpu": "the same tests on the GPU",
    "cli": "the command",
    "install": "an outside project",
    "house": "layers, documents, scripts, compiled code",
}


def labels_of(folder):
    """Returns {test name: kind}."""
    with open(folder / "tests.json", encoding="utf-8") as file:
        tests = json.load(file)["tests"]
    kinds = {}
    for test in tests:
        labels = next((p["value"] for p in test.get("properties", ()) if p["name"] == "LABELS"), [])
        kinds[test["name"]] = next((kind for kind in KINDS if kind in labels), "other")
    return kinds


def outcome_of(case):
    """Returns passed, failed or not run. ctest distinguishes skipped (SKIP_RETURN_CODE) and disabled tests from the rest."""
    if case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
        message = (case.find("skipped").get("message") or "") if case.find("skipped") is not None else ""
        return "not run" if "SKIP" in message or case.get("status") == "disabled" else "failed"
    return "passed" if case.get("status") == "run" and case.find("failure") is None else "failed"


def why_not_run(case):
    """Returns the last line that a test printed before it left, or nothing."""
    lines = [line.strip() for line in (case.findtext("system-out") or "").splitlines() if line.strip()]
    return lines[-1].removeprefix("not run: ")[:120] if lines else ""


def named(cases, most=3):
    """Returns the names of tests, and why each did not run, where it said so."""
    texts = [name + (f" ({why})" if why else "") for name, why in cases[:most]]
    return ", ".join(texts) + (f" and {len(cases) - most} more" if len(cases) > most else "")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--selection", default="")
    parser.add_argument("--no-cuda", default="")
    parser.add_argument("--no-gpu", default="")
    arguments = parser.parse_args()

    kinds = labels_of(arguments.folder)
    junit = arguments.folder / "junit.xml"
    cases = xml.parse(junit).getroot().iter("testcase") if junit.exists() else ()
    counts = collections.defaultdict(collections.Counter)
    bad, not_run = [], collections.defaultdict(list)
    for case in cases:
        outcome = outcome_of(case)
        counts[kinds.get(case.get("name"), "other")][outcome] += 1
        counts["all"]["seen"] += 1
        # tests/unless_unchanged.py says this.
        counts["all"]["before"] += outcome == "passed" and "passed before with the same files" in (case.findtext("system-out") or "")
        if outcome == "not run":
            not_run[kinds.get(case.get("name"), "other")].append((case.get("name"), why_not_run(case)))
        if outcome == "failed":
            bad.append(case.get("name"))

    print(f"{'':9}{'passed':>8}{'failed':>8}{'not run':>9}")
    missing = []
    for kind, what in list(KINDS.items()) + [("other", "")]:
        count, built = counts[kind], sum(1 for k in kinds.values() if k == kind)
        if kind == "other" and not built:
            continue
        note = what
        if kind == "gpu" and arguments.no_cuda:
            note = f"not built: {arguments.no_cuda}"
        elif kind == "gpu" and count["not run"] and arguments.no_gpu:
            note = f"{what}; built, not run: {arguments.no_gpu}"
        elif count["not run"]:
            note = f"{what}; not run: {named(not_run[kind])}"
        elif not built:
            note = "none were built"
            missing.append(kind)
        elif not sum(count.values()):
            note = f"left out by: ctest {arguments.selection}"
        print(f"{kind:9}{count['passed']:8}{count['failed']:8}{count['not run']:9}   {note}")
    if counts["all"]["before"]:
        print(f"{counts['all']['before']} of those that passed had passed before with the same files, and were not repeated")
    for name in bad:
        print(f"failed: {name}")
    if missing:
        print(f"no tests at all of: {', '.join(missing)}")
    if not counts["all"]["seen"]:
        print("nothing ran")
    return 1 if bad or missing or not counts["all"]["seen"] else 0


if __name__ == "__main__":
    sys.exit(main())
