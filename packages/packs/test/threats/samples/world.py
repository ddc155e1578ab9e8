"""Small stand-ins for the frameworks the samples use: just enough to run them and to attack them."""

import json
import re
import sys
import types


def module(name, **members):
    made = types.ModuleType(name)
    made.__dict__.update(members)
    return made


class Column:
    def __init__(self, name):
        self.name = name

    def in_(self, values):
        return lambda row: getattr(row, self.name) in values


class Query:
    """Rows of a model, narrowed step by step; speaks both SQLAlchemy's and Django's words."""

    def __init__(self, model, rows=None):
        self.model, self.rows = model, model.rows if rows is None else rows

    def all(self):
        return Found(self.model, list(self.rows))

    def filter_by(self, **wanted):
        fits = lambda row: all(str(getattr(row, key)) == str(value) for key, value in wanted.items())
        return Query(self.model, [row for row in self.rows if fits(row)])

    def filter(self, *tests, **wanted):
        return Query(self.model, [row for row in self.rows if all(test(row) for test in tests)]).filter_by(**wanted)

    def first(self):
        return next(iter(self.rows), None)

    def one(self):
        if len(self.rows) != 1:
            raise LookupError("no such row")
        return self.rows[0]

    def first_or_404(self):
        return self.first() or self.model.not_found()

    def get_or_404(self, key):
        return self.filter_by(id=key).first_or_404()

    def update(self, **values):
        for row in self.rows:
            row.__dict__.update(values)

    def __iter__(self):
        return iter(self.rows)


class Found(Query, list):
    """Rows as SQLAlchemy's all() gives them, a list, and as Django's does, a query."""

    def __init__(self, model, rows):
        Query.__init__(self, model, rows)
        list.__init__(self, rows)

    __iter__ = list.__iter__


def model(name, rows, not_found=None):
    """A class with a table behind it."""

    def to_dict(self):
        return {key: value for key, value in self.__dict__.items() if not callable(value)}

    made = type(name, (), {"to_dict": to_dict, "save": lambda self: None, "pk": property(lambda self: self.id)})
    made.not_found = staticmethod(not_found)
    made.rows = []
    for row in rows:
        for key in row:
            setattr(made, key, Column(key))
        one = made()
        one.__dict__.update(row)
        made.rows.append(one)
    made.query = made.objects = Query(made)
    return made


class Session:
    def get(self, model, key):
        return Query(model).filter_by(id=key).first()

    def delete(self, row):
        type(row).rows.remove(row)

    def commit(self):
        pass


class Celery:
    """Runs each job at once, with nothing but what survives the way through a queue."""

    def task(self, run):
        def delay(*args):
            try:
                run(*json.loads(json.dumps(args)))
            except Exception as error:
                self.failed = error

        run.delay = delay
        return run


class World:
    """Where one sample runs: its modules, and what they know."""

    def __init__(self, code, flask=None):
        self.code, self.modules, self.flask = code, {}, flask

    def add(self, name, **members):
        parts = name.split(".")
        for end in range(1, len(parts)):
            self.modules.setdefault(".".join(parts[:end]), module(".".join(parts[:end]), __path__=[]))
        self.modules[name] = module(name, **members)
        return self.modules[name]

    def run(self):
        names = {"__name__": "sample"}
        kept = {name: sys.modules.get(name) for name in self.modules}
        sys.modules.update(self.modules)
        try:
            exec(compile(self.code, "sample", "exec"), names)
        finally:
            for name, before in kept.items():
                if before is None:
                    del sys.modules[name]
                else:
                    sys.modules[name] = before
        self.names = names
        return names

    # Flask: the real one where it is installed, and the stand-in everywhere.

    def site(self, users, **tables):
        """An application whose users are known by the header X-User, and its models."""
        flask = self.modules["flask"] = self.flask
        missing = lambda: flask.abort(404)
        models = {name: model(name, rows, missing) for name, rows in {"User": users, **tables}.items()}
        app = flask.Flask("sample")

        def know_user():
            name = flask.request.headers.get("X-User")
            flask.g.user = models["User"].query.filter_by(id=name).first()

        app.before_request(know_user)
        self.sent = []
        mailer = types.SimpleNamespace(send=lambda *mail: self.sent.append(mail))
        self.celery = Celery()
        self.add("app", app=app, db=types.SimpleNamespace(session=Session()), celery=self.celery, mailer=mailer)
        self.add("models", **models)
        self.app = app
        self.run()
        return types.SimpleNamespace(**models)

    def http(self, method, path, user, body=None, **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        answer = self.app.test_client().open(path, method=method, json=body, headers={"X-User": str(user), **headers})
        return answer.status_code, answer.get_json(silent=True)


# The stand-in for Flask.


class Abort(Exception):
    def __init__(self, code):
        self.code = code


class Args(dict):
    def to_dict(self):
        return dict(self)

    def get(self, key, default=None, type=str):
        return type(self[key]) if key in self else default


class Rule:
    def __init__(self, path, methods, run):
        self.path, self.methods, self.run = path, set(methods), run
        self.arguments = set(re.findall(r"<int:(\w+)>", path))
        self.pattern = re.compile(re.sub(r"<int:(\w+)>", r"(?P<\1>\\d+)", path) + "$")

    def __str__(self):
        return self.path


class FakeFlask:
    def __init__(self, name):
        self.rules, self.before, self.url_map = [], [], self
        for verb in ("get", "post", "patch", "delete"):
            setattr(self, verb, lambda path, verb=verb: self.route(path, methods=[verb.upper()]))

    def iter_rules(self):
        return iter(self.rules)

    def route(self, path, methods=("GET",)):
        return lambda run: self.rules.append(Rule(path, methods, run)) or run

    def before_request(self, run):
        self.before.append(run)
        return run

    def test_client(self):
        return Client(self)


class Client:
    def __init__(self, app):
        self.app = app

    def get(self, path, headers):
        return self.open(path, method="GET", headers=headers)

    def open(self, path, method, headers, json=None):
        path, _, query = path.partition("?")
        request.method, request.headers, request.body = method, headers, json
        request.args = Args(pair.split("=") for pair in query.split("&") if pair)
        try:
            return Answer(*self.dispatch(path, method))
        except Abort as refusal:
            return Answer(None, refusal.code)

    def dispatch(self, path, method):
        for rule in self.app.rules:
            found = rule.pattern.match(path)
            if not found or method not in rule.methods:
                continue
            for run in self.app.before:
                run()
            body = rule.run(**{key: int(value) for key, value in found.groupdict().items()})
            return body if isinstance(body, tuple) else (body, 200)
        return None, 404


class Answer:
    def __init__(self, body, status_code):
        self.body, self.status_code = json.loads(json.dumps(body)), status_code

    def get_json(self, silent=True):
        return self.body


request = types.SimpleNamespace(get_json=lambda: request.body)


def abort(code):
    raise Abort(code)


FLASK = module(
    "flask",
    Flask=FakeFlask,
    request=request,
    g=types.SimpleNamespace(),
    abort=abort,
    jsonify=lambda *values, **named: values[0] if values else named,
)
