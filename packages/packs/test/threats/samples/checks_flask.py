"""How each Flask sample is attacked, and how it is meant to be used. Each check answers: (attack works, use works)."""

import json
import os
import sqlite3
import types

CHECKS = {}


def check(key):
    return lambda run: CHECKS.__setitem__(key, run)


def users(**more):
    return [{"id": 1, "role": "member", "organization_id": 1, **more}, {"id": 2, "role": "member", "organization_id": 2, **more}]


def refused(run, *args):
    try:
        run(*args)
    except PermissionError:
        return True
    return False


@check("MIT-001a")
def _(w):
    own = lambda *args: len(args) == 2 and args[1].owner_id == 1
    rows = [{"id": 1, "owner_id": 1, "archived": False}, {"id": 2, "owner_id": 2, "archived": False}]
    t = w.site(users(can=own), Report=rows)
    w.http("POST", "/reports/2/archive", 1)
    status, _ = w.http("POST", "/reports/1/archive", 1)
    mine, foreign = t.Report.rows
    return foreign.archived, mine.archived and status == 202


@check("MIT-001b")
def _(w):
    w.site(users(), Report=[{"id": 1, "organization_id": 1, "body": "a"}, {"id": 2, "organization_id": 2, "body": "b"}])
    mail = w.names["mail_report"]
    tenant = () if mail.__code__.co_argcount == 2 else (1,)
    mail.delay(2, *tenant, "x@example.org")
    mail.delay(1, *tenant, "x@example.org")
    return ("x@example.org", "b") in w.sent, ("x@example.org", "a") in w.sent


@check("MIT-001c")
def _(w):
    os.environ["JOB_KEY"] = "k"
    names = w.run()
    honest = names["unpack"](names["pack"]({"id": 1})) == {"id": 1}
    forged = json.dumps({"body": json.dumps({"id": 2}), "signature": "x", "id": 2})
    return not refused(names["unpack"], forged), honest


@check("MIT-002a")
def _(w):
    w.site(users(), Invoice=[{"id": 1, "owner_id": 1}, {"id": 2, "owner_id": 2}])
    listed = w.http("GET", "/invoices", 1)[1]
    return w.http("GET", "/invoices/2", 1)[0] == 200, w.http("GET", "/invoices/1", 1)[0] == 200 and len(listed) == 1


@check("MIT-002b")
def _(w):
    rows = [{"id": 1, "owner_id": 1, "state": "open"}, {"id": 2, "owner_id": 2, "state": "open"}]
    w.site(users(), Invoice=rows)
    ids = lambda path: [row["id"] for row in w.http("GET", path, 1)[1]]
    return 2 in ids("/invoices?owner_id=2"), ids("/invoices?state=open") == [1] and ids("/invoices?state=paid") == []


@check("MIT-002c")
def _(w):
    w.site(users(), Note=[{"id": 2, "owner_id": 2}])
    open_route = lambda note_id: {"id": note_id}
    closed_route = lambda key_id: w.flask.abort(404)
    w.app.route("/notes/<int:note_id>")(named(open_route, "opened"))
    w.app.route("/keys/<int:key_id>")(named(closed_route, "closed"))
    find = lambda ids: w.names["routes_open_to"](w.app.test_client(), w.app, 1, ids)
    return find({"key_id": 2}) != [], find({"note_id": 2}) == ["/notes/<int:note_id>"]


def named(run, name):
    run.__name__ = name
    return run


@check("MIT-003a")
def _(w):
    may = lambda action: action == "restore"
    rows = [{"id": 1, "owner_id": 1, "deleted_at": "then"}, {"id": 2, "owner_id": 1, "deleted_at": None}]
    people = [{"id": 1, "can": lambda action: False}]
    t = w.site(people, Document=rows)
    seen = w.http("GET", "/documents/1", 1)[0] == 200
    w.http("POST", "/documents/1/restore", 1)
    revived = t.Document.rows[0].deleted_at is None
    t.Document.rows[0].deleted_at = "then"
    t.User.rows[0].can = may
    use = w.http("GET", "/documents/2", 1)[0] == 200 and w.http("POST", "/documents/1/restore", 1)[0] == 200
    return seen or revived, use and t.Document.rows[0].deleted_at is None


