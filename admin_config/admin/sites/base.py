"""The base of both admin sites: look, sidebar, sign-out, and who may open a view."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import update_wrapper
from typing import Any

from django.contrib.auth import logout
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect
from django.urls import URLPattern, URLResolver, reverse
from django.utils.functional import Promise
from unfold.sites import UnfoldAdminSite

from admin_config.admin.sites.script_texts import script_texts
from admin_config.admin.sites.theme import favicons, stylesheet_urls, theme_colors

# Passwords and sign-in have their own pages; "view on site" resolves any object by id; search caches across organizations.
EXCLUDED_URLS = frozenset({"login", "password_change", "password_change_done", "view_on_site", "search"})

LANGUAGE_URL = "/accounts/language/"  # of accounts, which is above this app, and outside of the organization's URLs


@dataclass(frozen=True)
class SidebarLink:
    """An entry of the sidebar."""

    title: str | Promise
    icon: str
    page: str  # a URL name of the site


class ParleySite(UnfoldAdminSite):  # type: ignore[misc]  # the theme has no types
    """Base of both sites: look, sidebar and sign-out, without Django's own log of changes."""

    enable_nav_sidebar = True
    groups: tuple[tuple[str | Promise, tuple[SidebarLink, ...]], ...] = ()

    def get_urls(self) -> list[URLPattern | URLResolver]:
        return [url for url in super().get_urls() if getattr(url, "name", None) not in EXCLUDED_URLS]

    def admin_view(self, view: Callable[..., Any], cacheable: bool = False) -> Callable[..., Any]:
        """Wrap a view: signed-out users get the sign-in page, and signed-in users without permission a 404."""
        inner = super().admin_view(view, cacheable)

        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            if self.has_permission(request):
                return inner(request, *args, **kwargs)
            if request.user.is_authenticated:
                raise Http404
            return redirect_to_login(request.get_full_path())

        return update_wrapper(guarded, view)

    def logout(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Sign out by POST only: a link on a foreign page could send a GET with the session's cookie."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        logout(request)
        return redirect("/")

    def app_index(self, request: HttpRequest, app_label: str, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Redirect to the overview: the sidebar has its own groups, so apps have no lists."""
        return redirect(reverse(f"{self.name}:index"))

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """Return nothing: the sidebar has its own groups. Django asks for it on each page, and would look at each model's permissions."""
        return []

    def get_sidebar_list(self, request: HttpRequest) -> list[dict[str, Any]]:
        return self._sidebar(request, {link.page for _, links in self.groups for link in links})

    def _sidebar(self, request: HttpRequest, pages: set[str]) -> list[dict[str, Any]]:
        """Return the groups with the links to these pages, without empty ones."""
        urls = {link.page: reverse(f"{self.name}:{link.page}") for _, links in self.groups for link in links}
        open_page = _open_page(request.path, urls)
        groups = [(title, [link for link in links if link.page in pages]) for title, links in self.groups]
        return [
            {"title": title, "items": [self._item(request, link, urls[link.page], is_open=link.page == open_page) for link in links]}
            for title, links in groups
            if links
        ]

    def _item(self, request: HttpRequest, link: SidebarLink, url: str, *, is_open: bool) -> dict[str, Any]:
        return {"title": link.title, "icon": link.icon, "link": url, "active": is_open, "has_permission": True}

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        look = {
            "colors": theme_colors(),
            "styles": stylesheet_urls(),
            "site_favicons": favicons(),
            "site_url": None,
            "show_history": False,
            "show_back_button": True,
            "script_texts": script_texts(),
            # Which language: the theme's own menu, sent to the page that changes the profile.
            "show_languages": True,
            "languages_action": LANGUAGE_URL,
            "redirect_to": request.get_full_path(),
        }
        return {**super().each_context(request), **look}


def _open_page(path: str, urls: Mapping[str, str]) -> str:
    """Return the page of the sidebar at or below whose address `path` is, the longest of several; "" for none. Nothing is below the overview."""
    open_pages = [page for page, url in urls.items() if (path == url if page == "index" else path.startswith(url))]
    return max(open_pages, key=lambda page: len(urls[page]), default="")
