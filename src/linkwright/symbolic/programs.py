"""Equations as programs in C, Fortran, Maxima, Octave and Python."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from contextlib import suppress
from functools import cached_property
from pathlib import Path

import numpy as np

from linkwright.compiler.ir.program import Operations
from linkwright.dynamics.kinematics import ReferenceFrame, check_reference_frame
from linkwright.errors import ArgumentError, InputError, ModelError, TooLargeError
from linkwright.files import replacing_together, write_text
from linkwright.symbolic.derivation.quantities import MAIN
from linkwright.symbolic.output.c import c_header, c_source, test_program
from linkwright.symbolic.output.code import RIGHT_HAND_SIDE, GeneratedFunction
from linkwright.symbolic.output.languages import fortran_source, octave_source, python_source
from linkwright.symbolic.output.maxima import maxima_source, maxima_text
from linkwright.symbolic.output.notation import grouped, names_in, text_of
from linkwright.symbolic.typeset import TypesetEquations


class ProgrammedEquations(TypesetEquations):
    """Equations that can be written as programs."""

    @cached_property
    def _codes(self) -> dict[tuple[str, str | None, ReferenceFrame], GeneratedFunction]:
        return {}

    def _code(
        self, what: str = MAIN, frame: str | None = None, reference_frame: ReferenceFrame = "world_aligned"
    ) -> GeneratedFunction:
        check_reference_frame(reference_frame)
        right_hand_side = isinstance(what, str) and what == RIGHT_HAND_SIDE
        if right_hand_side and frame is not None:
            raise InputError(f"frame is {frame!r}, but the right-hand side is of no frame")
        wanted = [] if right_hand_side else self._chosen(what, frame)
        key = what, frame, reference_frame
        if key not in self._codes:
            programmer = self._programmer(frame, any(one.whole for one in wanted))
            self._codes[key] = (
                programmer.right_hand_side()
                if right_hand_side
                else programmer.quantities(wanted, frame, reference_frame)
            )
        return self._codes[key]

    @property
    def operations(self) -> Operations:
        """Operation counts of the code of M, h and g."""
        return self._code().program.operations

    def c(
        self,
        what: str = MAIN,
        frame: str | None = None,
        reference_frame: ReferenceFrame = "world_aligned",
        test_main: bool = False,
    ) -> str:
        """Return C99 code that allocates no memory: ``void NAME(q, v, p, M, h, g)``, with results in the last arrays.

        Parameters
        ----------
        what : str, optional
            Quantities, as for :meth:`text`, or "rhs", as for :meth:`python`.
        frame : str, optional
            Name of the frame.
        reference_frame : str, optional
            Axes of a frame's quantities.
        test_main : bool, optional
            Whether a ``main`` is added that compares with results of the library at three states, prints the largest
            differences and exits with 0 if all are below 1e-12 (relative to 1 + the largest number of the array), else
            1.

        Returns
        -------
        str
            Code.
        """
        code = self._code(what, frame, reference_frame)
        return c_source([code]) + (self._test_main([(what, frame, reference_frame)]) if test_main else "")

    def c_header(
        self, what: str = MAIN, frame: str | None = None, reference_frame: ReferenceFrame = "world_aligned"
    ) -> str:
        """Return the header, for C and C++, of the code of :meth:`c`.

        Parameters
        ----------
        what, frame, reference_frame : str, optional
            As for :meth:`c`.

        Returns
        -------
        str
            Header.
        """
        code = self._code(what, frame, reference_frame)
        return c_header([code], code.name)

    def python(
        self, what: str = MAIN, frame: str | None = None, reference_frame: ReferenceFrame = "world_aligned"
    ) -> str:
        """Return Python code without other packages: ``NAME(q, v, p=PARAMETERS) -> M, h, g``.

        Parameters
        ----------
        what : str, optional
            Quantities, as for :meth:`text`, or "rhs": the right-hand side for integrators such as SciPy's
            ``solve_ivp``, ``NAME_rhs(t, y, tau=None, p=PARAMETERS)``, is dy/dt for y = [q, v] and the efforts tau.
        frame : str, optional
            Name of the frame.
        reference_frame : str, optional
            Axes of a frame's quantities.

        Returns
        -------
        str
            Code.
        """
        return python_source([self._code(what, frame, reference_frame)])

    def octave(
        self, what: str = MAIN, frame: str | None = None, reference_frame: ReferenceFrame = "world_aligned"
    ) -> str:
        """Return Octave or MATLAB code: ``[M, h, g] = NAME(q, v, p)``.

        Parameters
        ----------
        what, frame, reference_frame : str, optional
            As for :meth:`python`.

        Returns
        -------
        str
            Code.
        """
        return octave_source(self._code(what, frame, reference_frame))

    def maxima(
        self, what: str = MAIN, frame: str | None = None, reference_frame: ReferenceFrame = "world_aligned"
    ) -> str:
        """Return assignments of Maxima, ``M: matrix(…)$``, in the names of the equations.

        Parameters
        ----------
        what : str, optional
            Quantities, as for :meth:`text`.
        frame : str, optional
            Name of the frame.
        reference_frame : str, optional
            Axes of a frame's quantities.

        Returns
        -------
        str
            Code, to be read by ``batch("NAME.mac")``; its comment has the values of the parameters. A quantity whose
            letter is also a parameter is named by its form: ``g_vector`` where g is the acceleration of gravity.

        Raises
        ------
        InputError
            If a definition contains a function that Maxima does not have, such as a case distinction.

        Examples
        --------
        >>> import linkwright as lw
        >>> print(lw.equations(lw.load("two_link")).maxima("g").splitlines()[-1])
          [m2*g*lg2*cos(theta1 + theta2)])$
        """
        arrays: dict[str, np.ndarray] = {}
        names: set[str] = set()
        definitions: dict[str, np.ndarray] = {}
        for quantity in self._chosen(what, frame):
            own = frame if quantity.framed else None
            array, order = self.polynomials(quantity.name, own, reference_frame), self._order_of(self._framed(own))
            if mass := self.total_mass(array):
                definitions[self.mass_letter] = np.array(text_of(mass), dtype=object)
            texts = np.empty(array.shape, dtype=object)
            for place in np.ndindex(*array.shape):
                terms = grouped(array.item(*place), order)
                names |= names_in(terms)
                texts[place] = text_of(terms)
            arrays[quantity.letter] = texts
        title = f"Equations of {self._plan.model.name}"
        values = self.parameters if frame is None else self.frame_parameters(frame)
        values = {name: x for name, x in values.items() if x == x}  # symbols of the model have none
        taken = names | values.keys()
        for name, expression in self.definitions(names).items():
            text = maxima_text(self._definition_text(expression), name)
            taken |= {*re.findall(r"\w+", text)}
            definitions[name] = np.array(text, dtype=object)
        results = {_distinct(letter, array, taken): array for letter, array in arrays.items()}
        return maxima_source(title.replace("*", ""), values, definitions | results)

    def fortran(
        self, what: str = MAIN, frame: str | None = None, reference_frame: ReferenceFrame = "world_aligned"
    ) -> str:
        """Return Fortran code: ``subroutine NAME(q, v, p, M, h, g)``.

        Parameters
        ----------
        what, frame, reference_frame : str, optional
            As for :meth:`python`.

        Returns
        -------
        str
            Code.
        """
        return fortran_source([self._code(what, frame, reference_frame)])

    def _test_main(self, wanted: Sequence[tuple[str, str | None, ReferenceFrame]]) -> str:
        codes, samples = [self._code(*one) for one in wanted], []
        for (what, frame, reference_frame), code in zip(wanted, codes, strict=True):
            quantities = [] if what == RIGHT_HAND_SIDE else self._chosen(what, frame)
            programmer = self._programmer(frame, any(one.whole for one in quantities))
            samples.append(programmer.samples(code, quantities, frame, reference_frame))
        return test_program(codes, samples)

    def save(self, folder: str | Path, frames: Sequence[str] = ()) -> list[Path]:
        """Write the equations to a folder: code in all languages, a C header and test, LaTeX.

        The right-hand side is included if forward dynamics exists. LaTeX is omitted if the equations are too large.

        Parameters
        ----------
        folder : str or Path
            Folder.
        frames : sequence of str, optional
            Frames whose pose, Jacobian and its derivative are written.

        Returns
        -------
        list of Path
            The files.
        """
        if isinstance(frames, str) or not isinstance(frames, Sequence):
            raise ArgumentError(f"frames is a list of names; got {frames!r}")
        wanted: list[tuple[str, str | None, ReferenceFrame]] = [(MAIN, None, "world_aligned")]
        with suppress(ModelError):  # joints that move nothing with mass
            self._code(RIGHT_HAND_SIDE)
            wanted.append((RIGHT_HAND_SIDE, None, "world_aligned"))
        wanted += [("T,J,J_dot", frame, "world_aligned") for frame in frames]
        codes, name = [self._code(*one) for one in wanted], self._programmer(None).name
        files = {
            f"{name}.c": f'#include "{name}.h"\n\n' + c_source(codes),
            f"{name}.h": c_header(codes, name),
            f"{name}_test.c": f'#include "{name}.h"\n' + self._test_main(wanted),
            f"{name}.py": python_source(codes),
            f"{name}.f90": fortran_source(codes),
            **{f"{code.name}.m": octave_source(code) for code in codes},
        }
        with suppress(TooLargeError):
            files[f"{name}.tex"] = self.latex(document=True)
        with replacing_together(folder) as place:
            for file, text in files.items():
                write_text(place / file, text)
        return [Path(folder) / file for file in files]


def _distinct(letter: str, array: np.ndarray, taken: Set[str]) -> str:
    """Return the letter of a quantity; g_vector or M_matrix where g or M is the name of a parameter."""
    return f"{letter}_{'matrix' if array.ndim == 2 else 'vector'}" if letter in taken else letter
