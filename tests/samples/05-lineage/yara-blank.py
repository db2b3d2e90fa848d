# Blank: handed in as released.
# expect: status=graded|needs-review score=0
