"""What a class's records say together: how hard each part is, what was misunderstood, who did what alike."""