@check("MIT-003b")
def _(w):
    rows = [{"id": 1, "owner_id": 1, "title": "a", "deleted_at": "then"}, {"id": 2, "owner_id": 1, "title": "b", "deleted_at": None}]
    t = w.site(users(), Document=rows)
    w.http("PATCH", "/documents/1", 1, {"deleted_at": None})
    w.http("PATCH", "/documents/2", 1, {"title": "c"})
    return t.Document.rows[0].deleted_at is None, t.Document.rows[1].title == "c"


@check("MIT-003c")
def _(w):
    names = w.run()
    ann, bob = types.SimpleNamespace(is_active=True), types.SimpleNamespace(is_active=True)
    tokens = {"a": ann, "b": bob}
    names["deactivate"](ann, tokens)
    return names["user_of"]("a", tokens) is not None, names["user_of"]("b", tokens) is bob


@check("MIT-004a")
def _(w):
    w.site(users(), Project=[{"id": 1, "organization_id": 1}, {"id": 2, "organization_id": 2}])
    ids = lambda path: [row["id"] for row in w.http("GET", path, 1)[1]]
    attack = w.http("GET", "/projects/2", 1)[0] == 200 or 2 in ids("/projects?organization_id=2")
    return attack, w.http("GET", "/projects/1", 1)[0] == 200 and ids("/projects?organization_id=1") == [1]


class Postgres:
    """SQLite with a view in place of PostgreSQL's policy, so that the setting decides what is seen."""

    def __init__(self, policy):
        self.db, self.tenant = sqlite3.connect(":memory:"), None
        self.db.create_function("set_config", 3, self.set_config)
        self.db.create_function("tenant", 0, lambda: self.tenant)
        self.db.execute("CREATE TABLE everything (name TEXT, organization_id TEXT)")
        self.db.executemany("INSERT INTO everything VALUES (?, ?)", [("mine", "1"), ("theirs", "2")])
        where = "WHERE organization_id = tenant()" if policy else ""
        self.db.execute(f"CREATE VIEW projects AS SELECT * FROM everything {where}")

    def set_config(self, name, value, local):
        self.tenant = value
        return value

    def execute(self, sql, values=()):
        return self.db.execute(sql.replace("%s", "?"), values)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.tenant = None


@check("MIT-004b")
def _(w):
    names = w.run()
    policy = "POLICY" in names
    tenant = ("1",) if policy else ()
    database = Postgres(policy)
    found = [name for (name,) in names["rows"](database, "SELECT name FROM projects", *tenant)]
    nobody = policy and not refused(names["rows"], database, "SELECT name FROM projects", None)
    return "theirs" in found or nobody, "mine" in found


@check("MIT-004c")
def _(w):
    database = sqlite3.connect(":memory:")
    database.execute("PRAGMA foreign_keys = ON")
    database.executescript(w.run()["SCHEMA"])
    database.execute("INSERT INTO project (id, tenant) VALUES (1, 1), (2, 2)")
    insert = "INSERT INTO task (id, tenant, project) VALUES (?, ?, ?)"
    database.execute(insert, (1, 1, 1))
    try:
        database.execute(insert, (2, 1, 2))
        return True, True
    except sqlite3.IntegrityError:
        return False, True


@check("MIT-005a")
def _(w):
    files = [{"id": 1, "team_id": 1, "created_by": 1}, {"id": 2, "team_id": 1, "created_by": 2}]
    t = w.site(users(), File=files, Member=[{"user_id": 2, "team_id": 1, "role": "owner"}])
    former = w.http("DELETE", "/files/1", 1)[0] == 200
    return former, w.http("DELETE", "/files/2", 2)[0] == 200


