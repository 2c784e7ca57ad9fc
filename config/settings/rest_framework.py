"""Django REST framework: JSON only, errors in the product's shape. Who asks is found by tenants.rest.RestView."""

from __future__ import annotations

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_RENDERER_CLASSES": ["tenants.rest_json.JsonRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "tenants.rest_json.AlwaysJson",
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "EXCEPTION_HANDLER": "tenants.rest.exception_response",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
