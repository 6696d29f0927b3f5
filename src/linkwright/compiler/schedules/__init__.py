"""The forms a program takes: loops over bodies, joins on lanes; what is put together of several."""
