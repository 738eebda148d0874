"""Python ast to the typed core, one construct per file."""
