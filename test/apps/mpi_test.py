"""Tests of graze-mpi: the same answers as graze on any number of ranks, and one clear message for each fault.

Usage: mpi_test.py GRAZE GRAZE-MPI [CLASS[.TEST]...]
"""

import json
import os
import signal
import struct
import subprocess
import sys
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

GRAZE_MPI = str(Path(sys.argv.pop(2)).resolve())

import command_test  # noqa: E402
from command_test import CommandTest  # noqa: E402

MPIRUN = Path(__file__).parents[2] / "scripts/mpirun"
RANKS = (1, 2, 3, 7, 16)
# With GRAZE_TEST_SCALE above 1 (scripts/soak mpi), every comparison is made on all RANKS.
WHOLE = float(os.environ.get("GRAZE_TEST_SCALE", 1)) > 1
LIMIT = 30  # seconds in which every fault must end
SAME = ("verdict", "toi", "toi_hi", "kind", "a", "b", "u", "v", "normal", "point", "contacts", "undecided",
        "start_contacts_skipped", "pairs")

# How the tests below use each option of graze step, with its arguments: it works as in one process, it works and
# changes the contacts of a method, or it is refused.
OPTIONS_OF_STEP = {
    "work": {"--skip-start-contacts": [], "--min-separation": ["0.01"], "--start-check": ["off"],
             "--method": ["tight_inclusion"], "--broad": ["hash_grid"], "--t-max": ["0.7"], "--threads": ["2"],
             "--device": ["cpu"]},
    "work with a method": {"--distance-tol": ["tight_inclusion", "0.01"], "--max-checks": ["tight_inclusion", "20"],
                           "--no-zero-toi": ["tight_inclusion"], "--time-tol": ["area_inclusion", "0.001"]},
    "work in other tests": {"--all", "--first-only", "--json", "--shared-vertices"},
    "refused": {"--html": ["a.html"], "--record": ["a.glb"], "--dump-queries": ["q"], "--device": ["gpu"],
                "--velocities": ["0.ply", "1.ply"]},
}
# The same for the other commands, beside the options that they share with step.
MORE_OPTIONS = {"steps": {"--out", "--interpolate", "--gpus"},
                "query": {"--out", "--kind", "--certificate", "--show", "--html"}}


