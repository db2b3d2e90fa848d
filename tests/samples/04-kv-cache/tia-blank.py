# Blank: the untouched release.
# expect: status=graded score=0
