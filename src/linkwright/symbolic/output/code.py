"""Programs of the equations, with shared subexpressions: what source code is written from.

Programs are made several ways and the shortest is taken: the printed equations, bracket by bracket, and the
recursive algorithms on the same exact numbers. Small mechanisms take fewer operations the first way,
large ones the second.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from linkwright import dynamics
from linkwright.compiler.ir.interpreter import interpret
from linkwright.compiler.ir.program import ArraySpec, Program, program_of
from linkwright.dynamics.configuration import configuration_rate
from linkwright.dynamics.forces.gravity_compensation import compensation_efforts
from linkwright.dynamics.forces.springs import FRICTION_SPEED, spring_forces
from linkwright.dynamics.forces.statics import spring_effort
from linkwright.dynamics.forward import FORWARD_DYNAMICS_METHODS
from linkwright.dynamics.inertias.massless import require_mass
from linkwright.errors import ModelError, TooLargeError
from linkwright.expression.graph import Expr, Graph
from linkwright.expression.polynomials.harmonics import Wave
from linkwright.expression.polynomials.polynomial import Polynomial, evaluate
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.spatial.linear_algebra.linalg import solve_symmetric
from linkwright.symbolic.derivation.coordinate_change import LocalCoordinateChange
from linkwright.symbolic.derivation.coordinates import Coordinates
from linkwright.symbolic.derivation.equations_of_motion import LagrangianMechanism
from linkwright.symbolic.derivation.exact_rotations import POWERS_OF_PI, Surd
from linkwright.symbolic.derivation.loops import with_rows_only, without_loops
from linkwright.symbolic.derivation.passive_forces import PassiveForces, refuse_spring
from linkwright.symbolic.derivation.quantities import EQUATION, MAIN, QUANTITIES, Quantity, equation_text
from linkwright.symbolic.derivation.realization import realized
from linkwright.symbolic.output.notation import Order, Sum, grouped, text_of

PRINTED_LIMIT = 3_000
"""Terms up to which the printed equations are tried as code; of more they never are the shorter one."""

NAME_LIMIT = 63
"""Letters of a name, in Fortran and MATLAB."""

RIGHT_HAND_SIDE = "rhs"

STATES, ROWS = 2, 64
"""At how many states it is tried which parameters matter, and how many parameters at once."""

NOTHING = 1e-10
"""A change of less than this of an array's largest entry is rounding."""

_MAIN = [QUANTITIES[letter] for letter in MAIN.split(",")]


@dataclass(frozen=True)
class GeneratedFunction:
    """A function to be written: its program, what its arguments are, and the values of the parameters."""

    name: str
    program: Program
    """inputs and outputs are called as the function's arguments and results"""
    notes: tuple[str, ...]
    """what it computes, and what its arguments hold"""
    values: Mapping[str, float]
    meanings: Mapping[str, str]

    @property
    def arguments(self) -> tuple[ArraySpec, ...]:
        """The inputs that hold anything."""
        return tuple(slot for slot in self.program.inputs if slot.size)

    @property
    def outputs(self) -> tuple[ArraySpec, ...]:
        """The results."""
        return self.program.outputs

    def header(self) -> list[str]:
        """Return the description of the function, line by line, in characters that end no comment."""
        first, *rest = self.notes
        lines = [f"{self.name}: {first}; {self.program.operations}", "", *rest]
        lines += [f"p: {name} = {value:.6g}, {self.meanings[name]}" for name, value in self.values.items()]
        spelled = str.maketrans({"²": "^2", "·": " ", "×": "x", "π": "pi", "ω": "w"})
        return [re.sub(r"[^ -~]|\\|\"|\*/|/\*|\?\?", "_", line.translate(spelled)) for line in lines]


class CodeInputs(NamedTuple):
    """The expressions of one graph from which code is generated."""

    graph: Graph
    arrays: dict[str, Array]
    """q, v and p"""
    symbols: dict[str, Expr]
    """by name"""


class ReferenceValues(NamedTuple):
    """Arguments of a function and the results that the library gives for them."""

    arguments: tuple[Array, ...]
    results: tuple[Array, ...]