class MpiTest(CommandTest):
    def start(self, ranks, *arguments, **options):
        command = [MPIRUN, str(ranks), GRAZE_MPI, *map(str, arguments)]
        return subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, start_new_session=True, **options)

    def finish(self, process, limit=120):
        try:
            out, err = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            self.fail(f"graze-mpi did not end within {limit} s")
        return process.returncode, out, err

    def mpi(self, ranks, *arguments, code=0, **options):
        """Returns the standard output of graze-mpi, which must end with that exit code."""
        got, out, err = self.finish(self.start(ranks, *arguments, **options))
        self.assertEqual(got, code, err)
        return out

    def refused(self, ranks, *arguments, **options):
        """Returns the line that graze-mpi prints for an error, which ends within the limit."""
        got, out, err = self.finish(self.start(ranks, *arguments, **options), LIMIT)
        self.assertEqual(got, 2, err)
        mpirun = ("-----", "Primary job", "a non-zero exit", "mpirun ", "the job to be", "  Process", "  Exit",
                  "mca_")  # of Open MPI
        lines = [line for line in err.splitlines() if line and not line.startswith(mpirun)]
        self.assertEqual(len(lines), 1, err)
        return lines[0]

    def at_once(self, check, cases):
        """Calls check(*case) for all cases, a few at the same time: mpirun waits for a second after a rank has
        returned another code than 0."""
        with ThreadPoolExecutor(4) as workers:
            list(workers.map(lambda case: check(*case), cases))

    def journal(self, out="steps.json"):
        """Returns the answers that an unfinished run of steps has stored."""
        file = self.folder / f"{out}.journal"
        lines = file.read_text().split("\n")[1:-1] if file.exists() else []
        return [json.loads(line) for line in lines]

    def wait_for(self, condition):
        end = time.monotonic() + LIMIT
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)

    def ranks_of(self, run, count):
        """Returns the processes of graze-mpi that a run has started, sorted by their ids."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            parents, ranks = {}, []
            for entry in Path("/proc").iterdir():
                try:
                    if entry.name.isdigit():
                        parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                        if os.readlink(entry / "exe") == str(Path(GRAZE_MPI).resolve()):
                            ranks.append(int(entry.name))
                except OSError:
                    pass

            def is_below(pid):
                return pid == run.pid or pid in parents and is_below(parents[pid])

            ranks = sorted(pid for pid in ranks if is_below(pid))
            if len(ranks) == count:
                return ranks
            time.sleep(0.05)
        self.fail("the ranks did not start")

    def small_disk(self, kibibytes):
        """Mounts a disk of that size as the folder `disk`. Returns a function that changes the size."""
        (self.folder / "disk").mkdir()

        def mount(size, *options):
            command = ["mount", "-t", "tmpfs", "-o", ",".join([*options, f"size={size}k"]), "none", "disk"]
            return subprocess.run(command, cwd=self.folder, capture_output=True)

        if mount(kibibytes).returncode != 0:
            self.skipTest("no disk can be mounted here")
        self.addCleanup(subprocess.run, ["umount", self.folder / "disk"], check=True)
        return lambda size: self.assertEqual(mount(size, "remount").returncode, 0)

    def scene(self, *arguments):
        self.answer("generate", "cloth_on_cone", "--count", *arguments, "--out", ".")

    def copies(self, *files):
        """Copies files to names that begin with the number of each of three ranks; returns the names for all ranks."""
        for rank in range(3):
            for file in files:
                (self.folder / f"{rank}-{file}").write_bytes((self.folder / file).read_bytes())
        return ["{rank}-" + file for file in files]

    def altered(self, file, rank):
        """Returns the names of three sets of copies of a file. That of one rank is shorter, has another byte, or is
        missing."""
        whole = (self.folder / file).read_bytes()
        changed = bytearray(whole)
        changed[-5] ^= 1
        for name, contents in (("short", whole[:-192]), ("changed", changed), ("missing", None)):
            self.copies(file)
            for other in range(3):
                (self.folder / f"{other}-{file}").rename(self.folder / f"{other}-{name}-{file}")
            own = self.folder / f"{rank}-{name}-{file}"
            own.unlink() if contents is None else own.write_bytes(contents)
        return [f"{{rank}}-{name}-{file}" for name in ("short", "changed", "missing")]


def scenes():
    data = os.environ.get("GRAZE_DATA")
    return sorted(Path(data, "scenes").iterdir()) if data else []


class Step(MpiTest):
    def compare(self, ranks, *step, code=1):
        """Compares a step, given by its arguments, on each number of ranks with one process. Returns its contacts."""
        name = f"{abs(hash(step))}"
        one = json.loads(self.graze("step", *step, "--all", f"{name}.csv", "--json").stdout)
        contacts = (self.folder / f"{name}.csv").read_bytes()

        def check(n):
            out = self.mpi(n, "step", *step, "--all", f"{name}-{n}.csv", "--json", code=code)
            self.assertEqual({k: json.loads(out)[k] for k in SAME}, {k: one[k] for k in SAME}, (n, step))
            self.assertEqual((self.folder / f"{name}-{n}.csv").read_bytes(), contacts, (n, step))

        self.at_once(check, [(n,) for n in ranks])
        self.assertFalse(list(self.folder.glob(f"{name}*.tmp")))
        return contacts

    def test_scenes_have_the_bits_of_one_process(self):
        if not scenes():
            self.skipTest("GRAZE_DATA must name the folder of real data")
        # test_mpi compares the scenes on all numbers of ranks.
        self.at_once(lambda *frames: self.compare(RANKS if WHOLE else (3,), *frames),
                     [sorted((scene / "frames").glob("*.ply")) for scene in scenes()])

    def test_options_work_as_in_one_process(self):
        self.scene(2000)

        def compare(option, arguments, method=()):
            step = ("1.ply", "2.ply", *method)
            one = self.graze("step", *step, option, *arguments).returncode
            contacts = self.compare((3,), *step, option, *arguments, code=one)
            if method:
                default = f"default{option}.csv"
                self.graze("step", *step, "--all", default)
                self.assertNotEqual(contacts, (self.folder / default).read_bytes(), option)

        self.at_once(compare, [*OPTIONS_OF_STEP["work"].items(), *(
            (option, arguments, ("--method", method))
            for option, (method, *arguments) in OPTIONS_OF_STEP["work with a method"].items())])
        first = json.loads(self.mpi(3, "step", "1.ply", "2.ply", "--first-only", "--json", code=1))
        one = json.loads(self.graze("step", "1.ply", "2.ply", "--first-only", "--json").stdout)
        self.assertEqual({k: first[k] for k in SAME}, {k: one[k] for k in SAME})
        self.assertEqual(self.mpi(2, "step", "0.ply", "1.ply").splitlines()[0], "free: no contact")

    def test_rods_that_share_a_vertex_are_tested_on_request(self):
        """Each of 30 pairs of rods closes about its common vertex."""
        count = 30
        header = "\n".join(["ply", "format binary_little_endian 1.0", f"element vertex {3 * count}",
                            *(f"property double {axis}" for axis in "xyz"), f"element edge {2 * count}",
                            "property int vertex1", "property int vertex2", "end_header", ""])
        for name, height in (("open", 0.5), ("closed", -0.3)):
            body = b""
            for i in range(count):
                for x, y in ((0, 0), (0.7, 0), (0.6, height * (1 + i / count))):
                    body += struct.pack("<3d", x + i % 6, y, i // 6)
            for i in range(count):
                body += struct.pack("<4i", 3 * i, 3 * i + 1, 3 * i, 3 * i + 2)
            (self.folder / f"{name}.ply").write_bytes(header.encode() + body)
        self.compare((3, 7), "open.ply", "closed.ply", code=0)
        contacts = self.compare((3, 7), "open.ply", "closed.ply", "--shared-vertices")
        self.assertEqual(len(contacts.splitlines()), 1 + count)

    def test_options_that_need_the_whole_mesh_are_refused(self):
        self.scene(200)

        def check(option, arguments):
            line = self.refused(2, "step", "0.ply", "1.ply", option, *arguments)
            self.assertIn(option, line)
            self.assertIn("no rank has the whole mesh", line)

        self.at_once(check, OPTIONS_OF_STEP["refused"].items())

    def test_text_files_are_refused_with_the_command_that_converts_them(self):
        self.scene(200)
        one = json.loads(self.answer("step", "0.ply", "1.ply", "--json"))
        for frame in "01":
            self.answer("convert", f"{frame}.ply", f"{frame}.obj")
            lines = (self.folder / f"{frame}.obj").read_text().splitlines()
            vertices = [line[2:] for line in lines if line.startswith("v ")]
            faces = [[int(corner) - 1 for corner in line.split()[1:]] for line in lines if line.startswith("f ")]
            (self.folder / f"ascii{frame}.ply").write_text("\n".join(
                ["ply", "format ascii 1.0", f"element vertex {len(vertices)}",
                 *(f"property double {axis}" for axis in "xyz"), f"element face {len(faces)}",
                 "property list uchar int vertex_indices", "end_header", *vertices,
                 *("3 " + " ".join(map(str, face)) for face in faces), ""]))  # fmt: skip

        def check(name, reason):
            files = [name.format(frame) for frame in "01"]
            line = self.refused(2, "step", *files)
            self.assertIn(f"{files[0]}: {reason}", line)
            converted = []
            for file in files:
                command = line.partition("convert it: ")[2].replace(Path(files[0]).stem, Path(file).stem).split()
                self.assertEqual(command[:3], ["graze", "convert", file])
                self.answer(*command[1:])
                converted.append(command[3])
            many = json.loads(self.mpi(2, "step", *converted, "--json"))
            self.assertEqual({k: many[k] for k in SAME}, {k: one[k] for k in SAME})

        self.at_once(check, (("{}.obj", "only binary .ply files"), ("ascii{}.ply", "is an ASCII file")))

    def test_files_that_differ_between_ranks_are_found_before_work(self):
        self.scene(2000)
        names = self.copies("1.ply", "2.ply")
        self.mpi(3, "step", *names, code=1)
        short, changed, missing = self.altered("2.ply", rank=1)
        self.at_once(lambda reason, frame: self.assertIn(reason, self.refused(3, "step", names[0], frame)),
                     (("differs between ranks", short), ("rank 1 has other contents", changed),
                      ("1-missing-2.ply", missing)))

    def test_a_broken_file_is_one_line_and_leaves_no_output(self):
        self.scene(2000)
        whole = (self.folder / "2.ply").read_bytes()
        (self.folder / "cut.ply").write_bytes(whole[:-7])
        self.assertIn("cut.ply", self.refused(3, "step", "1.ply", "cut.ply", "--all", "out.csv"))
        self.assertIn("missing/out.csv", self.refused(3, "step", "1.ply", "2.ply", "--all", "missing/out.csv"))
        self.assertFalse(list(self.folder.glob("*.csv*")))

    def test_a_full_disk_is_one_line_and_leaves_no_output(self):
        self.scene(2000)
        resize = self.small_disk(8)
        line = self.refused(3, "step", "1.ply", "2.ply", "--all", "disk/out.csv")
        self.assertIn("disk/out.csv: cannot be written", line)
        self.assertFalse(list((self.folder / "disk").iterdir()))
        resize(1000)
        self.mpi(3, "step", "1.ply", "2.ply", "--all", "disk/out.csv", code=1)
        self.assertGreater((self.folder / "disk/out.csv").stat().st_size, 8192)


class Steps(MpiTest):
    def records(self, file):
        whole = json.loads((self.folder / file).read_text())
        return [{k: v for k, v in step.items() if k != "seconds"} for step in whole["steps"]]

    def test_a_sequence_has_the_answers_of_one_process(self):
        self.scene(1500, "--frames", 9)
        self.assertEqual(self.graze("steps", ".", "--out", "one.json").returncode, 1)

        def check(n):
            out = self.mpi(n, "steps", ".", "--out", f"many{n}.json", code=1)
            self.assertEqual(self.records(f"many{n}.json"), self.records("one.json"), n)
            printed = [line.split("  ")[0] for line in out.split("Worst steps")[0].splitlines() if line]
            self.assertEqual(printed, [f"{i}.ply -> {i + 1}.ply" for i in range(8)])

        self.at_once(check, [(n,) for n in RANKS])

    def test_a_run_continues_after_a_rank_was_killed(self):
        self.scene(100000)
        steps = 80  # some seconds, so that a rank is killed long before the end
        (self.folder / "frames").mkdir()
        for i in range(steps + 1):
            (self.folder / f"frames/{i:03}.ply").symlink_to(self.folder / f"{i % 2}.ply")
        saved = []
        for killed in (2, 0):  # rank 0 distributes the jobs and stores the answers
            process = self.start(3, "steps", "frames", "--out", "steps.json")
            self.wait_for(lambda: len(self.journal()) > len(saved))
            os.kill(self.ranks_of(process, 3)[killed], signal.SIGKILL)
            code, _, err = self.finish(process, LIMIT)
            self.assertNotIn(code, (0, 1, 3))
            self.assertIn("signal 9", err)
            self.assertFalse((self.folder / "steps.json").exists())
            kept = self.journal()
            self.assertEqual(kept[: len(saved)], saved)
            saved = kept
        self.assertGreater(len(saved), 1)
        self.assertLess(len(saved), steps)
        self.mpi(3, "steps", "frames", "--out", "steps.json", code=0)
        after = json.loads((self.folder / "steps.json").read_text())["steps"]
        for step in saved:
            self.assertIn(step, after)  # seconds too: not answered again
        self.assertEqual(len(after), steps)
        self.assertFalse((self.folder / "steps.json.journal").exists())

    def test_curves_and_options_work_as_in_one_process(self):
        self.scene(300, "--frames", 5)

        def check(name, *options):
            one = self.graze("steps", ".", *options, "--out", f"{name}-one").returncode
            self.mpi(3, "steps", ".", *options, "--out", f"{name}-many", code=one)
            self.assertEqual(self.records(f"{name}-many"), self.records(f"{name}-one"))
            self.assertNotEqual(self.records(f"{name}-many"), self.records("straight-one"))

        self.graze("steps", ".", "--out", "straight-one")
        self.at_once(check, (("curves", "--interpolate", "catmull-rom"), ("wide", "--min-separation", "0.01"),
                             ("early", "--t-max", "0.4")))
        self.at_once(lambda option, *values: self.assertIn(option, self.refused(2, "steps", ".", option, *values)),
                     (("--gpus", "0"), ("--device", "gpu")))

    def test_frames_may_be_repeated(self):
        self.scene(300)
        frames = ["1.ply", "2.ply"] * 20
        self.graze("steps", *frames, "--out", "one.json")
        self.mpi(3, "steps", *frames, "--out", "many.json", code=1)
        self.assertEqual(len(self.records("many.json")), 39)
        self.assertEqual(self.records("many.json"), self.records("one.json"))

    def test_a_full_disk_ends_all_ranks_and_keeps_the_answers(self):
        self.scene(500, "--frames", 40)
        resize = self.small_disk(8)
        self.assertIn("cannot be written", self.refused(3, "steps", ".", "--out", "disk/steps.json"))
        saved = self.journal("disk/steps.json")
        self.assertGreater(len(saved), 1)
        self.assertFalse((self.folder / "disk/steps.json").exists())
        resize(1000)
        self.mpi(2, "steps", ".", "--out", "disk/steps.json", code=1)  # another number of ranks may continue
        steps = json.loads((self.folder / "disk/steps.json").read_text())["steps"]
        self.assertEqual(len(steps), 39)
        for step in saved:
            self.assertIn(step, steps)

    def test_frames_that_differ_between_ranks_are_found_before_work(self):
        self.scene(500, "--frames", 4)
        frames = [f"{i}.ply" for i in range(4)]
        self.graze("steps", *frames, "--out", "one.json")
        for rank in range(3):
            (self.folder / f"copy{rank}").mkdir()
            for frame in frames:
                (self.folder / f"copy{rank}" / frame).write_bytes((self.folder / frame).read_bytes())
        self.mpi(3, "steps", "copy{rank}", "--out", "many.json", code=1)
        for one, many in zip(self.records("one.json"), self.records("many.json")):
            for key in ("verdict", "toi", "toi_hi", "contacts", "pairs"):
                self.assertEqual(many[key], one[key])
        changed = self.folder / "copy2/3.ply"
        whole = changed.read_bytes()
        for contents, saying in ((whole[:-5], "3.ply: differs between ranks"), (b"x" + whole[1:], "other contents")):
            changed.write_bytes(contents)
            self.assertIn(saying, self.refused(3, "steps", "copy{rank}", "--out", "bad.json"))
        changed.unlink()
        self.assertIn("different numbers of files", self.refused(3, "steps", "copy{rank}", "--out", "bad.json"))
        self.assertFalse((self.folder / "bad.json").exists())
        changed.write_bytes(whole)
        self.mpi(3, "steps", "copy{rank}", "--out", "bad.json", code=1)

    def test_a_frame_that_cannot_be_read_ends_all_ranks(self):
        self.scene(1000, "--frames", 6)
        (self.folder / "3.ply").write_bytes((self.folder / "3.ply").read_bytes()[:500])
        self.assertIn("3.ply", self.refused(3, "steps", ".", "--out", "steps.json"))


class Query(MpiTest):
    def sets(self, **counts):
        """Writes a set of queries of each kind; returns the names of the files."""
        for kind, count in counts.items():
            self.generate(f"{kind}.npy", "lattice2", {"vf": "vertex-face", "ee": "edge-edge"}[kind], count, 3)
        return [f"{kind}.npy" for kind in counts]

    def test_answers_are_those_of_one_process(self):
        files = self.sets(vf=30000, ee=30000)  # 59 blocks; the one in the middle has queries of both files
        for out in ("one.csv", "one.npy"):
            one = json.loads(self.answer("query", *files, "--out", out, "--json"))
        self.assertGreater(min(one["contact"], one["separated"]), 1000)

        def check(n, kind):
            out = self.mpi(n, "query", *files, "--out", f"many{n}.{kind}", "--json")
            many = json.loads(out)
            self.assertEqual((self.folder / f"many{n}.{kind}").read_bytes(),
                             (self.folder / f"one.{kind}").read_bytes(), n)
            for field in ("queries", "contact", "separated", "earliest"):
                self.assertEqual(many[field], one[field])

        self.at_once(check, [(n, kind) for n in RANKS
                             for kind in (("npy", "csv") if WHOLE or n in (3, 16) else ("npy",))])
        self.assertFalse(list(self.folder.glob("*.part")) + list(self.folder.glob("*.journal")))

    def test_options_work_as_in_one_process(self):
        (file,) = self.sets(ee=3000)
        options = ("--kind", "edge-edge", "--method", "tight_inclusion", "--max-checks", "20", "--t-max", "0.7",
                   "--min-separation", "0.01", "--threads", "2")
        self.answer("query", file, "--out", "default.npy")
        self.answer("query", file, *options, "--out", "one.npy")
        self.mpi(3, "query", file, *options, "--out", "many.npy")
        one, many, default = ((self.folder / f"{name}.npy").read_bytes() for name in ("one", "many", "default"))
        self.assertEqual(many, one)
        self.assertNotEqual(many, default)

    def test_options_of_one_query_or_of_proofs_are_refused(self):
        files = self.sets(vf=10)
        self.at_once(lambda *arguments: self.assertIn(arguments[0], self.refused(2, "query", *files, *arguments)),
                     (["--certificate", "proof.json"], ["--show", 1, "--html", "a.html"], ["--device", "gpu"]))
        self.assertFalse(list(self.folder.glob("*.json")) + list(self.folder.glob("*.html")))

    def test_files_that_differ_between_ranks_are_found_before_work(self):
        files = self.sets(vf=5000, ee=5000)
        self.answer("query", *files, "--out", "one.npy")
        run = ("query", *self.copies(*files), "--out", "many.npy")
        self.mpi(3, *run)
        self.assertEqual((self.folder / "many.npy").read_bytes(), (self.folder / "one.npy").read_bytes())
        (self.folder / "many.npy").unlink()
        short, changed, missing = self.altered("ee.npy", rank=2)
        self.at_once(lambda reason, file: self.assertIn(reason, self.refused(3, *run[:2], file, *run[3:])),
                     (("{rank}-short-ee.npy: differs between ranks", short), ("bytes on rank 0", short),
                      ("{rank}-changed-ee.npy: differs between ranks", changed),
                      ("rank 2 has other contents", changed), ("2-missing-ee.npy", missing)))
        self.assertFalse(list(self.folder.glob("many.*")))

    def test_a_run_continues_where_it_stopped(self):
        count = 60000
        files = self.sets(ee=count)
        self.answer("query", *files, "--out", "one.npy")
        resize = self.small_disk(2500)  # the answers take 72 bytes each, so it holds about half of them
        line = self.refused(3, "query", *files, "--out", "disk/many.npy")
        self.assertIn("cannot be written: No space left on device", line)
        self.assertFalse((self.folder / "disk/many.npy").exists())
        journal = (self.folder / "disk/many.npy.journal").read_text().splitlines()
        self.assertGreater(len(journal), 1)
        self.assertGreater(count // json.loads(journal[0])["block"], 3 * max(RANKS))  # work for all ranks
        resize(100000)
        self.mpi(7, "query", *files, "--out", "disk/many.npy")  # another number of ranks may continue
        self.assertEqual((self.folder / "disk/many.npy").read_bytes(), (self.folder / "one.npy").read_bytes())


class Bench(MpiTest):
    METHODS = "exact,tight_inclusion,cubic_root,safe_cubic"

    def rows(self, out):
        """Returns the rows by method and set: counts, and times."""
        found = {}
        for row in json.loads(out)["rows"]:
            counts = ("queries", "hits", "false_positives", "false_negatives", "undecided", "late")
            found[row["method"], row["set"], row["kind"]] = [row[k] for k in counts], row["ns_per_query"]
        return found

    def test_rows_are_those_of_one_process_and_are_kept(self):
        if not Path(GRAZE_MPI).with_name("graze-bench").exists():
            self.skipTest("graze-bench is not built")
        (self.folder / "set").mkdir()
        for kind in ("vertex-face", "edge-edge"):
            self.answer("generate", "near_ulp", "--kind", kind, "--count", 100, "--out", f"set/{kind}.csv")
        arguments = ("bench", "set", "--methods", self.METHODS, "--json", "--out")
        one = self.rows(self.answer(*arguments, "one"))
        self.assertEqual(len(one), 8)
        for ranks in RANKS if WHOLE else (3, 7):  # also more ranks than methods
            many = self.rows(self.mpi(ranks, *arguments, f"many{ranks}"))
            self.assertEqual({k: counts for k, (counts, _) in many.items()},
                             {k: counts for k, (counts, _) in one.items()}, ranks)
            self.assertFalse((self.folder / f"many{ranks}/shared").exists())
        # A second run has the same times: nothing is measured again. Times of one more method are added.
        self.assertEqual(self.rows(self.mpi(2, *arguments, "many3")), self.rows(self.mpi(3, *arguments, "many3")))
        more = self.rows(self.mpi(2, *[f"{a},root_parity" if a == self.METHODS else a for a in arguments], "many3"))
        self.assertEqual(len(more), 10)
        self.mpi(2, "bench", "set", "--methods", "exact,cubic_root", "--budget", "0.01")
        self.assertTrue((self.folder / "graze-results/results.json").exists())

    def test_what_cannot_be_shared_is_refused(self):
        self.at_once(lambda word, *arguments: self.assertIn(word, self.refused(2, "bench", *arguments)),
                     (("--suite", "--suite", "step", "--out", "results"), ("--papers", "--papers"),
                      ("no_such_method", "set", "--methods", "no_such_method", "--out", "r")))


# Runs a rank, survives the signals that it gets, and writes its exit code to a file that has the name of the run. Ends when all ranks have written
# theirs, since mpirun kills the others as soon as one ends.
RECORD = """
import os, signal, subprocess, sys, time
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1)
for number in SIGNALS:
    signal.signal(number, signal.SIG_IGN)
