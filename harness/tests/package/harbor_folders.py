"""What Harbor runs a trial with in environments_test.py: folders in place of containers, and an agent that knows its answer."""

import asyncio
import os
import re
import shutil
import subprocess
from pathlib import Path

from harbor.agents.base import BaseAgent
from harbor.environments.base import BaseEnvironment, ExecResult


class FolderEnvironment(BaseEnvironment):
    """The paths of a task's container are paths below a folder here, `FOLDER/containers/SESSION` for trials in FOLDER/trials."""

    @staticmethod
    def type():
        return "folder"

    def _validate_definition(self):
        if not (self.environment_dir / "Dockerfile").is_file():
            raise FileNotFoundError("the task has no Dockerfile")

    def inside(self, text):
        """Puts this environment's folder before the container's paths in a text."""
        folder = self.trial_paths.trial_dir.parents[1] / "containers" / self.session_id
        return re.sub(r"(?<![\w./])/(?=(?:logs|tests|work)\b)", f"{folder}/", str(text))

    async def start(self, force_build):
        for each in ("/work", "/logs/agent", "/logs/artifacts", "/logs/verifier"):
            Path(self.inside(each)).mkdir(parents=True)

    async def stop(self, delete):
        pass

    async def upload_file(self, source_path, target_path):
        shutil.copy(source_path, self.inside(target_path))

    async def upload_dir(self, source_dir, target_dir):
        target = Path(self.inside(target_dir))
        shutil.copytree(source_dir, target, dirs_exist_ok=True)
        if target_dir == "/tests":
            # These two name paths of the container.
            for each in (target / "test.sh", target / "kgrade" / "adapters" / "harbor.py"):
                each.write_text(self.inside(each.read_text()))

    async def download_file(self, source_path, target_path):
        shutil.copy(self.inside(source_path), target_path)

    async def download_dir(self, source_dir, target_dir):
        shutil.copytree(self.inside(source_dir), target_dir, dirs_exist_ok=True)

    async def exec(self, command, cwd=None, env=None, timeout_sec=None, user=None):
        # As in a container, nothing of this process's environment is there.
        ended = await asyncio.to_thread(subprocess.run, ["bash", "-c", self.inside(command)], cwd=self.inside(cwd or "/work"),
                                        env={"PATH": os.environ["PATH"], **(env or {})}, capture_output=True, text=True)
        return ExecResult(stdout=ended.stdout, stderr=ended.stderr, return_code=ended.returncode)


class KnowingAgent(BaseAgent):
    """Writes `answer` where the instruction says, or nothing if it is None."""

    def __init__(self, *arguments, answer, **more):
        super().__init__(*arguments, **more)
        self.answer = answer

    @staticmethod
    def name():
        return "knowing"

    def version(self):
        return "1"

    async def setup(self, environment):
        pass

    async def run(self, instruction, environment, context):
        [path] = re.findall(r"^Write the file to `(/\S+)`\.$", instruction, re.MULTILINE)
        if self.answer is not None:
            source = self.logs_dir / "answer"
            source.write_text(self.answer)
            await environment.upload_file(source, path)
