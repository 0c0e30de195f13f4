#!/usr/bin/env python3
"""A Slurm cluster of several nodes on this one machine, for tests of programs that use Slurm.

  slurm_cluster.py up DIR [--nodes N] [--gpus N] [--cpus N] [--set KEY=VALUE]...
  slurm_cluster.py status DIR            the nodes and their states
  slurm_cluster.py kill DIR NODE         end a node like a power cut: its daemon, its jobs, all that they started
  slurm_cluster.py start DIR NODE        bring a killed node back
  slurm_cluster.py drain DIR NODE        let its jobs end and give it no others
  slurm_cluster.py resume DIR NODE       end the draining; also notice at once that a node is lost or back
  slurm_cluster.py down DIR              end everything and remove DIR; safe to call twice

The daemons are the distribution's: munged, slurmctld and one slurmd for each node n0, n1, ... All their files are in
DIR, which must hold nothing else. They listen on loopback only, on free ports. GPUs are placeholder files: jobs get
CUDA_VISIBLE_DEVICES, but no devices. --set adds a line to slurm.conf or replaces one, as in --set MaxArraySize=11. Neither
systemd nor privileges are needed. Clients find the cluster through SLURM_CONF, which `up` prints as a line for the shell. Exit codes: 0 done, 1 failed or not running, 2 wrong usage, 3 Slurm is not installed.
"""

import argparse
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from process_trees import all_processes, descendants, identity, kill_trees
from slurm_files import write_files

PACKAGES = "slurmctld slurmd slurm-client munge"
INSTALL = f"apt-get install -y --no-install-recommends {PACKAGES}"
PROGRAMS = ("munged", "slurmctld", "slurmd", "sinfo", "scontrol")
MARK = "cluster"  # `down` recognises our folders by this file
VARIABLE = "KGRADE_SLURM_CLUSTER"  # in the environment of every daemon: the folder of its cluster
LONGEST_PATH = 70  # characters of DIR: the paths of its sockets must fit into the 108 bytes of a socket address
START_SECONDS = 60
PR_SET_CHILD_SUBREAPER = 36


class Trouble(Exception):
    """An error to report: the message, the remedy, the exit code."""

    def __init__(self, message: str, remedy: str, code: int = 1):
        super().__init__(message)
        self.remedy = remedy
        self.code = code


class DaemonEnded(Trouble):
    """A daemon ended while the cluster was being started."""


def program(name: str) -> str | None:
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def wait_for(condition, seconds: float, complaint: str) -> None:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise Trouble(complaint, "see the logs of the daemons")
        time.sleep(0.05)