class Programmer:
    """Makes the programs of a mechanism; ``model`` is the same in numbers.

    ``listed`` gives the names of the parameters that are arguments: nothing depends on the others.
    """

    def __init__(
        self, mechanism: LagrangianMechanism, passive: PassiveForces, model: Model, listed: Callable[[], Sequence[str]]
    ):
        self.plan, self.coordinates = mechanism.plan, mechanism.coordinates
        self.mechanism, self.passive, self.model, self._listed = mechanism, passive, model, listed
        name = re.sub(r"\W+", "_", self.plan.model.name, flags=re.ASCII).strip("_") or "mechanism"
        self.name = name if name[0].isalpha() else f"m_{name}"
        self._short = LagrangianMechanism(self.plan, PRINTED_LIMIT, change=mechanism.change)

    @cached_property
    def _order(self) -> Order:
        plan = self.plan
        return Order(plan.values, self.coordinates.v, self.mechanism.ring.angles, plan.inertial_names)

    @cached_property
    def parameters(self) -> dict[str, float]:
        """The parameters that are arguments, with the model's values."""
        return {name: self.plan.values[name] for name in self._listed()}

    def occurring(self, wanted: Sequence[Quantity], frame: str = "") -> set[str]:
        """The named parameters that these depend on, found by changing one after the other in numbers.

        At random states and values of all of them: entries are polynomials, which do not change there by chance.
        """
        names = tuple(self.plan.values)
        if not names:
            return set()
        inputs = self._inputs(Graph(), parameters=names)
        program = program_of(self.name, inputs.graph, inputs.arrays, self._recursive(inputs, wanted, frame, ""))
        found, random = set[str](), np.random.default_rng(0)
        for _ in range(STATES):
            q, v, p = self._state(random), random.normal(size=self.model.nv), random.uniform(0.5, 1.5, len(names))
            base = interpret(program, q, v, p)
            for start in range(0, len(names), ROWS):
                own = names[start : start + ROWS]
                changed = p + np.eye(len(own), len(names), start)
                for before, after in zip(base, interpret(program, q, v, changed), strict=True):
                    moved = np.abs(after - before).reshape(len(own), -1).max(axis=1, initial=0.0)
                    limit = NOTHING * np.abs(before).max(initial=0.0)
                    found |= {name for name, change in zip(own, moved, strict=True) if change > limit}
        return found

    def _state(self, random: np.random.Generator) -> Array:
        """A configuration, whatever the limits."""
        own = [joint.motion for joint in self.model.joints if joint.nq]
        far = [np.full(motion.nq, np.inf) for motion in own]
        return np.concatenate([np.zeros(0), *(m.sample(random, -x, x) for m, x in zip(own, far, strict=True))])

    def quantities(self, wanted: Sequence[Quantity], frame: str | None, reference_frame: str) -> GeneratedFunction:
        """A function that gives these, of the frame where they are of one.

        Whatever of the equations of motion it gives, its name and arguments are the same.
        """
        letters = [quantity.letter for quantity in wanted]
        of_motion = set(letters) <= set(EQUATION)
        words = "equations" if of_motion else "_".join(quantity.name for quantity in wanted)
        tag = "" if frame is None else "_" + re.sub(r"\W+", "_", frame, flags=re.ASCII).strip("_")
        text = "".join(quantity.arguments for quantity in wanted) + "q" * bool(self.mechanism.change)
        needed = [name for name in "qvp" if of_motion or name in text]
        programs = []
        for values in (self._recursive, self._printed):
            inputs = self._inputs(Graph())
            results = values(inputs, wanted, frame or "", reference_frame)
            if results is not None:
                own = {name: inputs.arrays[name] for name in needed}
                programs.append(program_of(_short(f"{self.name}_{words}{tag}"), inputs.graph, own, results))
        program = _shortest(programs, letters)
        meaning = equation_text(letters) if of_motion else f"{', '.join(letters)} of {self.name}"
        shown = {"frame": f"frame {frame}", "reference_frame": reference_frame.replace("_", " ")}
        notes = [meaning, *self._coordinate_notes("q", "v" if "v" in needed else "")]
        notes += [f"{q.letter}: {q.meaning.format(**shown)}" for q in wanted]
        values_of = self.parameters if "p" in needed else {}
        return GeneratedFunction(program.name, program, tuple(notes), values_of, self.plan.meanings)

    def right_hand_side(self) -> GeneratedFunction:
        """A function for integrators: d/dt of y = [q, v] from t, y and efforts tau, by G v and forward dynamics.

        Springs, dampers and friction act as in simulations, where friction is smoothed.
        """
        if self.plan.loops:
            raise ModelError(
                f"{self.plan.model.name!r} has closed loops: its accelerations are no formula, for A may lose rank. "
                "Solve M a + h + g = tau + A^T lambda, A a + b = 0 with what M, h, g, A and b give"
            )
        require_mass(self.model)
        nq = len(self.coordinates.q)
        programs = []
        ways: list[Callable[..., Any]] = [partial(self._solved, one) for one in (self._printed, self._recursive)]
        for accelerations in (*ways, self._articulated):
            graph = Graph()
            y, tau = graph.symbols("y", nq + len(self.coordinates.v)), graph.symbols("tau", len(self.coordinates.v))
            inputs = self._inputs(graph, y[:nq], y[nq:])
            local = self._local(self._writer(inputs), y[nq:])
            if local:
                efforts = tau + local.J.T @ self._passive_efforts(inputs.symbols, local.q, local.v)
            else:
                efforts = tau + self._passive_efforts(inputs.symbols, y[:nq], y[nq:])
            a = accelerations(inputs, efforts)
            if a is not None:
                rate = np.concatenate([configuration_rate(self.plan.model, y[:nq], y[nq:]), a])
                own = {"t": graph.symbols("t", ()), "y": y, "tau": tau, "p": inputs.arrays["p"]}
                programs.append(program_of(_short(f"{self.name}_rhs"), graph, own, (rate,)))
        program = _shortest(programs, ["y_dot"])
        forces = " + passive forces" if self._has_passive else ""
        notes = [f"d/dt of y = [q, v], by {equation_text(MAIN)}{forces}", *self._coordinate_notes("q", "v")]
        notes += ["t: time, which nothing depends on", "tau: efforts along v"]
        return GeneratedFunction(program.name, program, tuple(notes), self.parameters, self.plan.meanings)

    def samples(
        self,
        code: GeneratedFunction,
        wanted: Sequence[Quantity],
        frame: str | None,
        reference_frame: str,
        count: int = 3,
    ) -> list[ReferenceValues]:
        """Return reference values of the library's algorithms at fixed random states.

        Without quantities those of the right-hand side.
        """
        model, closed, found = without_loops(self.model), with_rows_only(self.model), []
        kept = self._kept(wanted)
        for seed in range(count):
            random = np.random.default_rng(seed)
            q, v, tau = model.random(seed=random), random.normal(size=model.nv), random.normal(size=model.nv)
            known = {"t": np.zeros(()), "q": q, "v": v, "y": np.concatenate([q, v]), "tau": tau}
            known["p"] = np.array(list(self.parameters.values()))
            local = self._local_at(q, v)
            q_dot = configuration_rate(model, q, v)
            if local:
                q, v = local.q, local.v

            def value(letter: str, q: Array = q, v: Array = v) -> Array:
                quantity = QUANTITIES[letter]
                if quantity.looped:
                    return quantity.value(closed, q, v, "", "")[kept]
                return quantity.value(model, q, v, frame or "", reference_frame)

            if not wanted:
                own = np.linalg.solve(local.J.T, tau) if local else tau
                a = dynamics.forward_dynamics(model, q, v, own + dynamics.passive_forces(model, q, v))
                if local:
                    a = np.linalg.solve(local.J, a - local.J_dot @ local.rates)
                results: tuple[Array, ...] = (np.concatenate([q_dot, a]),)
            else:
                results = tuple(
                    np.atleast_1d(local.changed(one.letter, value) if local else value(one.letter)) for one in wanted
                )
            found.append(ReferenceValues(tuple(known[slot.name] for slot in code.arguments), results))
        return found

    @property
    def _has_passive(self) -> bool:
        model = self.plan.model
        own = any(np.any([joint.damping, joint.friction, joint.stiffness]) for joint in model.joints)
        return own or bool(model.springs or model.compensated_weights)

    def _coordinate_notes(self, *names: str) -> list[str]:
        known = {"q": self.coordinates.q, "v": self.coordinates.v}
        notes = [f"{name}: {', '.join(known[name])}" for name in names if name]
        return notes + [f"where {name} = {text_of(grouped(p, self._order))}" for name, p in self.mechanism.replaced()]

    def _inputs(
        self, graph: Graph, q: Array | None = None, v: Array | None = None, parameters: Sequence[str] | None = None
    ) -> CodeInputs:
        p = tuple(self.parameters if parameters is None else parameters)
        names = {"q": self.coordinates.q, "v": self.coordinates.v, "p": p}
        known = {"q": q, "v": v}
        arrays = {
            key: graph.symbols(key, len(own)) if (x := known.get(key)) is None else x for key, own in names.items()
        }
        unused = dict.fromkeys(self.plan.values, graph.zero)  # of any value: nothing depends on them
        named = {name: x for key, own in names.items() for name, x in zip(own, arrays[key], strict=True)}
        return CodeInputs(graph, arrays, unused | named)

    def _kept(self, wanted: Sequence[Quantity]) -> list[int]:
        """The rows of closed loops that do not vanish, where those are wanted."""
        return list(self.mechanism.closure.kept) if any(quantity.looped for quantity in wanted) else []

    def _recursive(
        self, inputs: CodeInputs, wanted: Sequence[Quantity], frame: str, reference_frame: str
    ) -> tuple[Array, ...]:
        """By the library's algorithms; of numbers regrouped inertias take fewer operations."""
        closed = realized(self.plan, _maker(inputs.symbols))
        model, closed = without_loops(closed), with_rows_only(closed)
        writer, kept = self._writer(inputs), self._kept(wanted)
        local = self._local(writer, inputs.arrays["v"])
        q, v = (local.q, local.v) if local else (inputs.arrays["q"], inputs.arrays["v"])

        def own_value(letter: str) -> Array:
            quantity = QUANTITIES[letter]
            if quantity.looped:
                return quantity.value(closed, q, v, "", "")[kept]
            own = model if self.plan.rigid_names or not quantity.regrouped else model.minimal(quantity.regrouped)
            return quantity.value(own, q, v, frame, reference_frame)

        def value(quantity: Quantity) -> Array:
            if quantity.passive:
                return writer.array(np.atleast_1d(getattr(self.passive, quantity.name)), symmetric=False)
            letter = quantity.letter
            return np.atleast_1d(local.changed(letter, own_value) if local else own_value(letter))

        return tuple(map(value, wanted))

    def _printed(
        self, inputs: CodeInputs, wanted: Sequence[Quantity], frame: str, reference_frame: str
    ) -> tuple[Array, ...] | None:
        """By the printed equations; None where they are too large for that."""
        try:
            forms = [
                getattr(self.passive, quantity.name)
                if quantity.passive
                else self._short.form(quantity, frame, reference_frame)
                for quantity in wanted
            ]
        except TooLargeError:
            return None
        if sum(len(p) for form in forms for p in form.flat) > PRINTED_LIMIT:
            return None
        writer = self._writer(inputs)
        return tuple(
            writer.array(np.atleast_1d(form), quantity.symmetric) for quantity, form in zip(wanted, forms, strict=True)
        )

    def _local(self, writer: _PrintedEquations, rates: Array) -> LocalCoordinateChange | None:
        """The change of coordinates as expressions, where there is one."""
        found = self.mechanism.local
        if found is None:
            return None
        q, v, J, J_dot = (writer.array(x, symmetric=False) for x in (found.q, found.v, found.J, found.J_dot))
        return LocalCoordinateChange(q, v, J, J_dot, rates)

    def _local_at(self, q: Array, v: Array) -> LocalCoordinateChange | None:
        """The same in numbers."""
        found = self.mechanism.local
        if found is None:
            return None
        values = dict(self.plan.values) | dict(zip(self.coordinates.q, q, strict=True))
        values |= dict(zip(self.coordinates.v, v, strict=True))
        return LocalCoordinateChange(*(evaluate(x.flat, values).reshape(x.shape) for x in found))

    def _writer(self, inputs: CodeInputs) -> _PrintedEquations:
        return _PrintedEquations(
            inputs.graph, inputs.symbols, self.coordinates, self._order, self.mechanism.ring.divisors
        )

    def _passive_efforts(self, symbols: Mapping[str, Expr], q: Array, v: Array) -> Array:
        """Return the passive forces of :func:`~linkwright.passive_forces` with names for the numbers.

        Raises :class:`ModelError` for a spring of a quaternion.
        """
        model, make = self.plan.model, _maker(symbols)
        efforts = []
        for joint, one, q_k, v_k in zip(
            model.joints, self.plan.passive, model.coordinates(q), model.rates(v), strict=True
        ):
            d, F, k, rest = (
                np.array([self.plan.value(entry, make) for entry in entries], dtype=object) for entries in one
            )
            effort = -d * v_k
            if joint.friction.any():
                effort = effort - F * v_k / np.sqrt(v_k * v_k + FRICTION_SPEED**2)
            if joint.stiffness.any():
                if joint.motion.quaternions:
                    refuse_spring(joint)
                effort = effort - spring_effort(joint.motion, k, rest, q_k)
            efforts.append(effort)
        if model.springs:
            exact = realized(self.plan, make)
            for number, effort in spring_forces(exact, q, exact.rates(v)).items():
                efforts[number] = efforts[number] + effort
        total = model.assemble(efforts)
        if model.compensated_weights:
            total = total + compensation_efforts(realized(self.plan, make), q)
        return total

    def _solved(self, values: Callable[..., Any], inputs: CodeInputs, tau: Array) -> Array | None:
        """By M, h and g; None where there are none."""
        forms = values(inputs, _MAIN, "", "")
        if forms is None:
            return None
        M, h, g = forms
        return solve_symmetric(M, tau - h - g) if len(tau) else tau

    def _articulated(self, inputs: CodeInputs, tau: Array) -> Array | None:
        """By articulated bodies; None where joints follow others or coordinates are others, which it cannot do."""
        if self.plan.model.has_couplings or self.mechanism.change:
            return None
        model = realized(self.plan, _maker(inputs.symbols))
        model = model if self.plan.rigid_names else model.minimal("inertia")
        return FORWARD_DYNAMICS_METHODS["articulated"](model, inputs.arrays["q"], inputs.arrays["v"], tau, None)


