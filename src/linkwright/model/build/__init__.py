"""From named parts to a model: what the parts are, a builder, how they are put together."""
