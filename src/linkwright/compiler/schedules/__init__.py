"""The forms a program takes: loops over bodies, segments, joins on lanes; what is put together of several."""
