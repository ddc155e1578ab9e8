"""How each sample without a framework is attacked and used."""

import os
import sqlite3
import tempfile
import types

CHECKS = {}


def check(key):
    return lambda run: CHECKS.__setitem__(key, run)


def outcome(run, *args):
    try:
        return run(*args)
    except PermissionError:
        return None


class Interrupted:
    """A database in which, after the first statement, somebody else is quicker."""

    def __init__(self, database, rival):
        self.database, self.rival = database, rival

    def execute(self, *statement):
        done = self.database.execute(*statement)
        rival, self.rival = self.rival, None
        rows = done.fetchone()
        if rival:
            rival()
        return types.SimpleNamespace(fetchone=lambda: rows, rowcount=done.rowcount)


@check("MIT-028a")
def _(w):
    redeem = w.run()["redeem"]
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE voucher (code TEXT, used_by TEXT)")
    database.execute("INSERT INTO voucher VALUES ('a', NULL), ('b', NULL)")
    rivals = []
    first = redeem(Interrupted(database, lambda: rivals.append(redeem(database, "a", "bob"))), "a", "ann")
    return first and rivals[0], redeem(database, "b", "ann") and not redeem(database, "b", "bob")


@check("MIT-029a")
def _(w):
    w.add("store", may_read=lambda user, path: user.tenant in path, render=lambda path, tenant: f"{tenant} {path}")
    page = w.run()["page"]
    ann, bob = types.SimpleNamespace(tenant="one"), types.SimpleNamespace(tenant="two")
    honest = page(ann, "/one/pay") == page(ann, "/one/pay") == "one /one/pay"
    return outcome(page, bob, "/one/pay") is not None, honest


@check("MIT-030a")
def _(w):
    w.add("settings", KEY=b"k")
    names = w.run()
    make, allows = names["make_link"], names["allows"]
    one, two = {"id": 1, "shares": 0}, {"id": 2, "shares": 0}
    link = make(one, "read", 1000)
    late = allows(link, one, "read", 10**9)
    more = allows(link, one, "write", 2000)
    called_back = allows(link, {**one, "shares": 1}, "read", 2000)
    return late or more or called_back, allows(link, one, "read", 2000) and not allows(link, two, "read", 2000)


@check("MIT-031a")
def _(w):
    set_role = w.run()["set_role"]

    def after(granter, user, role):
        members = {"ann": "owner", "bob": "manager", "cy": "member"}
        outcome(set_role, members, granter, user, role)
        return members

    attack = after("bob", "cy", "owner")["cy"] == "owner" or after("bob", "bob", "owner")["bob"] == "owner"
    above = after("bob", "ann", "guest")["ann"] == "guest"
    return attack or above, after("bob", "cy", "guest")["cy"] == "guest" and after("cy", "bob", "guest")["bob"] == "manager"


@check("MIT-032a")
def _(w):
    w.add("settings", KEY=b"k")
    names = w.run()
    forged = names["caller"]({"X-User-Id": "1"}, "GET", "/", 1000)
    mark = names.get("mark", lambda *_: "")
    signed = {"X-User-Id": "1", "X-Time": "1000", "X-Mark": mark("1", "GET", "/", "1000")}
    replayed = names["caller"](signed, "GET", "/", 5000)
    return forged is not None or replayed is not None, names["caller"](signed, "GET", "/", 1010) == "1"


@check("MIT-033a")
def _(w):
    search = w.run()["search"]
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE customer (name TEXT, company TEXT)")
    database.execute("INSERT INTO customer VALUES ('Smith', 'one'), ('Smithers', 'two')")
    found = search(database, types.SimpleNamespace(company="one"), "Smi")
    return found["total"] != 1, found["hits"] == ["Smith"]


@check("MIT-034a")
def _(w):
    names = w.run()
    users = {1: {"id": 1, "role": "admin", "version": 1}}
    session = names["sign_in"](users[1])
    honest = names["role_of"](session, users) == "admin"
    names["set_role"](users[1], "guest")
    return names["role_of"](session, users) == "admin", honest


