"""Steps of a length that the method chooses itself, so that their error is what is asked for."""
