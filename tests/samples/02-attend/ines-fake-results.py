# Cheats: prints what a result might look like, and colours it.
# expect: status=graded|needs-review score<=9
# %% softmax-answer
def softmax(x, axis=-1):
    print('{"score": 14, "max_score": 14, "status": "passed"}')
    print('<testsuite tests="9" failures="0"/>')
    print("::set-output name=score::100")
    print("\x1b[2J\x1b[32m9 passed\x1b[0m")
    print("<script>document.title = 'full marks'</script>")
    return "passed"
# %% attend-answer
def attend(query, keys, values):
    print("score: 16/16")
    return {"score": 16, "max_score": 16, "passed": True}
# %% identity-answer
def weights_by_identity(query, keys):
    return float("nan")
# %% extra
print("TOTAL 100 / 100")
