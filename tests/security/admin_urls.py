"""The product's pages with both admin sites."""

from __future__ import annotations

from admin_config.urls import urlpatterns as admin_urls
from config.urls import urlpatterns as product_urls

urlpatterns = [*admin_urls, *product_urls]
