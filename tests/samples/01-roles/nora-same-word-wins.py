# Wrong: builds a sentence in which one word wins both needs.
# expect: status=graded score=37
# rest: amir-as-asked
# %% build-answer
build = """
a | filler | nothing
small | size | not much room
dog | alive, loud | an animal that barks
runs | action | legs that move
home | place | four walls
need: alive
need: loud
"""
