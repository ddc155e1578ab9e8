"""Samples in FastAPI, with SQLAlchemy."""

import contextlib
import json
import pathlib
from typing import Annotated

import fastapi
from fastapi.testclient import TestClient
from sqlalchemy import create_engine
from sqlalchemy.orm import Session, declarative_base
from sqlalchemy.pool import StaticPool
from starlette.websockets import WebSocketDisconnect

import alchemy
from host import execute, modules


class World:
    def __init__(self, code, rows, folder):
        self.folder = pathlib.Path(folder)
        base = declarative_base()
        models = alchemy.models(base)
        self.engine = engine = create_engine(
            "sqlite://", connect_args={"check_same_thread": False}, poolclass=StaticPool
        )
        base.metadata.create_all(engine)
        with engine.connect() as connection:
            alchemy.fill(connection, rows)

        def get_session():
            with Session(engine) as session:
                yield session

        def find_user(id, session):
            return session.get(models["User"], int(id)) if id else None

        def current_user(request: fastapi.Request, session: Annotated[Session, fastapi.Depends(get_session)]):
            user = find_user(request.headers.get("X-User"), session)
            if user is None:
                raise fastapi.HTTPException(401)
            return user

        CurrentUser = Annotated[models["User"], fastapi.Depends(current_user)]

        def require_role(role):
            def check(user: CurrentUser):
                if user.role != role:
                    raise fastapi.HTTPException(403)

            return check

        deps = {
            "CurrentUser": CurrentUser,
            "DbSession": Annotated[Session, fastapi.Depends(get_session)],
            "require_role": require_role,
            "user_of": lambda socket: find_user(socket.headers.get("X-User"), Session(engine)),
        }
        self.names = execute(code, {**modules(self), "deps": deps, "models": models, "db": {"engine": engine}})
        app = self.names.get("app") or fastapi.FastAPI()
        if "app" not in self.names and "router" in self.names:
            app.include_router(self.names["router"])
        self.after = None
        self.client = TestClient(self.with_session(app), raise_server_exceptions=False, follow_redirects=False)
        self.models = models

    def with_session(self, app):
        async def run(scope, receive, send):
            if scope["type"] in ("http", "websocket"):
                kept = dict(scope["headers"]).get(b"x-session", b"{}")
                scope["session"] = self.after = json.loads(kept)
            await app(scope, receive, send)

        return run

    def http(self, method, path, user=None, body=None, text=None, headers=None, session=None, race=None):
        raced = []
        if race:
            alchemy.before_first_write(self.engine, lambda: raced.append(self.http(**race)))
        marks = {**({"X-User": str(user)} if user else {}), **(headers or {})}
        if session is not None:
            marks["X-Session"] = json.dumps(session)
        content = {"content": text.encode()} if text is not None else {"json": body}
        if text is not None:
            marks["Content-Type"] = "application/json"
        reply = self.client.request(method, path, headers=marks, **content)
        is_json = reply.content and reply.headers.get("content-type", "").startswith("application/json")
        return {
            "status": reply.status_code,
            "body": reply.json() if is_json else None,
            "text": reply.text,
            "session": self.after,
            "raced": raced,
        }

    def sql(self, statement):
        return alchemy.sql(self.engine, statement)

    @contextlib.contextmanager
    def scope(self):
        with Session(self.engine) as session:
            yield lambda name, id: session.get(self.models[name], id), session

    def socket(self, path, messages, headers=None, user=None):
        marks = {**(headers or {}), **({"X-User": str(user)} if user else {})}
        sent = []
        try:
            with self.client.websocket_connect(path, headers=marks) as socket:
                for message in messages:
                    if isinstance(message, dict):
                        self.sql(message["sql"])
                        continue
                    socket.send_text(message)
                    sent.append(socket.receive_text())
            return {"accepted": True, "sent": sent}
        except WebSocketDisconnect:
            return {"accepted": bool(sent), "sent": sent}

