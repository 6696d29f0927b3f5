"""Calls below one with room share a chunk of Python's call stack, whatever the depth of the call."""

from __future__ import annotations

import inspect

import pytest

from linkwright.call_stack import with_room

resource = pytest.importorskip("resource", reason="page faults are counted on POSIX only")
CALLS = 1000


def leaf(a, b, c, d):
    return a


def faults_of_calls() -> int:
    """Count the page faults of some calls."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(CALLS):
        leaf(1, 2, 3, 4)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def at_depth(depth, function):
    return function() if depth == 0 else at_depth(depth - 1, function)


def test_no_depth_gets_a_chunk_for_each_call():
    roomy = with_room(faults_of_calls)
    assert max(at_depth(depth, roomy) for depth in range(200)) < CALLS // 4


def test_calls_with_room_are_the_same_calls():
    def weighted(x, /, y, *, factor=2.0):
        """Return a weighted sum."""
        return x + factor * y

    roomy = with_room(weighted)
    assert roomy(1.0, y=2.0, factor=3.0) == 7.0
    assert roomy.__doc__ == weighted.__doc__
    assert inspect.signature(roomy) == inspect.signature(weighted)
    with pytest.raises(ZeroDivisionError):
        with_room(lambda: 1 / 0)()


def test_calls_with_room_may_be_nested_and_deep():
    def nested(levels):
        return levels if levels == 0 else 1 + with_room(nested)(levels - 1)

    assert nested(50) == 50
    assert with_room(lambda: at_depth(500, lambda: 3))() == 3
