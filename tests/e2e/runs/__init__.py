"""Runs as admins look for them, look into them, replay them and evaluate them."""
