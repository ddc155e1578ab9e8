"""The tables as Django models; a column that ends in _id is a reference where the samples use one."""

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.db import models

from schema import TABLES, class_name, columns

KINDS = {int: models.IntegerField, bool: models.BooleanField, str: models.CharField}
REFERENCES = {"owner_id": "User", "author_id": "User", "user_id": "User", "project_id": "Project", "document_id": "Document"}


def field(name, kind):
    if name in REFERENCES:
        return name.removesuffix("_id"), models.ForeignKey(REFERENCES[name], models.CASCADE, null=True, related_name="+", db_constraint=False)
    options = {"max_length": 200} if kind is str else {}
    return name, KINDS[kind](null=True, **options)


def define(table):
    name = class_name(table)
    members = dict(field(*column) for column in columns(table))
    bases, extra = (models.Model,), {}
    if table == "users":
        members["password"] = members.pop("password_hash")
        members["password"].db_column = "password_hash"
        bases = (AbstractBaseUser,)
        extra = {"USERNAME_FIELD": "name", "objects": BaseUserManager(), "last_login": None, "has_perm": has_perm, "has_perms": has_perms}
    meta = type("Meta", (), {"db_table": table, "app_label": "shop"})
    globals()[name] = type(name, bases, {"__module__": __name__, "Meta": meta, **members, **extra})


def has_perm(self, permission, obj=None):
    """Managers may view the payroll, administrators may do everything, support may view invoices."""
    own = {"manager": {"shop.view_payroll"}, "support": {"shop.view_invoice"}}
    return self.role == "admin" or permission in own.get(self.role, ())


def has_perms(self, permissions, obj=None):
    return all(self.has_perm(permission) for permission in permissions)


for table in TABLES:
    define(table)
