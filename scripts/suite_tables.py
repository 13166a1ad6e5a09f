"""Tables of pages, made of the results that scripts/measure stores: one function for each file and section."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import results_table  # noqa: E402


def rows_of(part):
    """Returns a stored part as a list of dictionaries."""
    return [dict(zip(part["columns"], row)) for row in part["rows"]] if isinstance(part, dict) else part


def about(stored):
    """Returns the sentence that names the command, date, machine, instruction set and commit."""
    machine = stored["machine"]
    load = f", load {machine['load']:.1f}" if machine.get("load") is not None else ""
    return (f"`{stored['command']}`, {machine['date'][:10]}, commit {machine['commit'][:12]}: {machine['cpu']}, "
            f"{machine['cores']} cores{load}, {machine['instruction_set']}, {machine['compiler']}; processor time of one thread.")


def time(ns):
    """Returns a time with its unit, in three digits."""
    if ns is None:
        return ""
    for unit, size in (("ns", 1), ("us", 1e3), ("ms", 1e6)):
        if ns < 999.5 * size:
            break
    else:
        unit, size = "s", 1e9
    value = ns / size
    return f"{value:.{max(0, 2 - len(str(int(value))) + 1) if value < 100 else 0}f} {unit}"


def table(columns, align, rows):
    return {"columns": columns, "align": align, "rows": rows}


COUNTS = ("queries", "hits", "false_positives", "false_negatives", "late", "undecided")
GROUPS = (("random", ("random",)), ("like simulations", results_table.SIMULATION))


def sums(rows):
    """Returns the sums of the counts and the mean time per query."""
    total = {count: sum(row[count] or 0 for row in rows) for count in COUNTS}
    return [total[count] for count in COUNTS] + [time(sum(row["ns_per_query"] * row["queries"] for row in rows) / total["queries"])]


def groups_of(rows):
    """Yields names of groups of sets and their rows: random queries, queries like simulations, degenerate families."""
    named = {name for _, names in GROUPS for name in names}
    for title, names in GROUPS:
        yield title, [row for row in rows if row["set"] in names]
    rest = [row for row in rows if row["set"] not in named]
    yield f"{len({row['set'] for row in rest})} degenerate families", rest


# Files of scripts/measure with further sets for the table of a method.
FURTHER = {"queries": "query sets of [Wang 2021]", "scene-pairs": "pairs of the scenes that may meet"}
COLUMNS = ["queries", "hits", "false positives", "false negatives", "late", "undecided", "per query"]


def method_of(stored, name, load):
    """Returns the answers of one method, by groups of sets and kinds. NAME.families: the families with an error."""
    name, _, detail = name.partition(".")

    def rows_of_method(results):
        return [row for row in rows_of(results["rows"]) if row["method"] == name and row["queries"]]

    rows = rows_of_method(stored)
    kinds = list(dict.fromkeys(row["kind"] for row in rows))
    lines, notes = [], [about(stored)]
    if detail == "families":
        for kind in kinds:
            lines += [[row["set"], kind, *(row[count] for count in COUNTS), time(row["ns_per_query"])] for row in rows
                      if row["kind"] == kind and any(row[count] for count in ("false_positives", "false_negatives", "late"))]
    else:
        for title, chosen in groups_of(rows):
            lines += [[title, kind, *sums([row for row in chosen if row["kind"] == kind])]
                      for kind in kinds if any(row["kind"] == kind for row in chosen)]
        for file, title in FURTHER.items():
            further = load(file)
            rows = rows_of_method(further)
            notes.append(f"{title[0].upper() + title[1:]}: `{further['command']}`, {further['machine']['date'][:10]}, "
                         f"commit {further['machine']['commit'][:12]}.")
            lines += [[title, kind, *sums([row for row in rows if row["kind"] == kind])] for kind in kinds]
    notes.append("Counts are of the queries that the method answered in its time; the truth is that of the oracle.")
    return [" ".join(notes), table(["set", "kind", *COLUMNS], "ll" + "r" * len(COLUMNS), lines)]


def summary(stored):
    """Returns the table of README.md."""
    lines = results_table.lines({"rows": rows_of(stored["rows"])})
    return [table(list(results_table.HEADER), "ll" + "r" * (len(results_table.HEADER) - 2), lines),
            "Mean processor time per query. Counts are of the queries that a method answered in its time. " + about(stored)]


def load_result(file):
    return json.loads((Path(__file__).resolve().parents[1] / f"bench/results/{file}.json").read_text())


def narrow(stored, section, load=load_result):
    return summary(stored) if section == "summary" else method_of(stored, section, load)


STAGES = ("axis", "diagonal", "coplanarity", "root_miss", "root_contact", "integer")


def exact(stored, section):
    if section == "stages":
        stages = [*rows_of(stored["stages"]), *rows_of(stored["integer_stage"])]
        return [about(stored), table(["ends in", "queries of", "kind", "queries", "per query"], "lllrr",
                                     [[row["stage"] or "integers alone", row["set"], row["kind"], row["queries"],
                                       time(row["ns_per_query"])] for row in stages])]
    lines, scenes = [], {"plain": 0, "exact": 0, "pairs": 0, "built": 0}
    for stream in rows_of(stored["streams"]):
        pairs = stream.get("from_pairs") or {}
        shares = [f"{100 * stream['tally'][stage] / stream['queries']:.3g}" for stage in STAGES]
        lines.append([f"{stream['set']}, {stream['kind']}", stream["queries"], time(stream["plain_pass_ns_per_query"]),
                      time(stream["ns_per_query"]), time(pairs.get("ns_per_query")), time(pairs.get("built_ns_per_query")), *shares])
        if pairs:
            for key, ns in (("plain", stream["plain_pass_ns_per_query"]), ("exact", stream["ns_per_query"]),
                            ("pairs", pairs["ns_per_query"]), ("built", pairs["built_ns_per_query"])):
                scenes[key] += ns * stream["queries"]
    speed = [row["one_thread_ns_per_query"] / row["two_threads_ns_per_query"] for row in rows_of(stored["threads"])]
    note = (f"Over the scenes together, the method takes {scenes['exact'] / scenes['plain']:.2f} times as long as the plain pass. "
            f"Answering from pairs is {scenes['built'] / scenes['pairs']:.2f} times as fast as building queries first.")
    if speed:
        note += f" Two threads are {min(speed):.2f} to {max(speed):.2f} times as fast as one."
    return [about(stored) + " Blocks of 4,096 queries. `plain` is a pass that sums the same bytes; `pairs` answers from the indices "
            "of a mesh; `built` builds the queries of each block from the indices first. Shares are in percent.",
            table(["set", "queries", "plain", "all", "pairs", "built", *(stage.replace("_", " ") for stage in STAGES)],
                  "l" + "r" * 11, lines), note]


def kernels(stored, section):
    rows = rows_of(stored["kernels"])
    targets = list(rows[0]["ns_per_item"])
    return [about(stored), table(["kernel", "data", "items", *targets], "ll" + "r" * (1 + len(targets)),
                                 [[row["kernel"], row["data"], row["items"], *(f"{row['ns_per_item'][t]:,.3g}" if
                                   row["ns_per_item"][t] < 1000 else f"{row['ns_per_item'][t]:,.0f}" for t in targets)] for row in rows])]


PUBLISHED = {"area_inclusion": ("fastCCD", "1"), "root_parity_published": ("exactCCD", "4.3"),
             "safe_cubic_published": ("safeCCD", "1.6"), "open_cubic": ("openCCD", "4.5 to 5.6")}


def area(stored, section):
    if section == "table_1":
        lines = [[f"{row['time_tol']:.0e}".replace("e-0", "e-"), row["odd_hits"], row["even_hits"], time(row["ns_per_query"]),
                  f"{row['false_positives']} / {row['false_negatives']} / {row['late']}", row["published"]["odd_hits"],
                  row["published"]["even_hits"], f"{row['published']['seconds']:.2f}"] for row in rows_of(stored["rows"])]
        first = rows_of(stored["rows"])[0]
        return [about(stored) + f" {first['queries']:,} queries, of which {first['checked_queries']:,} are compared with the truth; the "
                f"published counts are of {first['published']['queries']:,} queries and a 3.2 GHz Intel Core i5.",
                table(["E", "odd", "even", "per query", "false positives / negatives / late", "published: odd", "even", "seconds"],
                      "lrrrrrrr", lines)]
    ours = next(row for row in rows_of(stored["rows"]) if row["time_tol"] == 1e-9)
    rows, base = [ours, *rows_of(stored["rivals"])], ours["ns_per_query"]
    return [about(stored) + " Random vertex-face queries, `time_tol` 1e-9. The published ratios are those to fastCCD: Table 1, and "
            "Figure 8 for openCCD.",
            table(["method", "hits", "false positives / negatives / late", "per query", "time over `area_inclusion`", "published as",
                   "published ratio"], "lrrrrlr",
                  [[f"`{row['method']}`", row["hits"], f"{row['false_positives']} / {row['false_negatives']} / {row['late']}",
                    time(row["ns_per_query"]), f"{row['ns_per_query'] / base:.2f}", *PUBLISHED.get(row["method"], ("", ""))]
                   for row in rows])]


def curved(stored, section):
    if section == "scenes":
        keys = ("triangles", "straight_pairs", "curved_pairs", "straight_contacts", "curved_contacts")
        return [about(stored) + " All impacts of a step. Curves: cubic, with velocities.",
                table(["scene", "triangles", "pairs, lines", "pairs, curves", "contacts, lines", "contacts, curves", "time, lines",
                       "time, curves", "ratio"], "l" + "r" * 8,
                      [[row["scene"], *(row[key] for key in keys), time(1e9 * row["straight_seconds"]), time(1e9 * row["curved_seconds"]),
                        f"{row['curved_seconds'] / row['straight_seconds']:.1f}"] for row in rows_of(stored["scenes"])])]
    rows = [row for row in rows_of(stored["rows"]) if row["curve"] != "turning"]
    turning = [row for row in rows_of(stored["rows"]) if row["curve"] == "turning"]
    curves = [curve for curve in dict.fromkeys(row["curve"] for row in rows) if curve != "line"]
    lines = []
    for key in dict.fromkeys((row["set"], row["kind"]) for row in rows):
        of = {row["curve"]: row for row in rows if (row["set"], row["kind"]) == key}
        times = []
        for curve in curves:
            ratio = of[curve]["ns_per_query"] / of[curve]["exact_ns_per_query"] if of[curve]["exact_ns_per_query"] else None
            times += [time(of[curve]["ns_per_query"]), f"{ratio:.1f}" if ratio else ""]
        straight = next((row["exact_ns_per_query"] for row in of.values() if row["exact_ns_per_query"]), None)
        lines.append([*key, time(straight), *times, time(max(row["max_ns"] for row in of.values()))])
    judged = sum(row["judged"] for row in rows_of(stored["rows"]))
    wrong = sum(row[count] for row in rows_of(stored["rows"]) for count in ("false_positives", "false_negatives", "late"))
    result = [about(stored) + " The time of `exact` on straight queries of the same family was measured in the same turns. Of the "
              f"{judged:,} answers that the oracles judged, {wrong:,} are wrong or late.",
              table(["family", "kind", "`exact` on lines", *(text for curve in curves for text in (curve, "ratio")), "slowest"],
                    "ll" + "r" * (2 + 2 * len(curves)), lines)]
    if turning:
        result += ["Primitives that turn:", table(["family", "kind", "per query", "slowest"], "llrr",
                                                  [[row["set"], row["kind"], time(row["ns_per_query"]), time(row["max_ns"])]
                                                   for row in turning])]
    return result


def separation(stored, section):
    rows = rows_of(stored["rows"])
    methods = ("separation_root", "additive_advancement", "separation_root_linf", "tight_inclusion")
    lines = []
    for key in dict.fromkeys((row["set"], row["kind"], row["relative_separation"]) for row in rows):
        of = {}
        for row in rows:
            if (row["set"], row["kind"], row["relative_separation"]) == key:
                of.setdefault(row["method"], row)
        if not all(method in of for method in methods):
            continue
        ns = [of[method]["ns_per_query"] for method in methods]
        lines.append([f"{key[0]}, {key[1]}", f"{key[2]:.0e}".replace("e-0", "e-"), time(ns[0]), time(ns[1]), f"{ns[0] / ns[1]:.2f}",
                      time(ns[2]), time(ns[3]), f"{ns[3] / ns[2]:.1f}", of["additive_advancement"]["false_positives"]])
    wrong = sum(row[count] for row in rows if row["method"].startswith("separation_root")
                for count in ("false_positives", "false_negatives", "late", "undecided"))
    return [about(stored) + " d is relative to the size of the set. AA is `additive_advancement` (Euclidean, stops early), TI our "
            "`tight_inclusion` (max norm, tolerance 1e-6).",
            table(["set", "d", "L2", "AA", "L2 / AA", "Linf", "TI", "TI / Linf", "false + of AA"], "l" + "r" * 8, lines),
            f"Wrong, late or undecided answers of `separation_root` in either norm: {wrong:,}."]


def polyhedron(stored, section):
    rows = rows_of(stored["rows"])
    places = list(dict.fromkeys((row["world"], row["mover"]) for row in rows if row["method"] == "graze move"))
    places = [place for place in places if place[1] != "point"]
    at = {(row["world"], row["mover"], row["method"]): row for row in rows}
    methods = [method for method in dict.fromkeys(row["method"] for row in rows) if method != "graze trace_point"]
    lines = [[method, *(time(at[(*place, method)]["ns_per_way"]) if (*place, method) in at else "" for place in places)]
             for method in methods if any((*place, method) in at for place in places)]
    points = "; ".join(f"{row['world']} {time(row['ns_per_way'])}" for row in rows if row["method"] == "graze trace_point")
    wrong = sum(row[fault] for row in rows if row["method"].startswith("graze") for fault in ("missed", "late", "phantom", "early"))
    turning = ", ".join(f"{place[0]} {place[1]} "
                        f"{at[(*place, 'graze move, rotations')]['ns_per_way'] / at[(*place, 'graze move')]['ns_per_way']:.1f}"
                        for place in places if (*place, "graze move, rotations") in at)
    return [about(stored), table(["per way", *(f"{world}, {mover}" for world, mover in places)], "l" + "r" * len(places), lines),
            f"A rotation over a translation from anywhere: {turning}. A point trace: {points}. Wrong answers of Graze: {wrong:,}."]


def rigid(stored, section):
    if section == "mating":
        rows = rows_of(stored["mating_parts"])
        of = {(row["motion"], row["method"]): row for row in rows}
        lines = [[motion, of[(motion, "certified")]["triangles"], of[(motion, "certified")]["verdict"],
                  of[(motion, "certified")]["checks"], time(1e9 * of[(motion, "certified")]["seconds"])]
                 for motion in dict.fromkeys(row["motion"] for row in rows)]
        return [about(stored) + " Threshold 1e-4.", table(["motion", "triangles", "verdict", "checks", "time"], "lrlrr", lines)]
    rows = rows_of(stored["rows"])
    by = [(row, {method["method"]: method for method in row["methods"]}) for row in rows]
    if section == "methods":
        names = list(dict.fromkeys(name for _, methods in by for name in methods))

        def shown(method):
            if method is None:
                return ""
            left = f" ({method['undecided']} of {method['shots']} undecided)" if method["undecided"] else ""
            return time(1e9 * method["mean_s"]) + left

        def ratio(methods):
            slow, fast = methods.get("screw_interval"), methods.get("fast")
            return f"{slow['mean_s'] / fast['mean_s']:.0f}" if slow and fast and not slow["undecided"] else ""

        return [about(stored) + " Mean time of a shot; the slow methods answer the first shots only.",
                table(["scenario", *names, "CONTACT over fast"], "l" + "r" * (1 + len(names)),
                      [[row["scenario"], *(shown(methods.get(name)) for name in names), ratio(methods)] for row, methods in by])]
    if section == "alg_1":
        names = list(dict.fromkeys(method["method"] for row in rows for method in row["alg_1"]))
        lines = []
        for row in rows:
            of = {method["method"]: method for method in row["alg_1"]}
            if of:
                lines.append([row["scenario"], row["pieces"][0] * row["pieces"][1],
                              *(f"{time(1e9 * of[name]['mean_s'])} ({of[name]['iterations']:.2g})" if name in of else "" for name in names)])
        return [about(stored), table(["scenario", "pairs of pieces", *(name.replace("|", "\\|") for name in names)],
                                     "l" + "r" * (1 + len(names)), lines)]
    ours = [(row, next(iter(methods.values()))) for row, methods in by]
    return [about(stored) + " 2006: mean of the paper, for its own models on a Pentium 4 with 3.6 GHz.",
            table(["scenario", "shots", "contacts", "missed or late", "ready", "median", "early, mean", "2006"], "l" + "r" * 7,
                  [[row["scenario"], method["shots"], method["contacts"], method["missed"] + method["late"],
                    time(1e9 * method["prepare_s"]), time(1e9 * method["median_s"]),
                    f"{method['early_mean']:.1e}" if method["contacts"] else "",
                    "" if row["published_2006_ms"] is None else f"{row['published_2006_ms']:g} ms"] for row, method in ours])]


# By the name of the file.
VIEWS = {"narrow": narrow, "exact-suite": exact, "exact-kernels": kernels, "area-suite": area,
         "curved-suite": curved, "separation-suite": separation, "polyhedron-suite": polyhedron, "rigid-suite": rigid}
# The sections that the page of results shows, by the name of the file.
SECTIONS = {
    "narrow": ["summary", "cubic_root", "open_cubic", "safe_cubic", "additive_advancement", "interval_univariate",
               "interval_multivariate", "cardano_edge.families"],
    "exact-suite": ["sets", "stages"], "exact-kernels": ["kernels"], "area-suite": ["table_1", "rivals"],
    "curved-suite": ["queries", "scenes"], "separation-suite": ["sets"], "polyhedron-suite": ["ways"],
    "rigid-suite": ["scenarios", "methods", "alg_1", "mating"],
}
