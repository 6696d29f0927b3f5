"""Commands that the gallery adds to ``linkwright``, found by their entry points."""
