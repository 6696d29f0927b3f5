"""The robot in the browser, to be seen and touched (the extra ``studio``)."""
