"""Who somebody is: sign-up, sign-in, single sign-on, members and organizations."""
