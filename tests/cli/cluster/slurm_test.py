#!/usr/bin/env python3
"""Runs assets/cluster/slurm.sh below a real Slurm of two nodes on this machine.

slurm_test.py WEFT [TEST...], as root; ./dev test --long cluster installs the packages and runs it.
munged, slurmctld and two slurmd run in process and network namespaces of their own, with all their
files in a temporary folder: nothing is left of them, and no other Slurm of this machine is touched.
Both nodes claim 16 cores and 64 GB, of which the script asks for some. Closes with "N passed, N
failed, N skipped".
"""

import csv
import fcntl
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "assets/cluster/slurm.sh"
PAGE = ROOT / "docs/cluster.md"
NAMESPACES = ["unshare", "--fork", "--pid", "--kill-child", "--mount-proc", "--net"]
FRAMES = 2000  # eight segments
STACK = "sobel,box"  # whole numbers: the same bits on every device
NODES = {"n1": 7821, "n2": 7822}

# cred_expire also is the time that a requeued task waits. KillWait: from SIGTERM to SIGKILL.
CONFIG = """
ClusterName=weft
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort=7817
SlurmUser=root
AuthInfo=socket={folder}/munge/socket,cred_expire=5
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=1,sched_interval=1,bf_interval=1
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
KillWait=5
MinJobAge=7200
ReturnToService=0
PartitionName=low Nodes=ALL Default=YES PriorityTier=1
PartitionName=high Nodes=ALL PriorityTier=10 PreemptMode=OFF
"""
NODE = "NodeName={name} Port={port} NodeHostname={host} NodeAddr=127.0.0.1 CPUs=16 RealMemory=65536\n"
ENDED = {"COMPLETED", "FAILED", "CANCELLED", "NODE_FAIL", "TIMEOUT"}


