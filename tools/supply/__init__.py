"""What Parley is made of: the packages in our lock files, as a bill of materials, with their licences and known holes (`advisories`).

`make supply` writes build/bill.json (CycloneDX) and refuses licences outside the list and packages with known holes.
"""
