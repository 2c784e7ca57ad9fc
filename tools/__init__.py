"""Tools around the product: first start, front end build, lock files and the embedded servers.

`bootstrap`, `frontend` and `lock` use the standard library only. `console_wheels`: what programs in the browser may import. `supply`: bill of materials, licences,
known holes. `browser_types` and `messages` write what is made from the code: the browser's types, and message catalogues.
"""
