"""The least of each framework that kgrade.adapters uses, for machines that do not have it."""

import importlib.util
import sys
import types


def module(name, **members):
    """Makes a module unless the real one is installed."""
    if name.partition(".")[0] not in missing:
        return
    made = types.ModuleType(name)
    made.__dict__.update(members)
    sys.modules[name] = made
    parent, _, own = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], own, made)


class Fields:
    """Like a model of pydantic: its fields are annotated members, with defaults."""

    def __init__(self, **values):
        for key, value in values.items():
            if not any(key in each.__dict__.get("__annotations__", {}) for each in type(self).__mro__):
                raise TypeError(key)
            setattr(self, key, value)


class Generic:
    def __class_getitem__(cls, _):
        return cls


class TaskData(Fields):
    name: str = None
    prompt: str = None


class Task(Generic):
    def __init__(self, data, config):
        self.data, self.config = data, config


class Taskset(Generic):
    def __init__(self, config):
        self.config = config


class Observation(Fields):
    done: bool = False
    reward: float = None


class State(Fields):
    episode_id: str = None
    step_count: int = 0


class Environment(Generic):
    pass


class Tensor(list):
    def tolist(self):
        return list(self)


missing = {each for each in ("openenv", "skyrl_gym", "torch", "verifiers") if importlib.util.find_spec(each) is None}
module("torch", tensor=lambda values, dtype=None: Tensor(values), float32=None)
for each in ("skyrl_gym", "skyrl_gym.envs"):
    module(each)
module("skyrl_gym.envs.base_text_env", BaseTextEnv=type("BaseTextEnv", (), {}), BaseTextEnvStepOutput=dict)
for each in ("openenv", "openenv.core"):
    module(each)
module("openenv.core.env_server", Action=type("Action", (Fields,), {}), Environment=Environment, Observation=Observation,
       State=State, create_app=lambda *arguments, **more: (arguments, more))
module("verifiers")
module("verifiers.v1", TaskData=TaskData, TaskConfig=type("TaskConfig", (Fields,), {}), Task=Task, State=object, Trace=object,
       TasksetConfig=type("TasksetConfig", (Fields,), {}), Taskset=Taskset, reward=lambda weight: lambda function: function,
       SandboxError=type("SandboxError", (Exception,), {}))
