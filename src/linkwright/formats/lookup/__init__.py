"""Search for robot files: installed robots by name, MuJoCo Menagerie, ROS packages."""
