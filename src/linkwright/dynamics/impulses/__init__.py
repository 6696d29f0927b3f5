"""Impulses of one step: of contacts, limits, dry friction, loops; `equations_contact.md` §11a."""
