"""What a hand does: ``poses`` are its paths, ``following`` the joints' motion along them."""
