"""Contents of the page: a mechanism in a scene, additional displays, the camera, equations."""
