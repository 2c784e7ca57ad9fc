"""The gate on publishing: required data sets are asked of a draft and compared with the live release (docs/decisions/0056).

- `verdicts`: what two experiments mean; pure.
- `checks`: which checks a draft needs and how they stand; registered with admin_config as its gate.
- `work`: begins what is missing.
- `page`: the part of the publish page.
"""
