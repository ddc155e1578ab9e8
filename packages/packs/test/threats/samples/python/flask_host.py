"""Samples in Flask, with Flask-SQLAlchemy."""

import contextlib
import functools
import pathlib

import flask
from flask_sqlalchemy import SQLAlchemy

import alchemy
import plain
from host import execute, modules


class World:
    def __init__(self, code, rows, folder):
        self.folder = pathlib.Path(folder)
        self.app = app = flask.Flask("sample")
        app.config.update(SQLALCHEMY_DATABASE_URI="sqlite:///:memory:", SECRET_KEY="x" * 32)
        self.db = db = SQLAlchemy(app)
        models = alchemy.models(db.Model)
        self.models = models
        with app.app_context():
            db.create_all()
            with db.engine.connect() as connection:
                alchemy.fill(connection, rows)
        app.before_request(self.know_user)
        self.names = execute(
            code,
            {
                **modules(self),
                "app": {"app": app, "db": db},
                "models": models,
                "auth": {"login_required": login_required, "role_required": role_required},
                "flask_sock": {"Sock": Sock},
            },
        )

    def know_user(self):
        name = flask.request.headers.get("X-User")
        flask.g.user = self.db.session.get(self.models["User"], int(name)) if name else None

    def http(self, method, path, user=None, body=None, text=None, headers=None, session=None, race=None):
        raced = []
        if race:
            with self.app.app_context():
                alchemy.before_first_write(self.db.engine, lambda: raced.append(self.http(**race)))
        client = self.app.test_client()
        if session is not None:
            with client.session_transaction() as kept:
                kept.update(session)
        marks = {**({"X-User": str(user)} if user else {}), **(headers or {})}
        content = {"data": text, "content_type": "application/json"} if text is not None else {"json": body}
        reply = client.open(path, method=method, headers=marks, **content)
        with client.session_transaction() as kept:
            after = dict(kept)
        body = reply.get_json(silent=True)
        return {"status": reply.status_code, "body": body, "text": reply.text, "session": after, "raced": raced}

    @contextlib.contextmanager
    def scope(self):
        with self.app.app_context():
            yield lambda name, id: self.db.session.get(self.models[name], id), self.db.session

    def jobs(self):
        with self.app.app_context():
            self.queue.drain()

    def sql(self, statement):
        with self.app.app_context():
            return alchemy.sql(self.db.engine, statement)

    def call(self, name, args):
        if hasattr(plain, name):
            return getattr(plain, name)(self.names)
        with self.app.app_context():
            return self.names[name](*args)

    def socket(self, path, messages, headers=None, user=None):
        """What a connection says to a room: each message in turn, an entry of `sql` between them changes a table."""
        ran = Socket(self, messages)
        room = path.rsplit("/", 1)[1]
        with self.app.test_request_context(path, headers={**(headers or {}), **({"X-User": str(user)} if user else {})}):
            self.app.preprocess_request()
            Sock.routes[-1](ran, int(room))
        return {"accepted": not ran.refused, "sent": ran.sent}


class Sock:
    """Stands in for Flask-Sock."""

    routes = []

    def __init__(self, app):
        pass

    def route(self, path):
        return lambda run: self.routes.append(run) or run


class Closed(Exception):
    pass


class Socket:
    def __init__(self, world, messages):
        self.world, self.messages, self.sent, self.refused = world, list(messages), [], False

    def receive(self):
        while self.messages:
            message = self.messages.pop(0)
            if isinstance(message, str):
                return message
            self.world.sql(message["sql"])
        return None

    def send(self, text):
        self.sent.append(text)

    def close(self, *_):
        self.messages.clear()


def login_required(run):
    @functools.wraps(run)
    def guarded(*args, **named):
        if flask.g.user is None:
            flask.abort(401)
        return run(*args, **named)

    return guarded


def role_required(role):
    def guard(run):
        @login_required
        @functools.wraps(run)
        def guarded(*args, **named):
            if flask.g.user.role != role:
                flask.abort(403)
            return run(*args, **named)

        return guarded

    return guard
