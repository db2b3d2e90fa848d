# Blank: handed in as released, not even the id filled in.
# expect: status=graded score=0
