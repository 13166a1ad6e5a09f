"""Tables of docs/browser.md, made of the results that `scripts/soak wasm` writes (test/wasm/results.mjs)."""


def origin(part):
    machine = part["machine"]
    return f"{machine['date']}, commit {machine['commit']}, Node.js {machine['node']}, one core of {machine['cpu']}"


def sizes(results):
    part = results["sizes"]
    machine = part["machine"]
    rows = [[f"`{name}`", *part[name]] for name in ("graze.wasm", "graze-step.wasm")]
    return [f"Measured on {machine['date']} at commit {machine['commit']}, with Emscripten {machine['emscripten']}:",
            {"columns": ["module", "bytes", "with `gzip -9`"], "align": "lrr", "rows": rows}]


def bits(results):
    part, hashes, steps = results["bits"], results["hashes"], results["steps"]
    scenes = ", ".join(f"{scene} {contacts:,}" for scene, contacts in steps["contacts"].items())
    return [f"{origin(part)}: verdict, times, coordinates, normal, kind and number of checks of the answers of the package "
            f"to {part['per_set']:,} queries of each of the {part['families']} families and both kinds ({part['queries']:,} "
            f"queries, {part['contacts']:,} contacts) equal those of the native command. So do hashes of the first contacts, "
            f"contact times and closest points of {hashes['per_set']:,} queries of each, of the certificates of every tenth "
            f"query, and of two generated steps ({hashes['sets']} hashes). The impacts of the scenes have the same bits "
            f"(contacts of the first step: {scenes})."]


def speed(results):
    part = results["speed"]
    rows = [[row["work"], *(f"{row[name]:.3g} {row['unit']}" for name in ("wasm", "sse4")), f"{row['wasm'] / row['sse4']:.2f}"]
            for row in part["rows"]]
    return [f"Processor time on one thread, medians of {part['rounds']} rounds in turns ({origin(part)}):",
            {"columns": ["work", "WebAssembly", "native, SSE4", "ratio"], "align": "lrrr", "rows": rows}]


def drag(results):
    part = results["drag"]
    return [f"Processor time of the page for one drag event, answers and drawing of the panel included: median "
            f"{part['median_ms']:.1f} ms, most {part['most_ms']:.1f} ms, {part['events']} events ({origin(part)})."]


VIEWS = {"sizes": sizes, "bits": bits, "speed": speed, "drag": drag}
