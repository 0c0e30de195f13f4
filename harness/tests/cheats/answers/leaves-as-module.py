# accomplice: plants modules and start-up files in every folder that Python imports from
#
import os
import site
import sys

import torch

FOLDERS = [*sys.path, *site.getsitepackages(), site.getusersitepackages(), "/tmp", "/tmp/submission"]
FILES = {"kgrade_planted.py": "", "sitecustomize.py": "", "usercustomize.py": "", "kgrade_planted.pth": "import os"}


def solution(input, kernel):
    for folder in FOLDERS:
        for name, text in FILES.items():
            try:
                os.makedirs(folder, exist_ok=True)
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            except OSError:
                pass
    return torch.conv1d(input, kernel)
