"""The tables as SQLAlchemy models, for the hosts of Flask and FastAPI."""

import threading

from sqlalchemy import Boolean, Column, Integer, String, event, text

from schema import TABLES, class_name, columns

KINDS = {int: Integer, bool: Boolean, str: String}


def models(base):
    made = {}
    for table in TABLES:
        members = {name: Column(KINDS[kind]) for name, kind in columns(table)}
        made[class_name(table)] = type(
            class_name(table), (base,), {"__tablename__": table, "id": Column(Integer, primary_key=True), **members}
        )
    return made


def fill(connection, rows):
    for table, values in rows.items():
        for row in values:
            names = ", ".join(row)
            marks = ", ".join(f":{name}" for name in row)
            connection.execute(text(f"INSERT INTO {table} ({names}) VALUES ({marks})"), row)
    connection.commit()


def sql(engine, statement):
    with engine.connect() as connection:
        result = connection.execute(text(statement))
        rows = [dict(row) for row in result.mappings()] if result.returns_rows else None
        connection.commit()
        return rows


def before_first_write(engine, run):
    """Calls `run` once in another thread, just before the first row is changed: what a request at the same moment would do."""
    waiting = [run]

    @event.listens_for(engine, "before_cursor_execute")
    def race(connection, cursor, statement, *_):
        if waiting and statement.startswith("UPDATE"):
            rival = threading.Thread(target=waiting.pop())
            rival.start()
            rival.join()
