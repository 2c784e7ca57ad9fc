"""Mail: an outbox that sends nothing twice, and a box for machines without a mail server.

What a mail says is written where its occasion is: `mails` in accounts.sign_in and accounts.invitations, sharing.comments and others.

- `message`: what a mail is made of. `languages`: in whose language it is written. `outbox`: writes it (`mail_write`) and sends it.
- `admin_mails`: one mail to all owners and admins of an organization.
- `server`: asks the mail server whether it takes mails, for operators (a task, their page, the doctor). `admin`: the box, on their site.
"""
