"""Stand-ins for FastAPI and pydantic, and how each FastAPI sample is attacked and used."""

import asyncio
import inspect
import re
import types

CHECKS = {}


def check(key):
    return lambda run: CHECKS.__setitem__(key, run)


class HTTPException(Exception):
    def __init__(self, status_code):
        self.status_code = status_code


class Depends:
    def __init__(self, run):
        self.run = run


class BaseModel:
    pass


class Router:
    def __init__(self, prefix="", dependencies=()):
        self.prefix, self.guards, self.routes = prefix, list(dependencies), []

    def add(self, verb, path, response_model=None):
        def keep(run):
            self.routes.append((verb, self.prefix + path, list(self.guards), run, response_model))
            return run

        return keep

    def get(self, path, **more):
        return self.add("GET", path, **more)

    def delete(self, path, **more):
        return self.add("DELETE", path, **more)

    def websocket(self, path):
        return self.add("WS", path)

    def include_router(self, other, dependencies=()):
        for verb, path, guards, run, response in other.routes:
            self.routes.append((verb, self.prefix + path, [*self.guards, *dependencies, *guards], run, response))

    def call(self, verb, path, **given):
        """The status and the answer of a request; `given` is what the stand-ins of the application want to know."""
        for known, pattern, guards, run, response in self.routes:
            found = re.fullmatch(re.sub(r"{(\w+)}", r"(?P<\1>[^/]+)", pattern), path)
            if not found or known != verb:
                continue
            try:
                for guard in guards:
                    resolve(guard.run, found.groupdict(), given)
                value = resolve(run, found.groupdict(), given)
            except HTTPException as refusal:
                return refusal.status_code, None
            return 200, value if response is None else {key: value[key] for key in response.__annotations__}
        return 404, None


def resolve(run, path, given):
    values = {}
    for name, parameter in inspect.signature(run).parameters.items():
        if isinstance(parameter.default, Depends):
            values[name] = resolve(parameter.default.run, path, given)
        elif name in path:
            values[name] = parameter.annotation(path[name])
        else:
            values[name] = given[name]
    return run(**values)


class WebSocket:
    """What a handler sees of a connection; `texts` is what the client would send."""

    def __init__(self, headers, texts):
        self.headers, self.texts, self.accepted, self.code = headers, texts, False, None

    async def accept(self):
        self.accepted = True

    async def close(self, code):
        self.code = code

    async def iter_text(self):
        for text in self.texts:
            yield text() if callable(text) else text


def current_user(caller: object):
    if caller is None:
        raise HTTPException(401)
    return caller


def require_admin(caller: object):
    if caller is None or caller.role != "admin":
        raise HTTPException(403)


def user_of(socket):
    name = socket.headers.get("token")
    return types.SimpleNamespace(id=int(name)) if name else None


def prepared(w, **store):
    w.add("fastapi", APIRouter=Router, FastAPI=Router, Depends=Depends, HTTPException=HTTPException, WebSocket=WebSocket)
    w.add("pydantic", BaseModel=BaseModel)
    w.add("auth", User=object, current_user=current_user, require_admin=require_admin, user_of=user_of)
    w.add("store", **store)
    return w.run()


def person(id, role="member"):
    return types.SimpleNamespace(id=id, role=role)


@check("MIT-013a")
def _(w):
    router = prepared(w, invoices={1: {"owner_id": 1}, 2: {"owner_id": 2}})["router"]
    get = lambda id, caller: router.call("GET", f"/invoices/{id}", caller=caller)[0]
    return get(2, person(1)) == 200, get(1, person(1)) == 200 and get(1, None) == 401


@check("MIT-014a")
def _(w):
    users = {1: {"name": "a"}, 2: {"name": "b"}}
    app = prepared(w, users=users)["app"]
    app.call("DELETE", "/admin/users/1", caller=person(1))
    attack = 1 not in users
    return attack, app.call("DELETE", "/admin/users/2", caller=person(3, "admin")) == (200, {"removed": "b"})


@check("MIT-015a")
def _(w):
    row = {"id": 1, "name": "a", "avatar": "a.png", "password_hash": "x"}
    status, body = prepared(w, users={1: row})["router"].call("GET", "/users/1")
    return "password_hash" in body, status == 200 and body["name"] == "a"


@check("MIT-016a")
def _(w):
    rooms = {1: types.SimpleNamespace(members={1}, messages=[])}
    router = prepared(w, rooms=rooms, ORIGINS={"https://chat.example"})["router"]

    def say(text, **headers):
        socket = WebSocket(headers, [text])
        asyncio.run(router.call("WS", "/rooms/1", socket=socket)[1])
        return rooms[1].messages

    here = "https://chat.example"
    honest = "hello" in say("hello", origin=here, token="1")
    say("stranger", origin=here, token="2")
    say("nobody", origin=here)
    say("elsewhere", origin="https://evil.example", token="1")
    say(lambda: rooms[1].members.clear() or "removed", origin=here, token="1")
    return rooms[1].messages != ["hello"], honest
