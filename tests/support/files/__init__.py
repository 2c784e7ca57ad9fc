"""Files to upload, storages that keep them or fail, and a malware scanner."""
