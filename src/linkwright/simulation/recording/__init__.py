"""Records of motions, and contact forces computed from them."""
