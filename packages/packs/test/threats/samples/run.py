"""Runs the Python samples of the knowledge base: the vulnerable ones must fall to the attack, the secure ones must not.

Reads {key: {"vulnerable"?: code, "secure": code}} as JSON on stdin and writes one JSON line per run.
"""

import importlib.util
import json
import sys
import traceback

import checks_django
import checks_fastapi
import checks_flask
import checks_general
from world import FLASK, World

CHECKS = {**checks_flask.CHECKS, **checks_fastapi.CHECKS, **checks_django.CHECKS, **checks_general.CHECKS}


def flasks(key):
    """The stand-in, and the real one where it is installed."""
    yield "stand-in", FLASK
    if key in checks_flask.CHECKS and importlib.util.find_spec("flask"):
        import flask

        yield "Flask itself", flask


def problem(key, kind, code, flask):
    try:
        attack, use = CHECKS[key](World(code, flask))
    except Exception:
        return traceback.format_exc(limit=-3)
    if not use:
        return "what it is meant for does not work"
    if bool(attack) != (kind == "vulnerable"):
        return "the attack works" if attack else "the attack does not work"
    return None


def main():
    samples = json.load(sys.stdin)
    for key, codes in samples.items():
        if key not in CHECKS:
            print(json.dumps({"name": key, "problem": "has no check"}))
            continue
        for kind, code in codes.items():
            for name, flask in flasks(key):
                print(json.dumps({"name": f"{key} {kind} ({name})", "problem": problem(key, kind, code, flask)}))
    for key in CHECKS.keys() - samples.keys():
        print(json.dumps({"name": key, "problem": "is checked, but there is no such sample"}))


main()
