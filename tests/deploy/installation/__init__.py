"""What a server gets: the image, the wheel, the manifests, and a Debian on which the guide is played."""