def restore():
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)
name = sys.argv[1]
code = subprocess.call(sys.argv[2:], preexec_fn=restore)
rank, size = (int(os.environ["OMPI_COMM_WORLD_" + name]) for name in ("RANK", "SIZE"))
with open(f"part.{name}.{rank}", "w") as file:
    file.write(str(code))
os.rename(f"part.{name}.{rank}", f"code.{name}.{rank}")
end = time.monotonic() + 20
while not all(os.path.exists(f"code.{name}.{r}") for r in range(size)) and time.monotonic() < end:
    time.sleep(0.02)
sys.exit(code)
"""


class ExitCodes(MpiTest):
    def start_recorded(self, name, ranks, *arguments, launcher=(MPIRUN,)):
        # A shell starts its background jobs, perhaps these tests, with SIGINT ignored.
        command = ["env", "--default-signal=INT", *launcher, str(ranks), sys.executable, "-c", RECORD, name, GRAZE_MPI,
                   *map(str, arguments)]
        return subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                start_new_session=True)

    def recorded(self, name):
        return [int(file.read_text()) for file in self.folder.glob(f"code.{name}.*")]

    def check_codes(self, name, process, ranks, code):
        """Waits for the run and checks the exit codes of mpirun and of the ranks."""
        got, _, err = self.finish(process, LIMIT)
        self.assertEqual((got, self.recorded(name)), (code, ranks * [code]), (name, err))

    def test_every_rank_returns_the_code_of_one_process(self):
        self.scene(300)

        def check(code, *arguments):
            self.assertEqual(self.graze(*arguments).returncode, code, arguments)
            name = f"{abs(hash(arguments))}"
            self.check_codes(name, self.start_recorded(name, 3, *arguments), 3, code)

        self.at_once(check, ((0, "step", "0.ply", "1.ply"), (1, "step", "1.ply", "2.ply"),
                             (3, "step", "1.ply", "2.ply", "--method", "tight_inclusion", "--max-checks", 1),
                             (2, "step", "0.ply", "none.ply"), (2, "--no-such-option"), (1, "steps", ".")))

    def test_an_interrupted_run_returns_130_on_every_rank(self):
        """Ctrl-C of a terminal interrupts all processes of the group; kill interrupts one."""
        self.scene(100000)

        def check(interrupt):
            name = interrupt.__name__
            process = self.start_recorded(name, 2, "steps", *["1.ply", "2.ply"] * 200, "--out", f"{name}.json")
            self.wait_for(lambda: self.journal(f"{name}.json"))
            interrupt(process.pid, signal.SIGINT)
            self.check_codes(name, process, 2, 130)

        self.at_once(check, [(os.killpg,), (os.kill,)])

    def test_mpirun_alone_terminates_all_ranks_after_an_interrupt(self):
        """After Ctrl-C, mpirun of Open MPI 4.1 sends SIGTERM to the ranks, which return 143; it returns 1 itself."""
        self.scene(100000)
        root = [f"OMPI_ALLOW_RUN_AS_ROOT{end}=1" for end in ("", "_CONFIRM")]
        launcher = (*root, "mpirun", "--oversubscribe", "-n")
        process = self.start_recorded("alone", 2, "steps", *["1.ply", "2.ply"] * 200, "--out", "steps.json",
                                      launcher=launcher)
        self.wait_for(self.journal)
        os.kill(process.pid, signal.SIGINT)
        code, _, err = self.finish(process, LIMIT)
        self.assertIn(code, (1, 130), err)
        end = time.monotonic() + 10  # mpirun may return first, or kill a rank that is slow to end
        while len(self.recorded("alone")) < 2 and time.monotonic() < end:
            time.sleep(0.05)
        self.assertLessEqual(set(self.recorded("alone")), {143})


class Usage(MpiTest):
    def test_every_option_of_graze_has_a_test(self):
        def options(*program):
            text = subprocess.run([*program, "--help"], capture_output=True, text=True, check=True).stdout
            lines = (line.split() for line in text.splitlines())
            return {word.strip(",") for words in lines for word in words[:1] if word.startswith("--")} - {"--help"}

        step = {option for group in OPTIONS_OF_STEP.values() for option in group}
        self.assertEqual(options(command_test.GRAZE, "step"), step)
        for command, more in MORE_OPTIONS.items():
            self.assertLessEqual(options(command_test.GRAZE, command), step | more)
        for command in ("step", *MORE_OPTIONS):
            self.assertEqual(options(MPIRUN, "1", GRAZE_MPI, command), options(command_test.GRAZE, command))

    def test_bad_usage_is_one_line_from_one_rank(self):
        self.assertTrue(self.refused(3, "step", "--no-such-option").startswith("graze-mpi: "))
        self.assertIn("none.ply", self.refused(3, "step", "none.ply", "none.ply"))


def run_side_by_side(names):
    """Runs the tests of these names, all tests if none is given, a few at the same time: a test mostly waits for
    mpirun. Prints the result of each; returns the exit code."""
    loader, module = unittest.defaultTestLoader, sys.modules[__name__]
    suites = loader.loadTestsFromNames(names, module) if names else loader.loadTestsFromModule(module)

    def tests_of(suite):
        return [suite] if isinstance(suite, unittest.TestCase) else [test for part in suite for test in tests_of(part)]

    def run(test):
        begin = time.monotonic()
        result = test.run()
        what = "ok" if result.wasSuccessful() else "FAILED"
        what = f"skipped '{result.skipped[0][1]}'" if result.skipped else what
        text = "".join(trace for _, trace in result.errors + result.failures)
        print(f"{text}{test.id().partition('.')[2]} ... {what} ({time.monotonic() - begin:.1f} s)", flush=True)
        return result.testsRun == 1 and result.wasSuccessful()

    tests = tests_of(suites)[::-1]  # Steps first, which has the longest test
    with ThreadPoolExecutor(6) as workers:
        passed = list(workers.map(run, tests))
    print(f"{sum(passed)} of {len(tests)} tests passed")
    return 0 if passed and all(passed) else 1


if __name__ == "__main__":
    command_test.GRAZE = str(Path(sys.argv.pop(1)).resolve())
    sys.exit(run_side_by_side(sys.argv[1:]))
