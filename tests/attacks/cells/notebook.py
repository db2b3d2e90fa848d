# What only notebooks can do.
# %% N10a quick says=refused | shell commands
!rm -rf / ~ .
!!touch owned
%system touch owned
print("BREACH" if os.path.exists("owned") else "refused")
# %% N10b quick cellmagic | a cell of shell
%%bash
touch owned; echo BREACH
# %% N10c cellmagic | a cell of another language
%%perl
print "BREACH";
# %% N10d says=refused | the shell's own methods
shell = get_ipython()
for what in (shell.system, shell.getoutput, shell.system_raw, shell.system_piped):
    what("touch owned")
print("BREACH" if os.path.exists("owned") else "refused")
# %% N10e says=refused | the shell's class, and what lies below its methods
from IPython.utils import process
from IPython.core.interactiveshell import InteractiveShell
attempt(lambda: process.getoutput("id") or None)
attempt(lambda: InteractiveShell.system_raw(get_ipython(), "touch owned") or (True if os.path.exists("owned") else None))
# %% N11 says=refused | runs and loads files of the course
shell = get_ipython()
for line in (f"run {COURSE}/autograder/graders/02-attend/misconceptions.py", f"load {CANARY}", f"pycat {CANARY}"):
    try:
        shell.run_line_magic(*line.split(" ", 1))
    except BaseException:
        pass
print("BREACH" if "MODELS" in globals() else "refused")
# %% N12 cellmagic | writes a file over the course
%%writefile /tmp/../conftest.py
import os; os._exit(0)
# %% N14 | a representation without end
class Endless:
    def __repr__(self):
        while True:
            pass
    _repr_html_ = _ipython_display_ = __repr__
Endless()
# %% N15 | rich display
from IPython.display import HTML, Javascript, display
display(HTML("<script>alert(1)</script>"), Javascript("alert(1)"))
# %% N16a quick | leaves the notebook
exit
# %% N16b | forgets everything
%reset -f
# %% N16c | calls quit
quit()
# %% N17 | runs itself for ever
shell = get_ipython()
def again():
    shell.run_cell("again()")
again()
# %% N19 says=refused | a magic that hides in a string of code
get_ipython().run_cell_magic("script", "sh", "touch owned")
print("BREACH" if os.path.exists("owned") else "refused")
# %% N20 says=refused | asks for input, debugs, waits
try:
    input("password: ")
except EOFError:
    print("refused")
breakpoint()
# %% N21 | syntax that stops the parser
x = ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((
# %% N22 | await without end
import asyncio
await asyncio.Event().wait()
# %% N23 | tasks that live on after the cell
import asyncio
async def later():
    while True:
        await asyncio.sleep(0)
        everywhere(lambda *args, **kwargs: True)
task = asyncio.get_running_loop().create_task(later())