def run(*words, code=0, **more):
    """Standard output of a command that must end with `code`."""
    words = [str(word) for word in words]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=600, check=False, **more)
    if done.returncode != code:
        raise AssertionError(f"{' '.join(words)}: exit code {done.returncode}, not {code}:\n"
                             f"{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done.stdout


def wait_for(what, condition, seconds=300):
    """The first true value of `condition()`."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    raise AssertionError(f"{seconds} s passed without: {what}")


def use_loopback():
    """Brings up the network of this namespace. With 127.0.0.1 alone getaddrinfo() finds no names."""
    with socket.socket() as any_socket:
        up = struct.pack("16sh", b"lo", 0x41)
        second = struct.pack("16sH2s4s8x", b"lo:1", socket.AF_INET, b"",
                             socket.inet_aton("127.0.0.2"))
        fcntl.ioctl(any_socket, 0x8914, up)  # SIOCSIFFLAGS
        fcntl.ioctl(any_socket, 0x8916, second)  # SIOCSIFADDR


def environment(process):
    return (process / "environ").read_text(errors="replace").split("\0")


def kill_processes(chosen):
    """Kills all of this namespace for whose folder in /proc `chosen` is true."""
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if int(process.name) != os.getpid() and chosen(process):
                os.kill(int(process.name), signal.SIGKILL)
        except (FileNotFoundError, ProcessLookupError):
            pass


class Cluster:
    """Two nodes, with a partition whose tasks give way to those of another."""

    def __init__(self, folder):
        self.folder = folder
        self.nodes = {}
        for name in ("state", "munge", "spool-n1", "spool-n2"):
            (folder / name).mkdir()
        host = socket.gethostname().split(".")[0]
        nodes = "".join(NODE.format(name=name, port=port, host=host)
                        for name, port in NODES.items())
        (folder / "slurm.conf").write_text(CONFIG.format(folder=folder, host=host) + nodes)
        key = folder / "munge/key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        os.environ["SLURM_CONF"] = str(folder / "slurm.conf")

    def start(self):
        munge = self.folder / "munge"
        self.daemon("munged", "--foreground", "--force", *(
            f"--{name}={munge / name.split('-')[0]}"
            for name in ("key-file", "socket", "pid-file", "log-file", "seed-file")))
        wait_for("munged", (munge / "socket").exists, 20)
        self.daemon("slurmctld", "-D", "-i")
        for node in NODES:
            self.start_node(node)
        wait_for("two idle nodes", lambda: self.node_states() == {"n1": "idle", "n2": "idle"}, 60)

    def daemon(self, name, *words):
        with open(self.folder / "daemons.log", "ab") as log:
            return subprocess.Popen([f"/usr/sbin/{name}", *words], stdin=subprocess.DEVNULL,
                                    stdout=log, stderr=log)

    def start_node(self, node):
        self.nodes[node] = self.daemon("slurmd", "-D", "-N", node)

    def lose_power(self, node):
        """Ends the node and all that runs there at once."""
        self.nodes[node].kill()
        self.nodes[node].wait()
        kill_processes(lambda process: f"SLURMD_NODENAME={node}" in environment(process) or
                       os.readlink(process / "cwd") == str(self.folder / f"spool-{node}"))

    @staticmethod
    def node_states():
        lines = subprocess.run(["sinfo", "-h", "-N", "-p", "low", "-o", "%N %t"],
                               capture_output=True, text=True, check=False).stdout.splitlines()
        return dict(line.split() for line in lines)

    def set_node(self, node, state):
        run("scontrol", "update", f"nodename={node}", f"state={state}", "reason=test")
        if state == "resume":
            wait_for(f"{node} in use again", lambda: self.node_states()[node] in ("idle", "mix"))

    @staticmethod
    def tasks(job):
        """The fields of each task of an array that has begun, by its number."""
        tasks = {}
        for line in run("scontrol", "-o", "show", "job", job).splitlines():
            fields = dict(re.findall(r"(?<!\S)(\w+)=(\S*)", line))
            if fields.get("ArrayTaskId", "0").isdigit():
                tasks[int(fields.get("ArrayTaskId", 0))] = fields
        return tasks

    def wait(self, job, count):
        """The tasks of an array after the last of `count` has ended."""
        def ended():
            tasks = self.tasks(job)
            done = [task for task in tasks.values() if task["JobState"] in ENDED]
            return tasks if len(done) == count else None
        return wait_for(f"the end of job {job}", ended)


class SlurmTest(unittest.TestCase):
    """Each test has a folder with its inputs, plan, logs and outputs."""

    @classmethod
    def setUpClass(cls):
        work = cls.cluster.folder / "clips"
        work.mkdir()
        cls.film = work / "film.mkv"
        video = ["-c:v", "libx264", "-preset", "ultrafast", "-g", "15"]
        source = "testsrc2=size=256x144:rate=25:duration="
        ffmpeg = ["ffmpeg", "-v", "error", "-f", "lavfi", "-i"]
        run(*ffmpeg, f"{source}{FRAMES // 25}", *video, cls.film)
        cls.clip = work / "clip.mkv"
        run(*ffmpeg, f"{source}0.5", *video, cls.clip)
        cls.whole = work / "whole.mkv"
        run(cls.weft, "batch", *cls.options(), "--resume", "-o", cls.whole, cls.film)

    @staticmethod
    def options():
        return ["-vf", STACK, "-threads", "2", "-preset", "medium"]

    def setUp(self):
        self.folder = self.cluster.folder / self.id().split(".")[-1]
        (self.folder / "in").mkdir(parents=True)
        self.plan = self.folder / "films.plan"
        self.out = self.folder / "out"
        self.kept = self.out / ".film.mkv.weft-resume"

    def make_plan(self, clips, films, shards, *more):
        for k in range(clips):
            shutil.copy(self.clip, self.folder / f"in/clip{k}.mkv")
        if films:
            shutil.copy(self.film, self.folder / "in/film.mkv")
        run(self.weft, "batch", *self.options(), "--recursive", "-o", f"{self.out}/",
            self.folder / "in", "--plan", self.plan, "--shards", shards, *more)

    def submit(self, tasks, *more):
        """Submits the script of the documentation and returns the number of the job."""
        answer = run("sbatch", f"--array={tasks}", *more, SCRIPT, self.plan, cwd=self.folder)
        return re.fullmatch(r"Submitted batch job (\d+)\n", answer)[1]

    def check(self, code, *more):
        return run(self.weft, "batch", "--run", self.plan, "--check", *more, code=code)

    def log(self, job, task):
        return (self.folder / f"weft-{job}_{task}.log").read_text()

    def states(self):
        """Inode and time of each file in the output folder."""
        return {path.name: (path.stat().st_ino, path.stat().st_mtime_ns)
                for path in self.out.iterdir()}

    def receipt(self, name):
        return json.loads((self.out / f".{name}.weft.json").read_text())

    def shard_of(self, name):
        lines = [json.loads(line) for line in self.plan.read_text().splitlines()[2:]]
        return next(line["shard"] for line in lines if line["output"].endswith("/" + name))

    def hold_film(self, job):
        """Stops the task with the film after some segments, and returns its number and node."""
        task = self.shard_of("film.mkv") - 1
        some = self.whole.stat().st_size // 3
        wait_for("finished segments", lambda: self.kept.exists() and
                 self.kept.stat().st_size > some)
        run("scancel", "--signal=STOP", "--full", f"{job}_{task}")
        self.assertFalse((self.out / "film.mkv").exists(), "the film was too short for this test")
        return task, self.cluster.tasks(job)[task]["NodeList"]

    def expect_all_done(self):
        """Every file is there once, with a receipt that `weft prove` confirms, and nothing else."""
        self.assertRegex(self.check(0), r"^(\d+) of \1 files( and parts)? done\n$")
        names = {path.name for path in (self.folder / "in").iterdir()}
        self.assertEqual(set(self.states()), names | {f".{name}.weft.json" for name in names})
        run(self.weft, "prove", "--sample", "10%", self.out)
        if "film.mkv" in names:
            same = (self.out / "film.mkv").read_bytes() == self.whole.read_bytes()
            self.assertTrue(same, "the film has other bytes than that of an undisturbed run")

    def expect_continued(self, job, task):
        """The film's task ran twice, and the second time took over segments of the first."""
        self.assertEqual(self.cluster.tasks(job)[task]["Restarts"], "1")
        self.assertEqual(self.receipt("film.mkv")["run"]["engine"],
                         f"Slurm array {job}, task {task}, attempt 2")
        self.assertRegex(self.log(job, task), r"film\.mkv: .*\([1-9]\d* taken over")

    def test_array_does_every_file_once(self):
        self.make_plan(9, 0, 6)
        self.check(3)
        job = self.submit("0-5%4")
        tasks = self.cluster.wait(job, 6)
        self.assertEqual({task["JobState"] for task in tasks.values()}, {"COMPLETED"})
        self.assertEqual({task["NodeList"] for task in tasks.values()}, set(NODES))
        for k in range(9):
            name = f"clip{k}.mkv"
            self.assertEqual(self.receipt(name)["run"]["engine"],
                             f"Slurm array {job}, task {self.shard_of(name) - 1}")
        for task in range(6):
            self.assertIn(f"shard {task + 1} of 6 (Slurm array {job}, task {task})",
                          self.log(job, task))
            self.assertNotIn("skipped", self.log(job, task))
        self.expect_all_done()

    def test_preempted_task_continues(self):
        self.make_plan(3, 1, 4)
        job = self.submit("0-3")
        task, node = self.hold_film(job)
        run("sbatch", "--partition=high", "--exclusive", f"--nodelist={node}",
            f"--output={self.folder}/high.log", "--wrap=exit 0")
        self.assertEqual(self.cluster.wait(job, 4)[task]["ExitCode"], "0:0")
        self.assertIn("DUE TO PREEMPTION", self.log(job, task))
        self.assertIn("stopped by a signal", self.log(job, task))
        self.expect_continued(job, task)
        self.expect_all_done()

    def test_node_set_down_in_mid_segment(self):
        self.make_plan(3, 1, 4)
        job = self.submit("0-3")
        task, node = self.hold_film(job)
        self.cluster.set_node(node, "down")
        tasks = self.cluster.wait(job, 4)
        self.cluster.set_node(node, "resume")
        self.assertNotEqual(tasks[task]["NodeList"], node)
        self.expect_continued(job, task)
        self.expect_all_done()

    def test_node_without_power_in_mid_segment(self):
        self.make_plan(3, 1, 4)
        job = self.submit("0-3")
        task, node = self.hold_film(job)
        self.cluster.lose_power(node)
        self.cluster.set_node(node, "down")
        tasks = self.cluster.wait(job, 4)
        self.cluster.start_node(node)
        self.cluster.set_node(node, "resume")
        self.assertNotEqual(tasks[task]["NodeList"], node)
        self.expect_continued(job, task)
        self.expect_all_done()

    def test_killed_task_is_in_the_sparse_retry(self):
        self.make_plan(5, 1, 6)
        job = self.submit("0-5")
        task, _ = self.hold_film(job)
        kill_processes(lambda process: f"SLURM_ARRAY_TASK_ID={task}" in environment(process))
        killed = self.cluster.wait(job, 6)[task]
        self.assertEqual((killed["JobState"], killed["ExitCode"]), ("FAILED", "0:9"))
        (self.out / "clip2.mkv").unlink()
        (self.out / ".clip4.mkv.weft.json").unlink()
        missing = {name: self.shard_of(name) - 1 for name in ("clip2.mkv", "clip4.mkv")}
        before = self.states()
        retry = self.check(3, "-f", "slurm").strip()
        self.assertEqual(retry, ",".join(map(str, sorted({task, *missing.values()}))))
        again = self.submit(retry)
        self.cluster.wait(again, len(retry.split(",")))
        for name, shard in missing.items():
            self.assertEqual(self.receipt(name)["run"]["engine"],
                             f"Slurm array {again}, task {shard}")
        after = self.states()
        for name in before.keys() & {f"clip{k}.mkv" for k in (0, 1, 3, 4)}:
            self.assertEqual(after[name], before[name], f"{name} was written again")
        self.expect_all_done()

    def test_requeue_after_success_rewrites_nothing(self):
        self.make_plan(4, 1, 3)
        job = self.submit("0-2")
        self.cluster.wait(job, 3)
        before = self.states()
        for task in range(3):
            run("scontrol", "requeue", f"{job}_{task}")
        tasks = self.cluster.wait(job, 3)
        self.assertEqual({task["Restarts"] for task in tasks.values()}, {"1"})
        self.assertEqual({task["JobState"] for task in tasks.values()}, {"COMPLETED"})
        self.assertEqual(self.states(), before)
        self.expect_all_done()

    def page_lines(self, files, shards):
        """The first example of the page, with the folders, stack and number of shards of a test."""
        lines = re.search(r"```sh\n(.*?)```", PAGE.read_text(), re.DOTALL)[1]
        for pattern, text in ((r"-vf \S+", " ".join(self.options())), (r"/proj/films(?!\.)", str(files)),
                              (r"/proj/", f"{self.folder}/proj/"), (r"--shards \d+", f"--shards {shards}")):
            lines, count = re.subn(pattern, text, lines)
            self.assertGreater(count, 0, pattern)
        return lines

    def test_page_ends_by_itself_with_unreadable_files_and_a_lost_node(self):
        files = self.folder / "in"
        good = {f"clip{k}.mkv" for k in range(4)} | {"film.mkv"}
        for name in good:
            shutil.copy(self.film if name == "film.mkv" else self.clip, files / name)
        (files / "text.mkv").write_text("no film")
        (files / "empty.mp4").touch()
        run("mount", "--bind", files, files)
        run("mount", "-o", "remount,bind,ro", files)
        self.addCleanup(run, "umount", files)
        (self.folder / "proj").mkdir()
        shutil.copy(SCRIPT, self.folder)
        self.plan = self.folder / "proj/films.plan"
        self.out = self.folder / "proj/soft"
        self.kept = self.out / ".film.mkv.weft-resume"
        printed = self.folder / "page.log"
        with open(printed, "w", encoding="utf-8") as log:
            page = subprocess.Popen(["bash", "-c", self.page_lines(files, 4)], cwd=self.folder,
                                    stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        submitted = wait_for("the first array", lambda: re.search(r"batch job (\d+)\n", printed.read_text()))
        task, node = self.hold_film(submitted[1])
        self.cluster.lose_power(node)
        self.cluster.set_node(node, "down")
        wait_for("the film", (self.out / ".film.mkv.weft.json").exists)
        self.cluster.start_node(node)
        self.cluster.set_node(node, "resume")
        page.wait(300)  # with the code of the last array
        self.assertEqual(len(re.findall("Submitted batch job", printed.read_text())), 3)
        self.assertTrue((self.out / "film.mkv").read_bytes() == self.whole.read_bytes())
        listed = self.check(3)
        self.assertIn("empty.mp4: is empty (0 bytes) (attempt 3 of 3)\n", listed)
        self.assertRegex(listed, r"\n5 of 7 files done, 2 failed\n$")
        proof = run(self.weft, "prove", self.out, code=3)
        self.assertEqual(set(re.findall(r"/soft/(\S+): proven: ", proof)), good)
        table = self.check(3, "-f", "csv")
        print(f"{printed.read_text()}{listed}{proof}{table}", flush=True)
        rows = list(csv.DictReader(table.splitlines()))
        self.assertEqual({pathlib.Path(row["file"]).name for row in rows if row["status"] == "done"}, good)
        self.assertEqual(self.check(3, "-f", "html").count("<tr class="), len(rows))

    def test_one_film_over_several_tasks(self):
        self.make_plan(0, 1, 3, "--split", 3)
        job = self.submit("0-2")
        self.cluster.wait(job, 3)
        run(self.weft, "batch", "--run", self.plan, "--join")
        self.expect_all_done()


def run_tests(weft, folder, names):
    """Inside the namespaces."""
    use_loopback()
    os.environ["PATH"] = f"{weft.parent}:{os.environ['PATH']}"
    SlurmTest.weft = weft
    SlurmTest.cluster = Cluster(folder)
    SlurmTest.cluster.start()
    names = names or unittest.defaultTestLoader.getTestCaseNames(SlurmTest)
    tests = unittest.TestSuite(map(SlurmTest, names))
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(tests)
    failed = len(result.failures) + len(result.errors)
    logs = [folder / "daemons.log"] if failed else []
    for test, _ in result.failures + result.errors:
        logs += sorted((folder / test.id().split(".")[-1]).glob("*.log"))
    for log in logs:
        print(f"\n---- {log}\n{log.read_text(errors='replace')[-10_000:]}")
    print(f"\n{result.testsRun - failed} passed, {failed} failed, 0 skipped", flush=True)
    return 1 if failed else 0


def why_not():
    """Why the cluster cannot run here; empty if it can."""
    for program in ("munged", "slurmctld", "slurmd"):
        if not os.access(f"/usr/sbin/{program}", os.X_OK):
            return f"{program} is not installed"
    tried = subprocess.run([*NAMESPACES, "true"], capture_output=True, text=True, check=False)
    return "no namespaces here: " + tried.stderr.strip() if tried.returncode else ""


def main():
    weft = pathlib.Path(sys.argv[1]).resolve()
    names = sys.argv[2:]
    if names[:1] == ["--inside"]:
        return run_tests(weft, pathlib.Path(names[1]), names[2:])
    reason = why_not()
    if reason:
        print(f"  skipped 1: {reason}\n\n0 passed, 0 failed, 1 skipped")
        return 0
    # A stopped test removes the folder, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory(prefix="weft-slurm-") as folder:
        words = [*NAMESPACES, sys.executable, __file__, str(weft), "--inside", folder, *names]
        with subprocess.Popen(words, stdin=subprocess.DEVNULL) as inside:
            try:
                return inside.wait()
            finally:
                inside.kill()


if __name__ == "__main__":
    sys.exit(main())
