"""Runs samples in the framework they are written for.

Reads one JSON request per line on stdin and answers each with one JSON line: `load` prepares a sample with its rows,
`http` sends it a request, `sql` reads or changes the tables, `call` calls one of its functions, `jobs` runs the queue.
"""

import importlib
import json
import sys
import traceback
import types


class Queue:
    """Stands in for Celery: jobs wait until they are run, and only what JSON can carry travels with them."""

    def __init__(self):
        self.jobs = []

    def task(self, *args, **options):
        def make(run):
            run.delay = lambda *values: self.jobs.append((run, json.dumps(values)))
            return run

        return make(args[0]) if args else make

    def drain(self):
        while self.jobs:
            run, values = self.jobs.pop(0)
            try:
                run(*json.loads(values))
            except Exception as error:
                print(f"a job failed: {error!r}", file=sys.stderr)


class Cache:
    def __init__(self):
        self.values = {}

    def get(self, key):
        return self.values.get(key)

    def set(self, key, value, timeout=None):
        self.values[key] = value


class Policy:
    """Stands in for a policy service: it knows user 1, has no answer for user 3 and breaks for everybody else."""

    def check(self, user_id, action, thing):
        if user_id not in (1, 3):
            raise TimeoutError("the policy service does not answer")
        return "allow" if user_id == 1 else None


def modules(world):
    """What every project has: its queue, cache, settings and a few helpers."""
    world.queue = Queue()
    world.outbox = []

    def send_mail(address, text):
        world.outbox.append([address, text])

    return {
        "celery": {"shared_task": world.queue.task},
        "ariadne": {"ObjectType": ObjectType},
        "cache": {"cache": Cache()},
        "settings": {
            "JWT_KEY": "k" * 32,
            "WEBHOOK_SECRET": b"secret",
            "UPLOADS": world.folder,
            "ORIGINS": {"https://chat.example"},
        },
        "policy": {"policy": Policy()},
        "mail": {"send_mail": send_mail},
        "security": {"hash_password": lambda text: "hash:" + text[::-1]},
        "sso": {"exchange": lambda code: json.loads(code)},
    }


class ObjectType:
    """Stands in for Ariadne: keeps the resolvers of a type."""

    def __init__(self, name):
        self.fields = {}

    def field(self, name):
        return lambda run: self.fields.__setitem__(name, run) or run


def resolve(world, kind, field, user, args=None, parent=None):
    """The ids that a resolver finds for a user."""
    with world.scope() as (find, session):
        info = types.SimpleNamespace(context={"user": find("User", user), "session": session})
        found = world.names[kind].fields[field](parent and find("User", parent), info, **(args or {}))
        return [row.id for row in (found if isinstance(found, list) else [found]) if row is not None]


def module(name, members):
    made = types.ModuleType(name)
    made.__dict__.update(members)
    return made


def execute(code, given):
    """Runs the code with the given modules to import, and returns its names."""
    names = {"__name__": "sample"}
    for name, members in given.items():
        sys.modules[name] = module(name, members)
    sys.modules["sample"] = types.ModuleType("sample")
    sys.modules["sample"].__dict__.update(names)
    exec(compile(code, "sample", "exec"), sys.modules["sample"].__dict__)
    return sys.modules["sample"].__dict__


def answer(worlds, request, state):
    kind = request.pop("op")
    if kind == "load":
        name = request.pop("framework")
        if name not in worlds:
            worlds[name] = importlib.import_module(f"{name}_host")
        state["world"] = worlds[name].World(**request)
        return None
    world = state["world"]
    if kind == "jobs":
        return world.jobs() if hasattr(world, "jobs") else world.queue.drain()
    if kind == "resolve":
        return resolve(world, **request)
    if kind == "mail":
        return world.outbox
    return getattr(world, kind)(**request)


def main():
    worlds, state, out = {}, {}, sys.stdout
    sys.stdout = sys.stderr
    for line in sys.stdin:
        try:
            reply = {"result": answer(worlds, json.loads(line), state)}
        except Exception:
            reply = {"error": traceback.format_exc(limit=-4)}
        out.write(json.dumps(reply) + "\n")
        out.flush()


if __name__ == "__main__":
    sys.path.insert(0, __file__.rpartition("/")[0])
    sys.modules["host"] = sys.modules["__main__"]
    main()
