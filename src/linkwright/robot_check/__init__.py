"""Check of a robot file: schema, topology, masses, joints, units, meshes and overlap."""
