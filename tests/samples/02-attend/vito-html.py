# Not a notebook: the web page around it was saved.
# expect: status=unreadable
# %% raw-file
<!DOCTYPE html>
<html><head><title>02-attend - JupyterLab</title></head><body><script>window.location = "/login";</script></body></html>
