"""Tables of docs/gpu.md, made of the results that the program gpu_times writes."""

import textwrap

# Columns of the table of steps: the head and the key of a row, in microseconds.
STEPS = (("CPU, 1 thread", "cpu_earliest_1_us"), ("CPU, all threads", "cpu_earliest_all_threads_us"),
         ("GPU, resident", "earliest_resident_us"), ("with start check", "earliest_resident_start_check_us"),
         ("with start check, new start", "earliest_resident_new_start_us"),
         ("from pinned memory", "earliest_pinned_us"), ("with a new order", "earliest_cold_pinned_us"),
         ("with a separation", "earliest_separation_us"), ("all impacts, on the GPU", "all_on_device_us"),
         ("all impacts, view on the host", "all_view_us"), ("all impacts, copied", "all_to_host_us"))
KINDS = (("vertex-face", "vertex_face"), ("edge-edge", "edge_edge"))


def time(microseconds):
    if microseconds >= 1e4:
        return f"{microseconds / 1e3:,.0f} ms"
    return f"{microseconds / 1e3:.2f} ms" if microseconds >= 1e3 else f"{microseconds:.0f} us"


def steps(stored):
    """Returns the table of wall times of the first impact and of all impacts. Rows of an earlier run lack new columns."""
    columns = [(head, key) for head, key in STEPS if any(key in row for row in stored["rows"])]
    about = (f"{stored['gpu']}, host with {stored['host_threads']} threads, medians, {stored['date']}. The columns of times up "
             "to that of the separation are those of the first impact. Times are without the start check, but for its "
             "own columns and for the column of the separation.")
    about += "".join(f" The row with {row['triangles']:,} triangles is of {row['date']}."
                     for row in stored["rows"] if "date" in row)
    lines = [textwrap.fill(about, 115), "",
             "| scene | triangles | " + " | ".join(head for head, _ in columns) + " | answers compared | different |",
             "|---|" + "---:|" * (len(columns) + 3)]
    lines += [f"| {row['scene'].split()[0]} | {row['triangles']:,} | " +
              " | ".join(time(row[key]) if key in row else "" for _, key in columns) +
              f" | {row['replays']:,} | {row['wrong_answers']} |" for row in stored["rows"]]
    return "\n".join(lines)


def queries(stored):
    """Returns the table of query rates on the pairs whose swept boxes overlap."""
    lines = ["| scene | kind | queries | billion queries a second, 192 bytes each | by index | different |",
             "|---|---|---:|---:|---:|---:|"]
    lines += [f"| {row['scene']} | {name} | {row[kind + '_queries']:,} | {row[kind + '_queries_per_us'] / 1e3:.2f} | "
              f"{row[kind + '_pairs_per_us'] / 1e3:.2f} | {row[kind + '_wrong_answers']} |"
              for row in stored["rows"] for name, kind in KINDS if kind + "_queries" in row]
    return "\n".join(lines)