@check("MIT-005b")
def _(w):
    is_member = w.run()["is_member"]
    memberships = {(1, 7), (2, 8)}
    return is_member(1, {"organization_id": 8}, memberships), is_member(1, {"organization_id": 7}, memberships)


@check("MIT-005c")
def _(w):
    leave = w.run()["leave"]
    firm = {"members": {"ann": "owner", "bob": "owner"}, "resources": [{"owner": "ann"}]}
    leave(firm, "ann")
    alone = {"members": {"ann": "owner"}, "resources": []}
    orphaned = firm["resources"][0]["owner"] == "ann" or not refused(leave, alone, "ann")
    return orphaned, list(firm["members"]) == ["bob"]


@check("MIT-006a")
def _(w):
    t = w.site(users(name="a"))
    w.http("PATCH", "/me", 1, {"name": "b", "role": "admin"})
    attack = t.User.rows[0].role == "admin"
    w.http("PATCH", "/me", 1, {"name": "c"})
    return attack, t.User.rows[0].name == "c"


@check("MIT-007a")
def _(w):
    w.site(users(), Order=[{"id": 1, "customer_id": 1}, {"id": 2, "customer_id": 2}])
    return w.http("GET", "/orders/2", 1)[0] == 200, w.http("GET", "/orders/1", 1)[0] == 200


@check("MIT-008a")
def _(w):
    people = [{"id": 1, "role": "reader"}, {"id": 2, "role": "editor"}]
    t = w.site(people, Post=[{"id": 1}, {"id": 2}])
    read = w.http("GET", "/posts/1", 1)[0] == 200
    w.http("GET", "/posts/1", 1, X_HTTP_Method_Override="DELETE")
    attack = len(t.Post.rows) < 2
    return attack, read and w.http("DELETE", "/posts/2", 2)[0] == 200


@check("MIT-009a")
def _(w):
    people = [{"id": 1, "role": "employee"}, {"id": 2, "role": "manager"}]
    t = w.site(people, Expense=[{"id": 1, "author_id": 1, "status": "draft"}, {"id": 2, "author_id": 2, "status": "submitted"}])
    step = lambda user, expense, status: w.http("POST", f"/expenses/{expense}/status", user, {"status": status})[0] == 200
    attack = step(1, 1, "approved") or step(2, 2, "approved")
    t.Expense.rows[0].status = "draft"
    return attack, step(1, 1, "submitted") and step(2, 1, "approved")


@check("MIT-010a")
def _(w):
    projects = [{"id": 1, "owner_id": 1}, {"id": 2, "owner_id": 2}]
    w.site(users(), Project=projects, Comment=[{"id": 8, "project_id": 1}, {"id": 9, "project_id": 2}])
    get = lambda path: w.http("GET", path, 1)[0] == 200
    return get("/projects/1/comments/9"), get("/projects/1/comments/8") and not get("/projects/2/comments/9")


@check("MIT-011a")
def _(w):
    people = [{"id": 1, "role": "member"}, {"id": 2, "role": "admin"}]
    t = w.site(people, Account=[{"id": 1, "closed": False}, {"id": 2, "closed": False}])
    w.http("POST", "/accounts/1/close", 1)
    w.http("POST", "/accounts/2/close", 2)
    shown = [w.http("GET", "/me", user)[1]["show_close_button"] for user in (1, 2)]
    return t.Account.rows[0].closed, t.Account.rows[1].closed and shown == [False, True]


@check("MIT-012a")
def _(w):
    t = w.site(users(), File=[{"id": 1, "owner_id": 1}, {"id": 2, "owner_id": 1}, {"id": 3, "owner_id": 2}])
    left = lambda: {row.id for row in t.File.rows}
    w.http("POST", "/files/delete", 1, {"ids": [1, 3]})
    attack = 3 not in left()
    w.http("POST", "/files/delete", 1, {"ids": [2]})
    return attack, 2 not in left()
