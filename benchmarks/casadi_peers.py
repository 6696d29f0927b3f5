"""Write functions of CasADi by other libraries, for robots in a folder of URDF files.

    python benchmarks/casadi_peers.py FOLDER

For each FOLDER/ROBOT.urdf the functions of inverse and of forward dynamics are written as
FOLDER/ROBOT.FUNCTION.LIBRARY.casadi, by the libraries that are installed: casadi_kin_dyn (`pip install
cmeel-casadi-kin-dyn`: Pinocchio's templates on CasADi's expressions) and urdf2casadi. casadi_kin_dyn needs an older
version of NumPy than Linkwright, so this script, which does not import Linkwright, may run in its own environment.
`casadi_functions.py --peers FOLDER` measures the functions.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

FUNCTIONS = ("inverse_dynamics", "forward_dynamics")


def of_kin_dyn(urdf: Path) -> dict[str, Any]:
    """Return Pinocchio's functions, from casadi_kin_dyn."""
    from casadi_kin_dyn import CasadiKinDyn

    made = CasadiKinDyn(urdf.read_text())
    return {"inverse_dynamics": made.rnea(), "forward_dynamics": made.aba()}


def of_urdf2casadi(urdf: Path) -> dict[str, Any]:
    """Return the functions of urdf2casadi, of the chain from the root to the last link."""
    import urdf2casadi.urdfparser as parser
    from urdf_parser_py.urdf import URDF

    robot = parser.URDFparser()
    robot.from_file(str(urdf))
    description = URDF.from_xml_file(str(urdf))
    root = description.get_root()
    ends = [link.name for link in description.links if link.name not in description.child_map]
    tip = max(ends, key=lambda name: len(description.get_chain(root, name)))
    gravity = [0.0, 0.0, -9.81]
    return {
        "inverse_dynamics": robot.get_inverse_dynamics_rnea(root, tip, gravity),
        "forward_dynamics": robot.get_forward_dynamics_aba(root, tip, gravity),
    }


LIBRARIES: dict[str, Callable[[Path], dict[str, Any]]] = {
    "casadi_kin_dyn": of_kin_dyn,
    "urdf2casadi": of_urdf2casadi,
}


def write(folder: Path) -> None:
    """Write the functions of the installed libraries."""
    for urdf in sorted(folder.glob("*.urdf")):
        for library, functions in LIBRARIES.items():
            try:
                made = functions(urdf)
            except ImportError as error:
                print(f"{library} is not installed: {error}")
                continue
            for name, function in made.items():
                function.save(str(folder / f"{urdf.stem}.{name}.{library}.casadi"))
                print(f"{urdf.stem}, {name}, {library}: {function.n_instructions()} instructions")


def read(folder: Path, robot: str, name: str) -> Iterator[tuple[str, Any]]:
    """Yield the libraries and their functions of a robot."""
    import casadi as ca  # after casadi_kin_dyn, which loads CasADi's library itself

    for library in LIBRARIES:
        if (path := folder / f"{robot}.{name}.{library}.casadi").exists():
            yield library, ca.Function.load(str(path))


if __name__ == "__main__":
    write(Path(sys.argv[1]))
