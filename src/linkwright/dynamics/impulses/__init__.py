"""The contact solver: impulses of contacts, joint limits, dry friction and servos over one step."""
