"""The files that configure a Slurm test cluster: slurm.conf, gres.conf, munge's key, and placeholders for GPUs."""

import argparse
import os
import pwd
import random
import secrets
import socket
from pathlib import Path


def free_ports(count: int) -> list[int]:
    """Free ports on loopback, below the range that the kernel uses for outgoing connections."""
    found: list[int] = []
    for port in random.sample(range(20000, 32000), 2000):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        found.append(port)
        if len(found) == count:
            return found
    raise OSError("no free ports on 127.0.0.1")


def configuration(directory: Path, nodes: int, gpus: int, cpus: int, ports: list[int]) -> dict[str, str]:
    host = socket.gethostname().split(".")[0]
    user = pwd.getpwuid(os.geteuid()).pw_name
    last = f"[0-{nodes - 1}]" if nodes > 1 else "0"
    node_ports = ",".join(str(port) for port in ports[1:])
    files = {"StateSaveLocation": "state", "SlurmdSpoolDir": "spool/%n", "SlurmctldPidFile": "run/slurmctld.pid",
             "SlurmdPidFile": "run/%n.pid", "SlurmctldLogFile": "log/slurmctld.log", "SlurmdLogFile": "log/%n.log",
             "JobCompLoc": "log/jobs.txt"}
    return {
        "ClusterName": "test", "SlurmctldHost": f"{host}(127.0.0.1)", "SlurmctldPort": str(ports[0]),
        # Without these two settings the daemons listen on all addresses.
        "CommunicationParameters": "NoCtldInAddrAny,NoInAddrAny",
        "AuthInfo": f"socket={directory.joinpath('munge', 'socket')}", "SlurmUser": user, "SlurmdUser": user,
        **{key: str(directory.joinpath(file)) for key, file in files.items()},
        "ProctrackType": "proctrack/linuxproc", "TaskPlugin": "task/none", "JobAcctGatherType": "jobacct_gather/none",
        "SelectType": "select/cons_tres", "SelectTypeParameters": "CR_Core", "MpiDefault": "none",
        "SchedulerParameters": "sched_interval=1,bf_interval=1,sched_min_interval=10000,batch_sched_delay=0",
        "JobCompType": "jobcomp/filetxt", "MinJobAge": "3600", "KillWait": "2",
        # The loss of a node is noticed after about 15 s (25 s with the default MessageTimeout).
        "SlurmdTimeout": "5", "MessageTimeout": "5", "TCPTimeout": "2",
        # Allow more processors than the machine has, and let nodes come back by themselves.
        "SlurmdParameters": "config_overrides", "ReturnToService": "2", "GresTypes": "gpu",
        "NodeName": f"n{last} NodeHostname={host} NodeAddr=127.0.0.1 Port={node_ports} CPUs={cpus} RealMemory=1000"
                    + (f" Gres=gpu:{gpus}" if gpus else "") + " State=UNKNOWN",
        "PartitionName": "gpu Nodes=ALL Default=YES MaxTime=INFINITE DefaultTime=60 State=UP",
    }


def write_files(directory: Path, options: argparse.Namespace) -> None:
    for folder in ("state", "spool", "log", "run", "munge", "gpus"):
        directory.joinpath(folder).mkdir(mode=0o755)
    key = os.open(directory.joinpath("munge", "key"), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o400)
    os.write(key, secrets.token_bytes(1024))
    os.close(key)
    # Slurm needs device files, and takes the device's number from the end of the name.
    for index in range(options.gpus):
        directory.joinpath("gpus", f"gpu{index}").symlink_to("/dev/null")
    settings = configuration(directory, options.nodes, options.gpus, options.cpus, free_ports(options.nodes + 1))
    settings.update(pair.split("=", 1) for pair in options.set)
    (directory / "slurm.conf").write_text("".join(f"{key}={value}\n" for key, value in settings.items()))
    # A count alone is not enough for GPUs: Slurm would drain nodes because they have fewer than configured.
    gres = "".join(f"Name=gpu File={directory.joinpath('gpus', f'gpu{index}')}\n" for index in range(options.gpus))
    directory.joinpath("gres.conf").write_text(gres)
