"""What members, and organizations, may send, use and spend: limits (SPEC 8.5; docs/decisions/0046, 0065) and budgets (SPEC 8.6; 0049).

Admins edit limits and budgets on pages of their site. chat.api and chat.openai_api count each message with `counting`, before its run
starts. agents.runtime.budget_holds holds money for each model call with `budget_accounts`, and chat.storage.call_log books it.

- Limits: `selectors` reads them, `allowances` says which apply, `counters` counts in Redis, `call_limits` is what
  model calls are counted in.
- Budgets: `budgets` is what they are, `periods` when they begin anew, `budget_accounts` what is spent
  and held, `spending` reads that for pages.
- Alerts: `alerts` says of what owners are to be told, which accounts.organizations.budget_mails does. `sweeps`: what
  needs care in budgets of all organizations.
- `admin`, `budget_admin`: the pages of limits and of budgets; `forms`: their fields and choices. `usage_text`: how
  much of a limit is used, in words; `views`: what members read of theirs. `models`. `errors`, `budget_errors`:
  refusals in words.
- `tasks`: changed plans are brought to organizations.
- `plans`: limits and budgets that the operator gives. `violations`: what was refused. `applicable`: what applies to one member.
"""
