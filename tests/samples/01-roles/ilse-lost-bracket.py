# Broken: a bracket is lost, and a quote in the table.
# expect: status=graded score=28
# rest: amir-as-asked
# %% roles-answer
roles = ["ABC", "BCD", "CDA"
# %% build-answer
build = ""
word | label | contents
need: alive
"""