def _maker(symbols: Mapping[str, Expr]) -> Callable[[Surd, str], Any]:
    """Return the function that converts a number of the plan to an expression."""

    def make(coefficient: Surd, parameter: str) -> Any:
        number = float(coefficient) * POWERS_OF_PI.get(parameter, 1.0)
        return number * symbols[parameter] if parameter and parameter not in POWERS_OF_PI else number

    return make


def _short(name: str) -> str:
    """A name that all languages take; of long ones the end is a digest, so that no two become the same."""
    return name if len(name) <= NAME_LIMIT else f"{name[: NAME_LIMIT - 9]}_{crc32(name.encode()):08x}"


def _shortest(programs: Sequence[Program], outputs: Sequence[str]) -> Program:
    shortest = min(programs, key=lambda program: program.operations.total)
    slots = tuple(slot._replace(name=name) for slot, name in zip(shortest.outputs, outputs, strict=True))
    return replace(shortest, outputs=slots, single=False)


class _PrintedEquations:
    """Printed equations as expressions, equal brackets once."""

    def __init__(
        self,
        graph: Graph,
        symbols: Mapping[str, Expr],
        coordinates: Coordinates,
        order: Order,
        divisors: Mapping[str, Polynomial],
    ):
        self.graph, self.order = graph, order
        known = {"pi": graph.constant(np.pi), "1/pi": graph.constant(1.0 / np.pi)}
        known |= {"sqrt2": graph.constant(2**0.5), "sqrt3": graph.constant(3**0.5)}
        known |= {f"sign({name})": symbols[name].sign() for name in coordinates.v}
        self.symbols = {**symbols, **known}
        self.made: dict[Sum, Expr] = {}
        self.divisors = divisors

    def array(self, form: np.ndarray, symmetric: bool) -> np.ndarray:
        """An array of polynomials; of a symmetric one the upper half is written."""
        array = np.empty(form.shape, dtype=object)
        for place in np.ndindex(*form.shape):
            array[place] = self.value(grouped(form[tuple(sorted(place)) if symmetric else place], self.order))
        return array

    def value(self, terms: Sum) -> Expr:
        if terms not in self.made:
            total = self.graph.zero
            for one in terms:
                product = self.graph.constant(float(one.coefficient))
                for atom, e in one.factors:
                    product = product * self.factor(atom) ** e
                for bracket in one.brackets:
                    product = product * self.value(bracket)
                total = total + product
            self.made[terms] = total
        return self.made[terms]

    def factor(self, atom: Any) -> Expr:
        if not isinstance(atom, Wave):
            if atom in self.divisors:
                return 1.0 / self.value(grouped(self.divisors[atom], self.order))
            return self.symbols[atom]
        angle = self.graph.zero
        for angle_name, n in atom.angles:
            angle = angle + float(n) * self.symbols[angle_name]
        return angle.cos() if atom.function == "cos" else angle.sin()
