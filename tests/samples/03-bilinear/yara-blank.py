# Blank: handed in as released.
# expect: status=graded score=0
