"""What people say of themselves: name, picture, time zone, language; and the end of their account.

- `services`, `views`: the profile and the account. `language_form`: the language in the admin's menu.
- `sign_in_views`: how a person signs in, and where.
- `personal_exports`, `personal_export_views`: a ZIP of what a member has in one organization.
"""
