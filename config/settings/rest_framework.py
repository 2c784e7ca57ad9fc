"""Settings of Django REST framework and drf-spectacular: JSON only, errors in Parley's format.

tenants.rest.views.RestView authenticates requests, so the framework's own authentication and permissions are off.
"""

from __future__ import annotations

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_RENDERER_CLASSES": ["tenants.rest.renderers.JsonRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "tenants.rest.renderers.JsonNegotiation",
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "EXCEPTION_HANDLER": "security.audit.refusals.exception_response",
    "DEFAULT_SCHEMA_CLASS": "config.api.inspector.RestSchema",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}

SPECTACULAR_SETTINGS = {
    "TITLE": "Parley",
    "DESCRIPTION": "Conversations, answers, artifacts and what they cost. Errors read {error: {code, message, action?}}.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SCHEMA_PATH_PREFIX": "/api",
    "COMPONENT_SPLIT_PATCH": False,
    "POSTPROCESSING_HOOKS": [],
}
