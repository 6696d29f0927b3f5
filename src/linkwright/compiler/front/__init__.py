"""From a function to expressions: what is bound, what is traced, once or once for each kind of joint."""
