"""python_door.py FOLDER ANSWERS: answers the inputs of agreement_test.py with the Python package."""

import csv
import json
import sys
from pathlib import Path

import graze

FIELDS = ("toi", "toi_hi", "u", "v", "nx", "ny", "nz")


def write_csv(file, header, rows):
    with open(file, "w", newline="") as out:
        csv.writer(out).writerows([header, *rows])


def exact_rows(queries, kind):
    """Yields the contact times, closest points and certificates of the queries, one value per row."""
    times = graze.contact_times(queries, kind)
    points = [graze.closest_points(queries, 0.37, kind, norm=norm) for norm in ("l2", "linf")]
    for i, query in enumerate(queries):
        intervals = [float(row[name]) for row in times[i].intervals
                     for name in ("begin_lo", "begin_hi", "end_lo", "end_hi", "instant")]
        yield from ((i, "times", value) for value in (times[i].verdict.name, *intervals))
        yield from ((i, "closest points", value) for norm in points for value in norm[i].item())
        proof = graze.certificate(query, kind, max_checks=50)
        values = [proof.verdict.name]
        for end, direction in proof.pieces:
            values += [len(end), *end, len(direction)]
            for terms in direction:
                values += [len(terms), *(x for term in terms for x in term)]
        yield from ((i, "certificate", value) for value in values)


def main(folder, answers):
    for kind in ("vertex-face", "edge-edge"):
        queries = graze.read_queries(folder / f"{kind}.npy").queries
        write_csv(answers / f"{kind}-exact.csv", ["query", "answer", "value"], exact_rows(queries, kind))
        found = graze.first_contact(queries, kind)
        rows = [[i, graze.Verdict(row["verdict"]).name, *(float(row[name]) for name in FIELDS),
                 graze.ContactKind(row["contact"]).name] for i, row in enumerate(found)]
        write_csv(answers / f"{kind}.csv", ["index", "verdict", *FIELDS, "kind"], rows)
    for line in (folder / "steps.txt").read_text().splitlines():
        name, separation = line.split()
        mesh, start = graze.read_mesh(folder / f"{name}-0.ply")
        end = graze.read_mesh(folder / f"{name}-1.ply")[1]
        first = graze.earliest_impact(mesh, start, end, min_separation=float(separation))
        (answers / f"{name}.json").write_text(json.dumps({"verdict": first.verdict.name, "toi": first.toi}))
        ids = {"vertex": 0, "edge": mesh.vertex_count, "face": mesh.vertex_count + len(mesh.edges)}
        rows = []
        for row in graze.all_impacts(mesh, start, end, min_separation=float(separation)):
            kind = graze.Kind(row["kind"]).name.split("_")
            rows.append(["-".join(kind), ids[kind[0]] + int(row["a"]), ids[kind[1]] + int(row["b"]),
                         *(float(row[field]) for field in FIELDS)])
        write_csv(answers / f"{name}.csv", ["kind", "a", "b", *FIELDS], rows)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
