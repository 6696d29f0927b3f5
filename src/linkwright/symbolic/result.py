"""The result of ``equations(model)``: SymPy matrices, comparison, other coordinates, explanations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, overload

from linkwright.dynamics.kinematics import ReferenceFrame
from linkwright.errors import InputError, counted, explained
from linkwright.expression.polynomials.polynomial import TERM_LIMIT
from linkwright.files import file_at, write_text
from linkwright.model.equality import same
from linkwright.model.tree import Model
from linkwright.symbolic.closed_loop_control.control_explanation import ControlledExplanation, controlled_explanation
from linkwright.symbolic.derivation.coordinate_change import given_of
from linkwright.symbolic.derivation.given.comparison import Comparison, compare
from linkwright.symbolic.derivation.quantities import MAIN
from linkwright.symbolic.interpretation.closed_loops import ClosedExplanation, closed_explanation
from linkwright.symbolic.interpretation.explanation_text import Explanation, explanation_of
from linkwright.symbolic.output.notation import grouped, sympy_of, text_of
from linkwright.symbolic.programs import ProgrammedEquations


class _SymPyMatrix(cached_property[Any]):
    """The quantity with the name of the attribute, computed when first used."""

    def __init__(self, what: str):
        super().__init__(lambda equations: equations.sympy(self.attrname))
        self.__doc__ = f"{what}; a SymPy matrix."


class Equations(ProgrammedEquations):
    """Exact equations of motion M(q) v̇ + h(q, v) + g(q) = τ of a mechanism.

    Created by :func:`equations`; everything is derived on demand. Equal objects have equal models and options;
    :attr:`canonical` compares the equations of two models.

    Parameters
    ----------
    model : Model
        Mechanism.
    parameters, angle_tolerance, method, term_limit, base_parameters : optional
        As for :func:`equations`.
    coordinates : tuple, optional
        Other coordinates, as for :meth:`in_coordinates`.
    """

    # SymPy

    @cached_property
    def symbols(self) -> dict[str, Any]:
        """SymPy symbols by name, as far as they occur in converted quantities; those of the model as given to it."""
        formulas = self._plan.formulas
        return {} if formulas is None else dict(formulas.symbols)

    def sympy(
        self,
        what: str,
        form: str = "products",
        frame: str | None = None,
        reference_frame: ReferenceFrame = "world_aligned",
    ) -> Any:
        """Return a quantity as a SymPy matrix, an energy as an expression.

        Parameters
        ----------
        what : str
            "mass_matrix", "velocity_forces", "coriolis_matrix", "gravity_forces", "friction_forces", "dissipation",
            "spring_forces", "constraint_jacobian", "constraint_bias", "rate_matrix", "kinetic_energy",
            "potential_energy", "center_of_mass", "center_of_mass_jacobian", "linear_momentum", "angular_momentum",
            "momentum_matrix", or of a frame "pose", "jacobian", "jacobian_dot", "velocity"; or its
            letter, as for :meth:`text`.
        form : str, optional
            Form of the entries, as for :meth:`text`.
        frame : str, optional
            Name of the frame.
        reference_frame : str, optional
            Axes of a frame's quantities, as for :func:`~linkwright.jacobian`.

        Returns
        -------
        sympy.ImmutableMatrix or sympy.Expr
            The quantity.
        """
        import sympy

        array, order = self.polynomials(what, frame, reference_frame), self._order_of(self._framed(frame))
        entries = [sympy_of(grouped(p, order, form), self.symbols) for p in array.flat]
        if mass := self.total_mass(array):
            entries = [one.subs(self.symbols[self.mass_letter], sympy_of(mass, self.symbols)) for one in entries]
        if not array.ndim:
            return entries[0]
        rows, columns = array.shape if array.ndim == 2 else (len(array), 1)
        return sympy.ImmutableMatrix(rows, columns, entries)

    mass_matrix = _SymPyMatrix("M (nv, nv)")
    velocity_forces = _SymPyMatrix("h (nv, 1), centrifugal and Coriolis")
    coriolis_matrix = _SymPyMatrix("C (nv, nv), Christoffel's: h = C v, and Ṁ − 2 C is skew-symmetric")
    gravity_forces = _SymPyMatrix("g (nv, 1)")
    friction_forces = _SymPyMatrix("D (nv, 1), viscous damping and Coulomb friction, ideal, with sign(0) = 0")
    spring_forces = _SymPyMatrix("K (nv, 1)")
    constraint_jacobian = _SymPyMatrix("A (m, nv) of closed loops, A v = 0")
    constraint_bias = _SymPyMatrix("b = Ȧ v (m, 1) of closed loops, A v̇ + b = 0")
    rate_matrix = _SymPyMatrix("G (nq, nv) with q̇ = G(q) v, the identity where v is q̇")

    def pose(self, frame: str) -> Any:
        """Return the pose of a frame in the world.

        Lengths from the joint of the frame's body to the frame have names, as those between joints
        (:meth:`frame_parameters`); the rotation of the frame must be exact.

        Parameters
        ----------
        frame : str
            Name of the frame.

        Returns
        -------
        sympy.ImmutableMatrix, shape (4, 4)
            Pose.
        """
        return self.sympy("pose", frame=frame)

    def jacobian(self, frame: str, reference_frame: ReferenceFrame = "world_aligned") -> Any:
        """Return the Jacobian J of a frame, [v; ω] = J v.

        Parameters
        ----------
        frame : str
            Name of the frame.
        reference_frame : str, optional
            Axes, as for :func:`~linkwright.jacobian`.

        Returns
        -------
        sympy.ImmutableMatrix, shape (6, nv)
            Jacobian.
        """
        return self.sympy("jacobian", frame=frame, reference_frame=reference_frame)

    def jacobian_determinant(self, frame: str, directions: str | Sequence[str] = "all", form: str = "products") -> Any:
        """Return the determinant of the Jacobian of a frame as a product; zero factors are singular configurations.

        Parameters
        ----------
        frame : str
            Name of the frame.
        directions : str or sequence of str, optional
            "all", "linear", "angular" or a list of "x", "y", "z", "rx", "ry", "rz", as many as joints; directions in
            which the frame never moves are omitted if there are more. In all six the determinant is the same in all
            axes.
        form : str, optional
            Form of the factors, as for :meth:`text`.

        Returns
        -------
        sympy.Expr
            Determinant.

        Examples
        --------
        >>> import linkwright as lw
        >>> lw.equations(lw.load("planar:3")).jacobian_determinant("tip")
        l1*l2*sin(theta2)
        """
        import sympy

        found = self.determinant_factors(frame, directions)
        order = self._order_of(self._framed(frame))
        parts = [sympy_of(grouped(p, order, form), self.symbols) ** power for p, power in found.factors]
        return sympy.Mul(sympy.Rational(found.coefficient.numerator, found.coefficient.denominator), *parts)

    def jacobian_dot(self, frame: str, reference_frame: ReferenceFrame = "world_aligned") -> Any:
        """Return the time derivative of the Jacobian of a frame.

        Parameters
        ----------
        frame : str
            Name of the frame.
        reference_frame : str, optional
            Axes, as for :func:`~linkwright.jacobian`.

        Returns
        -------
        sympy.ImmutableMatrix, shape (6, nv)
            Time derivative.
        """
        return self.sympy("jacobian_dot", frame=frame, reference_frame=reference_frame)

    def velocity(self, frame: str, reference_frame: ReferenceFrame = "world_aligned") -> Any:
        """Return the twist [v; ω] of a frame.

        Parameters
        ----------
        frame : str
            Name of the frame.
        reference_frame : str, optional
            Axes, as for :func:`~linkwright.jacobian`.

        Returns
        -------
        sympy.ImmutableMatrix, shape (6, 1)
            Twist.
        """
        return self.sympy("velocity", frame=frame, reference_frame=reference_frame)

    # comparison

    def same_as(
        self,
        typed: Any,
        what: str | None = None,
        terms: str = MAIN,
        frame: str | None = None,
        reference_frame: ReferenceFrame = "world_aligned",
        names: Mapping[str, Any] | None = None,
    ) -> Comparison:
        """Compare given equations with the derived ones: an exact proof, not a sample.

        An equation without an effort is one of motion without efforts: that row with tau = 0. The text is parsed, never
        executed; it may be plain text, LaTeX, or lines of Python, MATLAB, C, Fortran or Maxima, with definitions
        ("c2 = cos(q2)"). Letters are those of the equations; q1, qd1, qdd1, dth1, dot(th1), diff(th1, t) etc. are
        coordinates and their derivatives. Numbers of 11 digits or more are treated as rounded, as printed ones are.

        Parameters
        ----------
        typed : str or sympy.Expr
            Equation of a row ("tau1 = m1*lg1^2*qdd1 + …", also a multiple of it, or solved for a term), or with `what`
            an entry or all entries. Several lines are compared one by one; a line may start with its entry ("M[1,2] =
            …", "h2 = …") or a matrix ("M = [[…], […]]"). "L = …" is the Lagrangian; without springs "K = …" is the
            kinetic energy and "K1 = …" that of the first link, as "U1 = …" is its potential energy.
        what : str, optional
            Entry ("M[1,2]", "g[1]", "c[1]") or quantity ("M") of the given expression.
        terms : str, optional
            Terms of a row: M, h, g and optionally D and K.
        frame : str, optional
            Name of the frame, for its quantities.
        reference_frame : str, optional
            Axes of a frame's quantities.
        names : mapping, optional
            Meaning of further letters: {"a1": "l1", "J": "I1 + m1*lg1^2"}.

        Returns
        -------
        Comparison
            True if all are equal; otherwise the differences.

        Raises
        ------
        InputError
            If the text cannot be parsed.
        UnknownNameError
            If a letter is unknown.

        Examples
        --------
        >>> import linkwright as lw
        >>> print(lw.equations(lw.load("pendulum")).same_as("tau = (m*lg^2 + I)*qdd - m*g*lg*sin(q)"))
        tau[1]: given minus derived is -2*m1*g*lg1*sin(theta1)
        """
        return compare(self, typed, what, terms, frame, reference_frame, {} if names is None else names)

    def in_coordinates(self, coordinates: Mapping[str, Any]) -> Equations:
        """Return the equations in other coordinates y, with efforts Jᵀ τ where v = J ẏ.

        The result prints, compares and generates code as these equations do; ``.substitution`` has the substitution,
        and ``.singular_where()`` its singularities.

        Parameters
        ----------
        coordinates : mapping
            New coordinates by those of the mechanism, {"phi1": "theta1", "phi2": "theta1 + theta2"}, which are solved
            for these, or those of the mechanism by new ones, {"d1": "r*cos(phi)", "d2": "r*sin(phi)"}: angles by sums
            of integer multiples and of pi/12, displacements by polynomials in lengths, sines and cosines. Other
            coordinates do not change. Text or SymPy expressions.

        Returns
        -------
        Equations
            The equations.

        Raises
        ------
        InputError
            If the change of coordinates is singular everywhere or cannot be solved.

        Examples
        --------
        >>> import linkwright as lw
        >>> arm = lw.equations(lw.load("two_link")).in_coordinates({"phi1": "theta1", "phi2": "theta1 + theta2"})
        >>> print(arm.text(what="g"))
        g[1] = m1*g*lg1*cos(phi1) + m2*g*l1*cos(phi1)
        g[2] = m2*g*lg2*cos(phi2)
        """
        if self._change:
            raise InputError(
                "these equations are in other coordinates already; go there from the mechanism's own in one step"
            )
        model, choice, given, angle_tolerance, method, limit, base, _ = self._of
        return Equations(model, {**choice, **given}, angle_tolerance, method, limit, base, given_of(coordinates))

    def singular_where(self, form: str = "factored") -> str:
        """Return the determinant of J, v = J ẏ: these coordinates are singular where it is zero.

        Parameters
        ----------
        form : str, optional
            Form, as for :meth:`text`.

        Returns
        -------
        str
            Determinant; "1" for the mechanism's coordinates.
        """
        if not self._change:
            return "1"
        return text_of(grouped(self._change.determinant(self._mechanism.ring), self._order, form))

    @overload
    def explanation(self) -> Any: ...

    @overload
    def explanation(self, controller: Callable[..., Any], initial_state: Any = None) -> ControlledExplanation: ...

    def explanation(
        self, controller: Callable[..., Any] | None = None, initial_state: Any = None
    ) -> Explanation | ClosedExplanation | ControlledExplanation:
        """Explain the equations in words and formulas: ``.sections``, ``.text()``, ``.latex()``.

        The explanation has the kinds of terms, the dependence of M, vanishing terms with reasons, conserved quantities,
        equilibria and their stability; for closed loops the equilibria, loop forces there, and the stability of the
        remaining motions. With a controller it has a Lyapunov function with its derivative, proved as an identity of
        polynomials if a proof is known, otherwise the reason why there is none, and equilibria with the eigenvalues of
        the closed control loop; ``.proved`` and ``.proof`` have the proof.

        Parameters
        ----------
        controller : callable, optional
            Controller, as for :func:`~linkwright.simulate`.
        initial_state : optional
            Its initial state.

        Returns
        -------
        Explanation, ClosedExplanation or ControlledExplanation
            The explanation.
        """
        if self.has_symbols:
            raise InputError(
                f"explanations compare the values of parameters, and {self._plan.model.name!r} has symbols: build it "
                "with numbers, whose parameters equations(model) names"
            )
        if self._change:
            raise InputError(
                "explanations are of the mechanism's own coordinates: ask the equations that in_coordinates() was "
                "called on"
            )
        if controller is not None:
            return controlled_explanation(self._mechanism, self.model, self._plan.model, controller, initial_state)
        return self._explanation

    @cached_property
    def _explanation(self) -> Explanation | ClosedExplanation:
        if self._plan.loops:
            return closed_explanation(self._mechanism, self._plan.model)
        return explanation_of(self._mechanism, lambda: self.canonical, self._order, self.model)

    def html(self, path: str | Path, frame: str | None = None) -> Path:
        """Write a self-contained page for a browser: equations, derivation, code and a drawing.

        Parameters
        ----------
        path : str or Path
            File.
        frame : str, optional
            Frame whose pose and Jacobian are shown; by default the last frame of a mechanism that is one chain.

        Returns
        -------
        Path
            The file.
        """
        from linkwright.symbolic.output.page import page

        return write_text(file_at(path), page(self, frame))

    def __eq__(self, other: object) -> bool:
        return same(self._of, other._of) if isinstance(other, Equations) else NotImplemented

    def __hash__(self) -> int:
        model, _, _, *options = self._of
        return hash((model, *options))

    def __repr__(self) -> str:
        return f"<Equations of {self._plan.model.name!r}: {counted(len(self.coordinates.v), 'row')}>"


@explained
def equations(
    model: Model,
    parameters: str | Mapping[str, Any] = "symbols",
    *,
    angle_tolerance: float = 1e-5,
    method: str = "recursive",
    term_limit: int = TERM_LIMIT,
    base_parameters: bool = False,
) -> Equations:
    """Derive the equations of motion of a mechanism, exact and readable: M(q) v̇ + h(q, v) + g(q) = τ.

    Parameters
    ----------
    model : Model
        Mechanism, of numbers or with symbols. Symbols of a model, SymPy's or Linkwright's, are the names in its
        equations, and its numbers are numbers; expressions that are no polynomials of the symbols are named e1, e2, ….
    parameters : {"symbols", "numbers"} or mapping, optional
        For models with symbols, numbers for some of them by name or symbol, {"l": 0.5} or {l: 0.5}; their numbers are
        exact with either word. For models of numbers, "symbols" names the parameters (masses m1, lengths l1, centers of
        mass lg1, inertias I1 about them for planar motion; otherwise m1, mcx1 …, Ixx1 … at the joint); "numbers" treats
        decimals as exact rationals. A mapping chooses by group (geometry, inertial, gravity; passive for friction and
        springs) or by name: ``{"geometry": "numbers", "inertial": "all", "gravity": 9.81}``, {"l1": 0.5}. "all" also
        names vanishing parameters, which otherwise are zero.
    angle_tolerance : float, optional
        Largest deviation, rad, of the rotations of placements from multiples of π/12, to which they are rounded.
    method : {"recursive", "lagrange"}, optional
        Composite bodies and Newton–Euler, or Lagrange's equations; both give the same result.
    term_limit : int, optional
        Largest number of terms of an entry.
    base_parameters : bool, optional
        Whether inertial parameters are replaced by the smallest set of combinations that determines the motion (IzzR1
        with the meaning "Izz1 + m2*l1^2").

    Returns
    -------
    Equations
        The equations.

    Raises
    ------
    InputError
        If a symbol of the model has the name of a coordinate.
    ModelError
        If a number has no exact form, or a base parameter is no polynomial in the lengths.
    TooLargeError
        If an entry has more than `term_limit` terms. Generated code does not have this limit.

    Examples
    --------
    >>> import linkwright as lw
    >>> print(lw.equations(lw.load("pendulum")).text())
    M[1,1] = m1*lg1^2 + I1
    h = 0
    g[1] = m1*g*lg1*sin(theta1)

    With symbols of SymPy:

    >>> import sympy as sp
    >>> m, l, I, g = sp.symbols("m l I g")
    >>> rod = lw.Builder("rod", gravity=(0, 0, -g)).body("rod", m, [0, 0, -l / 2], I)
    >>> rod = rod.joint("hinge", "revolute", "world", "rod", axis=[0, 1, 0]).build()
    >>> lw.equations(rod).gravity_forces
    Matrix([[g*l*m*sin(theta1)/2]])
    """
    return Equations(model, parameters, angle_tolerance, method, term_limit, base_parameters)
