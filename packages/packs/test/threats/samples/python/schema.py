"""The tables that the samples work on, and the rows that each run starts with."""

TABLES = {
    "users": ["name", "email", "role", "org_id:int", "is_active:bool", "password_hash", "version:int"],
    "memberships": ["user_id:int", "org_id:int", "role"],
    "projects": ["org_id:int", "owner_id:int", "name"],
    "comments": ["project_id:int", "author_id:int", "text"],
    "invoices": ["owner_id:int", "org_id:int", "total:int", "status", "note"],
    "documents": ["owner_id:int", "org_id:int", "title", "status", "deleted_at:int"],
    "vouchers": ["code", "used_by:int"],
    "files": ["owner_id:int", "name", "key"],
    "api_keys": ["user_id:int", "digest", "scopes", "expires_at:int"],
    "reset_tokens": ["user_id:int", "digest", "expires_at:int"],
    "shares": ["document_id:int", "digest", "expires_at:int"],
    "identities": ["user_id:int", "issuer", "subject"],
    "products": ["name", "price:int"],
}

TYPES = {"int": int, "bool": bool, "str": str}


def columns(table):
    for column in TABLES[table]:
        name, _, kind = column.partition(":")
        yield name, TYPES[kind or "str"]


def class_name(table):
    return "".join(part.capitalize() for part in table.removesuffix("s").split("_")).replace("Identitie", "Identity")
