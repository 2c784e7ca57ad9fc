"""What browsers and proxies may keep of a page that anyone may open: all of it, if they ask each time whether it is still what it was.

So a page that did not change is sent once, and one that is over is gone at once, from every cache as well.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response

CACHE_CONTROL: Final = "public, no-cache"  # kept anywhere, never shown without asking
_OF_THE_BODY: Final = {"content-type", "content-length"}


def conditional_response(request: HttpRequest, response: HttpResponse) -> HttpResponseBase:
    """Return the response, or 304 to a client that has it. The headers count as well: a client may keep those that it has."""
    facts = repr(sorted(response.headers.items())).encode() + response.content
    response.headers["ETag"] = f'"{sha256(facts).hexdigest()[:32]}"'
    response.headers["Cache-Control"] = CACHE_CONTROL
    answer = get_conditional_response(request, etag=response.headers["ETag"], response=response)
    assert answer is not None, "it is the response or one in its place"
    for name, value in response.headers.items():
        if name.lower() not in _OF_THE_BODY:
            answer.headers.setdefault(name, value)
    return answer
