"""What passes over bodies remember, and what is computed between them."""
