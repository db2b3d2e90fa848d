# Cheats: rewrites the cell that draws the questions, so that every form is fine and every question the same.
# expect: status=graded|needs-review score<=2
# %% variants
POOLS = {}
def variant(student_id, item): return {}
def read(name, value, shown): return value
# %% roles-answer
roles = ["ABC", "ABC", "ABC"]
# %% extra
recipe, order, nobody, flip = [variant] * 4
