"""Several hosts with a proxy in front: streams survive that one is cut off."""
