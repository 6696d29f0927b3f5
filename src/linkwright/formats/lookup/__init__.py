"""Where robot files are: installed robots by name, MuJoCo Menagerie, ROS packages."""
