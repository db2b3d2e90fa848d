"""Turn records and final marks into what other systems read, one format a file; nothing here opens a file."""
