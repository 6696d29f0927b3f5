"""What the studio shows: a mechanism in a scene, additional displays, the camera, equations."""
