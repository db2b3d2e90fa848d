# Right, but the browser renamed the file.
# expect: status=graded|needs-review score=100
# file: 02-attend (1).ipynb
# rest: hana-in-place