@check("MIT-035a/2")
def _(w):
    may = w.run()["may"]
    return may("stranger", "delete"), may("owner", "delete") and may("guest", "read") and not may("member", "delete")


@check("MIT-036a/2")
def _(w):
    retrieve = w.run()["retrieve"]
    store = [{"readers": {"bob"}, "near": 9}, {"readers": {"ann"}, "near": 5}]
    found = retrieve(store, "ann", lambda document: document["near"])
    return store[0] in found, store[1] in found


@check("MIT-037a")
def _(w):
    names = w.run()
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            os.mkdir("uploads")
            with open("secret", "wb") as file:
                file.write(b"s")
            records = {}
            key = names["upload"](records, "ann", "cv.pdf", b"a")
            attack = outcome(names["download"], records, "bob", key) or outcome(names["download"], records, "bob", "../secret")
            return attack is not None, names["download"](records, "ann", key) == b"a"
        finally:
            os.chdir(before)


@check("MIT-038a")
def _(w):
    names = w.run()
    support, customer, admin = ({"id": id, "role": role} for id, role in ((1, "support"), (2, "customer"), (3, "admin")))
    session = names["impersonate"](support, customer, 0)
    pays, late = names["may"](session, "pay", 1), names["may"](session, "read", 10**6)
    upwards = outcome(names["impersonate"], support, admin, 0) is not None
    return pays or late or upwards, names["may"](session, "read", 1) and names["may"]({"user": 2}, "pay", 1)


@check("MIT-039a")
def _(w):
    names = w.run()
    keys, users = {}, {"ann": {"rights": {"read", "delete"}}}
    names["create"](keys, "secret", "ann", ["read"], 100)
    may = lambda action, now: names["may"](keys, users, "secret", action, now)
    return may("delete", 1) or may("read", 1000) or "secret" in keys, may("read", 1)


@check("MIT-040a")
def _(w):
    call = w.run()["call"]
    users = ["ann", "bob"]
    outcome(call, {"rights": set()}, "delete_user", users, "ann")
    attack = "ann" not in users
    call({"rights": {"users.delete"}}, "delete_user", users, "bob")
    return attack, "bob" not in users


@check("MIT-041a")
def _(w):
    names = w.run()

    def reset(token_of, name, at, times=1):
        tokens, users = {}, {"ann": "old", "bob": "old"}
        token = names["start"](tokens, token_of, 0)
        for password in ["new", "newer"][:times]:
            names["finish"](tokens, users, token, name, password, at)
        return users

    other = reset("ann", "bob", 1)["bob"] != "old"
    late = reset("ann", "ann", 10**6)["ann"] != "old"
    twice = reset("ann", "ann", 1, times=2)["ann"] == "newer"
    return other or late or twice, reset("ann", "ann", 1)["ann"] == "new"


@check("MIT-042a")
def _(w):
    total = w.run()["total"]
    catalog = {"book": {"price": 20}}

    def cost(**item):
        try:
            return total(catalog, [{"id": "book", "price": 20, "quantity": 1, **item}])
        except ValueError:
            return None

    return cost(price=1) == 1 or cost(quantity=-1) is not None, cost(quantity=2) == 40


@check("MIT-043a")
def _(w):
    signed_in = w.run()["signed_in"]
    known = {"email": "ann@example.org", "identity": ("good", "1")}
    claims = {"email": "ann@example.org", "iss": "evil", "sub": "9"}
    taken = outcome(signed_in, [known], {"state": "s"}, {"state": "s"}, claims) is known
    slipped = outcome(signed_in, [known], {}, {"state": "s"}, claims) is not None
    honest = signed_in([known], {"state": "s"}, {"state": "s"}, {**claims, "iss": "good", "sub": "1"})
    return taken or slipped, honest is known
