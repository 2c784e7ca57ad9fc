"""Pages that show what a link shares: HTML without a script, a cookie or a trace of who looks. `sharing/urls.py` alone comes in.

- `page`: the page at `/s/<token>/`, its picture for messengers (`cards`), and the one that continues it. `frame`: a document inside other
  people's pages.
- `passwords`: the password of a link for anyone. `reading`: what a page reads, and how often. `conditional`: what browsers and proxies may keep.
- `reader_pages`: headers and frame of all of them.
"""
