"""REST: what every REST view of every app is built on (docs/rest.md).

Other apps subclass `views.RestView`, describe their methods with `schemas.operation`, page lists with `pagination`, and wrap plain Django
views in `http.organization_view`; `downloads` sends stored files. `throttles` and `idempotency` work inside these; `field_errors` and
`renderers` give their answers; config.api reads `schemas` for the OpenAPI schema.
"""
