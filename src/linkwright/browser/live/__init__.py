"""Live simulation of a mechanism in the browser."""
