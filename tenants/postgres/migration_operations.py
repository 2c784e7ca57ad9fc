"""Migration operations for row security and partitions, which Django's own operations cannot express."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

from tenants.postgres import partition_sql, row_security_sql


class SecureTenantTable(Operation):
    """Add forced row security, its two policies and the composite foreign keys of one tenant model.

    Put it after the operations that create the model and its TenantForeignKeys, and repeat it when a key is added later. It may run any
    number of times.
    """

    reduces_to_sql = True
    reversible = True

    def __init__(self, model_name: str) -> None:
        self.model_name = model_name

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Do nothing: the models do not change."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        model = to_state.apps.get_model(app_label, self.model_name)
        table = model._meta.db_table
        _execute(schema_editor, row_security_sql.policies(table))
        _execute(schema_editor, row_security_sql.identity(table))
        for key in row_security_sql.composite_keys(model):
            _execute(schema_editor, row_security_sql.foreign_key(key))

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        """Drop the keys and policies. Row security itself stays on: a table without policies is closed, not open."""
        model = from_state.apps.get_model(app_label, self.model_name)
        _execute(schema_editor, (row_security_sql.drop_constraint(key.table, key.name) for key in row_security_sql.composite_keys(model)))
        _execute(schema_editor, row_security_sql.drop_policies(model._meta.db_table))

    def describe(self) -> str:
        return f"Secure the rows of {self.model_name} by organization"

    @property
    def migration_name_fragment(self) -> str:
        return f"secure_{self.model_name.lower()}"


class PartitionByMonth(Operation):
    """Make the new table of one model a table in partitions by month (PARTITIONED_TABLES says by which column).

    Put it right behind the operation that creates the model, before its indexes and SecureTenantTable. The partitions come after the
    migrations (tenants.postgres.table_rights).
    """

    reduces_to_sql = True
    reversible = True

    def __init__(self, model_name: str) -> None:
        self.model_name = model_name

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Do nothing: the models do not change."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        _execute(schema_editor, partition_sql.by_month(to_state.apps.get_model(app_label, self.model_name)._meta.db_table))

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        """Do nothing: the table itself goes with the operation before this one."""

    def describe(self) -> str:
        return f"Partition {self.model_name} by month"

    @property
    def migration_name_fragment(self) -> str:
        return f"partition_{self.model_name.lower()}"


class SecurePlainKey(Operation):
    """Add the composite foreign key of a plain column that holds the id of a row of a higher layer (Registry.add_plain_key).

    Put it into the migration of the higher layer, which depends on the lower one's. It may run any number of times.
    """

    reduces_to_sql = True
    reversible = True

    def __init__(self, child: str, column: str, parent: str) -> None:
        self.child, self.column, self.parent = child, column, parent

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Do nothing: the models do not change."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        _execute(schema_editor, row_security_sql.foreign_key(self._key(to_state)))

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        key = self._key(from_state)
        _execute(schema_editor, [row_security_sql.drop_constraint(key.table, key.name)])

    def describe(self) -> str:
        return f"Keep {self.child}.{self.column} within its organization"

    @property
    def migration_name_fragment(self) -> str:
        return f"secure_{self.child.rpartition('.')[2].lower()}_{self.column}"

    def _key(self, state: ProjectState) -> row_security_sql.CompositeKey:
        child, parent = (state.apps.get_model(label)._meta.db_table for label in (self.child, self.parent))
        return row_security_sql.CompositeKey(child, self.column, parent)


def _execute(schema_editor: BaseDatabaseSchemaEditor, statements: Iterable[str]) -> None:
    for statement in statements:
        schema_editor.execute(statement, params=None)
