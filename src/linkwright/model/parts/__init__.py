"""Parts of a model: shapes and pairs of them, springs, tendons, actuators, sensors, keyframes."""
