"""The overview of an organization's admin: sums over runs and model calls, charts of them, and what waits for an admin (SPEC 8.7).

- `page`: what it shows, of `periods`, and which charts; templates/admin/overview/organization_index.html places them.
  `chart_drawing` draws any chart, for other pages, too. `sums`: figures that can be added up. `budget_chart`: the month's budget.
- `hour_sums` reads runs and calls by the hour, `rollup` keeps whole hours.
"""
