"""H5: RoKi's humanoid through all five sources, and the identities that tie the sources together."""

from __future__ import annotations

from linkwright_gallery.exhibit import PublishedSource
from linkwright_gallery.humanoid_h5 import leg, whole_body

SOURCE = PublishedSource(
    "H5",
    "One robot through all five sources",
    "the humanoid H5, a sample robot of RoKi (T. Sugihara, MIT license), whose file is a part of this package",
    "The methods of the five sources S0 to S4 on one robot: 29 bodies, a floating base and 28 revolute joints, 34 "
    "degrees of freedom. No source has this example, so that nothing here is compared with a printed value: results "
    "of one source are compared with those of another.",
)

EXHIBITS = (*whole_body.EXHIBITS, *leg.EXHIBITS)
