"""Samples in Django."""

import contextlib
import json
import os
import pathlib
import sys

import django
from django.conf import settings
from django.db import connection
from django.test import Client, RequestFactory
from django.test.utils import override_settings
from django.urls import clear_url_caches

# Consumers are played in this thread, which has the only connection to the database in memory.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
]
settings.configure(
    INSTALLED_APPS=["django.contrib.admin", "django.contrib.contenttypes", "django.contrib.auth", "shop"],
    AUTH_USER_MODEL="shop.User",
    AUTHENTICATION_BACKENDS=["django_host.ById"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "file:samples?mode=memory&cache=shared"}},
    SESSION_ENGINE="django.contrib.sessions.backends.signed_cookies",
    SECRET_KEY="x" * 50,
    ALLOWED_HOSTS=["*"],
    MIDDLEWARE=MIDDLEWARE,
    ROOT_URLCONF="sample",
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    APPEND_SLASH=False,
    USE_TZ=True,
)
sys.modules["django_host"] = sys.modules[__name__]
django.setup()

from shop import models  # noqa: E402

import drf  # noqa: E402
from host import execute, modules  # noqa: E402
from schema import TABLES  # noqa: E402


class ById:
    def get_user(self, id):
        return models.User.objects.filter(pk=id).first()


with connection.schema_editor() as editor:
    for model in django.apps.apps.get_models():
        editor.create_model(model)


class World:
    def __init__(self, code, rows, folder):
        self.folder = pathlib.Path(folder)
        with connection.cursor() as cursor:
            for table in TABLES:
                cursor.execute(f"DELETE FROM {table}")
            for table, values in rows.items():
                for row in values:
                    marks = ", ".join(["%s"] * len(row))
                    cursor.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", list(row.values()))
        given = modules(self)
        del given["cache"]
        from django.core.cache import cache

        cache.clear()
        self.names = execute(code, {**given, **drf.modules()})
        clear_url_caches()

    def http(self, method, path, user=None, body=None, text=None, headers=None, session=None, race=None):
        client = Client(raise_request_exception=False, headers=headers or {})
        if user:
            client.force_login(models.User.objects.get(pk=user), backend="django_host.ById")
        if session is not None:
            kept = client.session
            kept.update(session)
            kept.save()
            client.cookies["sessionid"] = kept.session_key
        content = {"data": text, "content_type": "application/json"} if text is not None else {}
        if body is not None:
            content = {"data": body, "content_type": "application/json"}
        raced = []
        with override_settings(MIDDLEWARE=self.names.get("MIDDLEWARE", MIDDLEWARE)), connection.execute_wrapper(
            Race(race and (lambda: raced.append(self.http(**race))))
        ):
            reply = client.generic(method, path) if not content else client.generic(method, path, **encode(content))
        is_json = reply.headers.get("content-type", "").startswith("application/json")
        after = {key: value for key, value in client.session.items()}
        return {
            "status": reply.status_code,
            "body": reply.json() if is_json else None,
            "text": b"".join(reply.streaming_content).decode() if reply.streaming else reply.content.decode(),
            "session": after,
            "raced": raced,
        }

    def sql(self, statement):
        with connection.cursor() as cursor:
            cursor.execute(statement)
            if cursor.description is None:
                return None
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row)) for row in cursor.fetchall()]

    @contextlib.contextmanager
    def scope(self):
        yield lambda name, id: getattr(models, name).objects.get(pk=id), None

    def admin_actions(self, name, user):
        """The actions that the administration offers to a user."""
        from django.contrib.admin import AdminSite

        request = RequestFactory().get("/")
        request.user = models.User.objects.get(pk=user)
        return list(self.names[name](models.Invoice, AdminSite()).get_actions(request))

    def socket(self, path, messages, headers=None, user=None):
        return drf.play(self, path, messages, headers or {}, user)


def encode(content):
    data = content["data"] if isinstance(content["data"], str) else json.dumps(content["data"])
    return {"data": data, "content_type": content["content_type"]}


class Race:
    def __init__(self, run):
        self.run = run

    def __call__(self, execute, sql, params, many, context):
        run = self.run
        if run and sql.startswith("UPDATE"):
            self.run = None
            run()
        return execute(sql, params, many, context)
