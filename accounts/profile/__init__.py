"""What people say of themselves: name, picture, time zone, language; and the end of their account."""
