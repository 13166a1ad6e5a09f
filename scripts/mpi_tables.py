"""Tables of docs/scale.md, made of the results that scripts/mpi_scale writes."""

import statistics
import textwrap

# The assumed network of the computed runs, per rank.
BYTES_PER_SECOND, SECONDS_PER_MESSAGE = 1e9, 20e-6
# The triangles and the ranks of the computed runs.
TRIANGLES, RANKS = 100_000_000, (16, 64, 256)


def scenes(stored):
    return {name: rows for name, rows in stored.items() if isinstance(rows, list)}


def measured(stored):
    """Returns a table for each scene."""
    parts = []
    for name, rows in scenes(stored).items():
        lines = [f"{name}: {rows[0]['faces']:,} triangles", "",
                 "| ranks | duplicated faces | imbalance | MB sent per rank | messages per rank | processor s, all ranks "
                 "| peak MiB per rank |", "|---|---|---|---|---|---|---|"]
        lines += [f"| {row['ranks']} | {100 * row['duplicated']:.1f} % | {row['imbalance']:.2f} | "
                  f"{row['bytes_per_rank'] / 1e6:.1f} | {row['messages_per_rank']:.0f} | {row['seconds']:.2f} | "
                  f"{row['peak_mib']:.0f} |" for row in rows]
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def two_ranks(stored):
    """Returns the memory of one large step, and the wall time of every run with 1 and with 2 ranks."""
    one, many = stored["memory"]
    about = (f"Measured on {stored['date']} at commit {stored['commit']} ({stored['cores']} cores of {stored['cpu']}, "
             f"{stored['mpi']}).")
    memory = (f"**Memory** of one step of {one['triangles']:,} triangles: `{one['program']}` needs {one['peak_mib']:,.0f} MiB, "
              f"each of {many['ranks']} ranks at most {many['peak_mib']:,.0f} MiB, "
              f"{many['peak_mib'] / one['peak_mib']:.3f} of that.")
    speed = ("**Speed** of 2 ranks over 1 rank, one thread per rank: wall times of whole runs in seconds, in turns; the ratio "
             "is the median of the ratios of the turns.")
    lines = ["| run | 1 rank | 2 ranks | ratio |", "|---|---|---|---|"]
    for name in dict.fromkeys(row["run"] for row in stored["runs"]):
        rows = [row for row in stored["runs"] if row["run"] == name]
        first, second = ([row["wall_seconds"] for row in sorted(rows, key=lambda row: row["turn"]) if row["ranks"] == ranks]
                         for ranks in (1, 2))
        ratio = statistics.median(a / b for a, b in zip(first, second, strict=True))
        times = [", ".join(f"{seconds:.2f}" for seconds in turns) for turns in (first, second)]
        lines.append(f"| {rows[0]['what']} | {times[0]} | {times[1]} | {ratio:.2f}x |")
    return "\n\n".join([*(textwrap.fill(text, 115) for text in (about, memory, speed)), "\n".join(lines)])


def computed_seconds(row, faces, ranks, slope, imbalance):
    """Returns the time of a run with a core for each rank: the slowest rank, then its messages in turn."""
    duplicated = slope * (ranks / faces) ** 0.5
    work = row["seconds"] / row["faces"] / (1 + row["duplicated"]) * faces / ranks
    per_face = row["bytes_per_rank"] * row["ranks"] / row["faces"]
    sent = per_face * faces / ranks / BYTES_PER_SECOND + SECONDS_PER_MESSAGE * row["messages_per_rank"] * ranks / row["ranks"]
    return work * (1 + duplicated) * imbalance + sent


def computed(stored):
    """Returns the model of docs/scale.md with the numbers of the largest scene."""
    name, rows = max(scenes(stored).items(), key=lambda item: item[1][0]["faces"])
    many = [row for row in rows if row["ranks"] >= 4]
    slope = statistics.median(row["duplicated"] / (row["ranks"] / row["faces"]) ** 0.5 for row in many)
    base = many[len(many) // 2]
    imbalance = max(row["imbalance"] for row in many)
    lines = [f"{TRIANGLES:,} triangles like {name}: share of duplicated faces {slope:.2f} sqrt(ranks / triangles), "
             f"imbalance {imbalance:.2f}, work of a face as with {base['ranks']} ranks.", "",
             "| ranks | seconds | against one rank |", "|---|---|---|"]
    one = computed_seconds(base, TRIANGLES, 1, 0, 1)
    for ranks in RANKS:
        seconds = computed_seconds(base, TRIANGLES, ranks, slope, imbalance)
        lines.append(f"| {ranks} | {seconds:.1f} | {one / seconds:.0f}x |")
    return "\n".join(lines)
