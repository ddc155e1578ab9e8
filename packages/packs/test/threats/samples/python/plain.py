"""How samples are tried that are no request handlers: a test helper, a transaction, a schema."""

import contextlib
import sqlite3
import types

import flask


def routes_open_to(names):
    app = flask.Flask("tried")
    app.add_url_rule("/open/<int:id>", "open", lambda id: "")
    app.add_url_rule("/closed/<int:id>", "closed", lambda id: flask.abort(404))
    app.add_url_rule("/list", "list", lambda: "")
    return names["routes_open_to"](app.test_client(), app, 2, {"id": 1})


def transaction(names):
    """What was said about the tenant before the question was asked; a connection forgets it with its transaction."""
    said = []

    class Connection:
        def execute(self, statement, values=None):
            if values:
                said.append(values["tenant"])
            return types.SimpleNamespace(all=lambda: [])

    engine = types.SimpleNamespace(begin=lambda: contextlib.nullcontext(Connection()))
    names["rows"](engine, "SELECT * FROM projects", 1)
    try:
        names["rows"](engine, "SELECT * FROM projects", None)
        refused = False
    except PermissionError:
        refused = True
    return {"said": "".join(said), "refused": refused}


def references(names):
    """Can a task point to a project of its own tenant, and of another?"""
    db = sqlite3.connect(":memory:")
    db.executescript("PRAGMA foreign_keys = ON;" + names["SCHEMA"])
    db.execute("INSERT INTO project VALUES (1, 1), (2, 2)")

    def can(project):
        try:
            db.execute("INSERT INTO task (tenant, project) VALUES (1, ?)", (project,))
            return True
        except sqlite3.IntegrityError:
            return False

    return {"own": can(1), "foreign": can(2)}
