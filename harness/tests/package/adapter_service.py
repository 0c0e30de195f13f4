"""What tests of kgrade.adapters share: the service that the adapters find, and answers to that of faulty_service.py."""

import json
import math
import os

from kgrade.adapters import _shared

# A speedup of 2, a wrong answer, and a grade that fails.
FAST = json.dumps({"verdict": "accepted"})
WORSE = json.dumps({"verdict": "wrong_answer"})
FAILS = json.dumps({"fault": "machine"})
REWARD = math.log(2)  # of FAST


def name_service(url):
    """Makes a service the one that the adapters find."""
    os.environ.update(KGRADE_URL=url, KGRADE_TOKEN="")
    for kept in (_shared.client, _shared.async_client, _shared.failures):
        kept.cache_clear()


def answer(kernel):
    """A model's answer with a kernel."""
    return f"The kernel:\n```cuda\n{kernel}\n```"