class Cluster:
    def __init__(self, directory: Path):
        self.directory = directory.absolute().resolve()
        self.conf = self.directory / "slurm.conf"

    def path(self, *parts: str) -> Path:
        return self.directory.joinpath(*parts)

    def exists(self) -> bool:
        return self.path(MARK).is_file()

    def nodes(self) -> list[str]:
        return self.path(MARK).read_text().split()

    def environment(self) -> dict[str, str]:
        return {**os.environ, "SLURM_CONF": str(self.conf)}

    def client(self, name: str, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run([program(name), *arguments], env=self.environment(), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False)

    def states(self) -> dict[str, str]:
        """The state of each node according to the controller, such as idle, mixed or down*; empty if it does not
        answer."""
        lines = self.client("sinfo", "--noheader", "--Node", "--format=%N %T").stdout.splitlines()
        return dict(line.split(maxsplit=1) for line in lines if line)

    # Each daemon runs under its own keeper.

    def keep(self, name: str, command: list[str]) -> None:
        """Starts a daemon. Its keeper adopts processes whose parents end, so that all of them can be found."""
        with open(self.path("log", f"{name}.out"), "ab") as log:
            subprocess.Popen([sys.executable, __file__, "keep", str(self.directory), name, *command],
                             stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                             cwd=self.directory, env={**self.environment(), VARIABLE: str(self.directory)})

    def keeper(self, name: str) -> int | None:
        """The keeper's process id, if it is running."""
        try:
            known = self.path("run", f"{name}.keeper").read_text()
        except OSError:
            return None
        pid = int(known.split()[0])
        return pid if identity(pid) == known else None

    def start_node(self, node: str) -> None:
        self.keep(node, [program("slurmd"), "-D", "-N", node, "-f", str(self.conf)])

    def start(self) -> None:
        self.keep("munged", [program("munged"), "--foreground", "--force",
                             f"--key-file={self.path('munge', 'key')}", f"--socket={self.path('munge', 'socket')}",
                             f"--pid-file={self.path('munge', 'pid')}", f"--seed-file={self.path('munge', 'seed')}",
                             f"--log-file={self.path('log', 'munged.log')}"])
        wait_for(self.path("munge", "socket").exists, START_SECONDS, "munged has not started")
        self.keep("slurmctld", [program("slurmctld"), "-D", "-c", "-f", str(self.conf)])
        for node in self.nodes():
            self.start_node(node)
        daemons = ("munged", "slurmctld", *self.nodes())
        wait_for(lambda: self.is_idle() or any(self.path("run", f"{name}.keeper").exists() and self.keeper(name) is None
                                               for name in daemons), START_SECONDS, "the nodes have not become idle")
        if not self.is_idle():
            raise DaemonEnded("a daemon has ended", "see its messages above")

    def is_idle(self) -> bool:
        return list(self.states().values()) == ["idle"] * len(self.nodes())

    def owned(self) -> set[int]:
        """All processes of this folder's daemons: descendants of the keepers, or recognised by their environment."""
        mark = f"{VARIABLE}={self.directory}\0".encode()
        roots = {pid for file in self.path("run").glob("*.keeper") if (pid := self.keeper(file.stem))}
        for pid in all_processes():
            try:
                if mark in Path(f"/proc/{pid}/environ").read_bytes() + b"\0":
                    roots.add(pid)
            except OSError:
                pass
        return descendants(roots)

    def down(self) -> None:
        # A keeper or a process that starts during one pass is found in the next pass.
        while running := self.owned():
            kill_trees(running)
        shutil.rmtree(self.directory, ignore_errors=False)


def claim(cluster: Cluster, nodes: int) -> None:
    """Takes an empty or missing folder. Refuses every other folder."""
    if cluster.exists():
        raise Trouble(f"there is already a cluster in {cluster.directory}", "take it down, or name another folder")
    if len(str(cluster.directory)) > LONGEST_PATH:
        raise Trouble(f"the path of {cluster.directory} is longer than {LONGEST_PATH} characters",
                      "use a shorter one, as in /tmp: the paths of sockets are limited")
    if any(character.isspace() for character in str(cluster.directory)):
        raise Trouble(f"there is a blank in '{cluster.directory}'", "use another folder: slurm.conf cannot quote blanks")
    cluster.directory.mkdir(parents=True, exist_ok=True)
    if any(cluster.directory.iterdir()):
        raise Trouble(f"{cluster.directory} is not empty", "name a folder that is new or empty")
    cluster.path(MARK).write_text(" ".join(f"n{index}" for index in range(nodes)))


def try_up(cluster: Cluster, options: argparse.Namespace) -> None:
    claim(cluster, options.nodes)
    try:
        write_files(cluster.directory, options)
        cluster.start()
    except BaseException:
        for log in sorted(cluster.path("log").glob("*")):
            lines = [line for line in log.read_text(errors="replace").splitlines()
                     if "error" in line.lower() or "fatal" in line.lower()]
            for line in lines[-3:]:
                print(f"{log.name}: {line}", file=sys.stderr)
        cluster.down()
        raise


def up(cluster: Cluster, options: argparse.Namespace) -> None:
    try:
        try_up(cluster, options)
    except DaemonEnded:
        # Another process may have taken one of the free ports in the meantime, so other ports are tried.
        try_up(cluster, options)
    print(f"export SLURM_CONF={cluster.conf}")


def status(cluster: Cluster, _options: argparse.Namespace) -> None:
    states = cluster.states() if cluster.exists() else {}
    if not states:
        raise Trouble(f"no cluster answers in {cluster.directory}", "slurm_cluster.py up DIR starts one")
    for node, state in states.items():
        print(f"{node} {state}{'' if cluster.keeper(node) else ' (killed)'}")


def kill(cluster: Cluster, options: argparse.Namespace) -> None:
    keeper = cluster.keeper(options.node)
    if keeper is None:
        raise Trouble(f"{options.node} is not running", "`status` says which nodes are")
    kill_trees({keeper})


def start(cluster: Cluster, options: argparse.Namespace) -> None:
    if cluster.keeper(options.node) is not None:
        raise Trouble(f"{options.node} is already running", "`resume` is for drained nodes")
    cluster.start_node(options.node)
    wait_for(lambda: cluster.states().get(options.node) in ("idle", "drained"), START_SECONDS,
             f"{options.node} has not come back")


def set_state(cluster: Cluster, node: str, state: str, *more: str) -> None:
    outcome = cluster.client("scontrol", "update", f"NodeName={node}", f"State={state}", *more)
    if outcome.returncode != 0:
        raise Trouble(outcome.stderr.strip(), "`status` says what state the node is in")


def drain(cluster: Cluster, options: argparse.Namespace) -> None:
    set_state(cluster, options.node, "DRAIN", "Reason=asked for")


def resume(cluster: Cluster, options: argparse.Namespace) -> None:
    if cluster.keeper(options.node) is None:
        raise Trouble(f"{options.node} is not running", "`start` brings it back")
    set_state(cluster, options.node, "RESUME")
    # Until the controller hears from the node again, its state is idle*, and it gets no jobs.
    wait_for(lambda: cluster.states().get(options.node) in ("idle", "mixed", "allocated"), START_SECONDS,
             f"{options.node} does not accept jobs")


def down(cluster: Cluster, _options: argparse.Namespace) -> None:
    if cluster.exists():
        cluster.down()
    elif cluster.directory.exists():
        raise Trouble(f"there is no cluster in {cluster.directory}", "nothing was changed; name the folder given to `up`")


def keep(directory: Path, name: str, command: list[str]) -> int:
    """Runs as a keeper: adopts processes that the daemon leaves behind, until all of them have ended."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    # The file is first written under another name, so that no reader sees half of it.
    unfinished = directory / "run" / f"{name}.unfinished"
    unfinished.write_text(identity(os.getpid()))
    unfinished.rename(unfinished.with_suffix(".keeper"))
    subprocess.Popen(command)
    while True:
        try:
            os.wait()
        except ChildProcessError:
            return 0


def number(least: int, most: int):
    def read(text: str) -> int:
        if not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"{text} is not between {least} and {most}")
        return int(text)
    return read


def setting(text: str) -> str:
    key, equals, value = text.partition("=")
    if not key or not equals or "\n" in value:
        raise argparse.ArgumentTypeError(f"'{text}' is not KEY=VALUE")
    return text


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    actions = {"up": up, "status": status, "kill": kill, "start": start, "drain": drain, "resume": resume,
               "down": down}
    for name, action in actions.items():
        command = commands.add_parser(name)
        command.set_defaults(action=action)
        command.add_argument("directory", metavar="DIR", type=Path)
        if name in ("kill", "start", "drain", "resume"):
            command.add_argument("node", metavar="NODE")
    begin = commands.choices["up"]
    begin.add_argument("--nodes", type=number(1, 64), default=4, metavar="N", help="nodes (default: 4)")
    begin.add_argument("--gpus", type=number(0, 16), default=2, metavar="N", help="GPUs in each node (default: 2)")
    begin.add_argument("--cpus", type=number(1, 256), default=4, metavar="N", help="cores in each node (default: 4)")
    begin.add_argument("--set", type=setting, action="append", default=[], metavar="KEY=VALUE",
                       help="a line of slurm.conf")
    return parser.parse_args()


def main() -> int:
    if sys.argv[1:2] == ["keep"]:
        return keep(Path(sys.argv[2]), sys.argv[3], sys.argv[4:])
    options = read_arguments()
    # The signal raises SystemExit, so that an interrupted `up` takes down its daemons.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        if options.action is not down:
            missing = [name for name in PROGRAMS if program(name) is None]
            if missing:
                raise Trouble(f"not installed: {', '.join(missing)}", INSTALL, 3)
        cluster = Cluster(options.directory)
        if options.action not in (up, status, down):
            if not cluster.exists() or options.node not in cluster.nodes():
                raise Trouble(f"there is no node {options.node} in {cluster.directory}", "`status` lists them")
        options.action(cluster, options)
        return 0
    except OSError as failure:
        print(f"error: {failure}", file=sys.stderr)
        return 1
    except Trouble as trouble:
        print(f"error: {trouble}\n  remedy: {trouble.remedy}", file=sys.stderr)
        return trouble.code


if __name__ == "__main__":
    sys.exit(main())
