"""What a mechanism is made of, found from measurements: motions and efforts, poses, and what to measure."""
