#!/usr/bin/env python3
"""Prints how many tests of a JUnit file written by ctest passed, failed and were skipped, and why."""

import collections
import re
import sys
import xml.etree.ElementTree

# GoogleTest prints "FILE:LINE: Skipped" and the reason on the next line; scripts print "SKIPPED: REASON".
REASON = re.compile(r"^\S+:\d+: Skipped\n(.+)$|^\W*SKIPPED\b:? *(\S.*)$|^\.+ skipped '(.+)'$", re.M | re.I)


def reason_of(output):
    found = REASON.search(output)
    return next((text.strip() for text in found.groups() if text), "") if found else "no reason printed"


def summary(root):
    """Yields the lines of the summary."""
    cases = list(root.iter("testcase"))
    skipped, failed = [], []
    for case in cases:
        mark = case.find("skipped")
        if mark is not None and mark.get("message", "").startswith("SKIP_"):
            skipped.append(case)
        elif mark is not None:
            failed.append(f"{case.get('name')} (not run: {mark.get('message')})")
        elif case.get("status") == "fail":
            failed.append(case.get("name"))
    reasons = collections.Counter(reason_of(case.findtext("system-out") or "") for case in skipped)
    ran = len(cases) - len(skipped)
    yield f"test: {ran - len(failed)} of {ran} tests passed, {len(skipped)} were skipped"
    for reason, count in reasons.most_common():
        yield f"test: skipped {count}: {reason}"
    for name in failed:
        yield f"test: failed: {name}"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: summarize_tests.py RESULTS.xml")
    print("\n".join(summary(xml.etree.ElementTree.parse(sys.argv[1]).getroot())))
