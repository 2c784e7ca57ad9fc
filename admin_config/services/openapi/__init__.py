"""HTTP tools made of an OpenAPI 3 document, of which an admin ticks the operations.

`document` reads it and follows its own references, never those to other addresses; `schemas` turns its schemas into JSON schemas;
`operations` turns each operation into the settings of an HTTP tool, or says why it can't; `importing` makes the sources.
`admin_config.admin.openapi_import` calls the first and the last two.
"""
