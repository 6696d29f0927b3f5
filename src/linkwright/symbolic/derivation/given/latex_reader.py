r"""LaTeX of papers as text that the expression parser reads: dot(theta1)^2*sin(theta2) for \dot\theta_1^2 \sin\theta_2.

Letters side by side are products, except where they are one known name. Only the commands below have a meaning.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn

from linkwright.errors import InputError

DEEPEST = 60
"""of groups in each other"""
BREAK = "\x05"
r"""end of a line, \\"""
_OPEN, _CLOSE, _COLUMN, _ROW = "\x01", "\x02", "\x03", "\x04"
"""of a matrix"""
_MATRIX = re.compile(
    r"(?:(?:\\left\s*)?[\[(]\s*)?\\begin\{([bpvB]?matrix|array)\}(?:\{[lcr|\s]*\})?(.*?)\\end\{\1\}(?:\s*(?:\\right\s*)?[\])])?",
    re.DOTALL,
)
_LAYOUT = re.compile(
    r"\\(?:left|right)\s*\.|\\(?:begin|end)\{[A-Za-z]+\*?\}|\\(?:label|tag)\{[^{}]*\}|\\(?:left|right|[bB]igg?[lr]?|displaystyle|nonumber|notag|q?quad|mathrm|"
    r"mathit|mathbf|boldsymbol|bm|text|rm)(?![A-Za-z])|\\[,;:! ()]|\\[\[\]]|[$&~]"
)
_UPRIGHT = re.compile(r"\\(?:operatorname\*?|mathrm|mathit|mathbf|boldsymbol|bm|text)\s*\{\s*([A-Za-z]+)\s*\}")
_TOKEN = re.compile(r"\\[A-Za-z]+|[A-Za-z][A-Za-z0-9]*|\d+(?:\.\d+)?|\.\d+|\S|[\n\x05]")
_FUNCTIONS = {"\\sin": "sin", "\\cos": "cos", "\\tan": "tan", "\\sqrt": "sqrt"}
_NAMED_FUNCTIONS = ("sin", "cos", "tan", "sign", "sgn")
_RATES = {"\\dot": "dot", "\\ddot": "ddot"}
_FRACTIONS = ("\\frac", "\\dfrac", "\\tfrac")
_GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta kappa lambda mu nu xi pi rho sigma tau phi chi psi omega varphi "
    "vartheta"
).split()
_TIMES = ("\\cdot", "\\times", "\\ast", "*")


def is_latex(text: str) -> bool:
    """Return whether a text has commands of LaTeX."""
    return bool(re.search(r"\\[A-Za-z]{2}|[_^]\{", text))


def text_of_latex(text: str, known: Callable[[str], bool]) -> str:
    """Return the equations of a text in LaTeX as plain text; ``known`` of a name: whether it has a meaning."""
    text = re.sub(r"\\\\(?:\[[^\]\n]*\])?", BREAK, text)
    text = _MATRIX.sub(_matrix, text)
    if BREAK in text:  # lines end there
        text = text.replace("\n", "\0")
    text = _LAYOUT.sub(" ", _UPRIGHT.sub(r" \1", text))
    made = _LatexReader(text, known).all()
    for mark, letter in ((_OPEN, "["), (_CLOSE, "]"), (_COLUMN, ", "), (_ROW, "; ")):
        made = made.replace(mark, letter)
    return made


def _matrix(found: re.Match[str]) -> str:
    inside = found[2].strip().removesuffix(BREAK).replace("&", _COLUMN).replace(BREAK, _ROW)
    return f"{_OPEN}{inside}{_CLOSE}"


class _LatexReader:
    """One pass over the words of a text, groups read in place."""

    def __init__(self, text: str, known: Callable[[str], bool]):
        self.tokens = _TOKEN.findall(text.replace("\0", "\x06"))
        self.known, self.k, self.depth = known, 0, 0

    def refuse(self, why: str) -> NoReturn:
        read = " ".join(self.tokens[max(0, self.k - 8) : self.k])
        raise InputError(f"the LaTeX cannot be read after {read!r}: {why}")

    @property
    def token(self) -> str:
        while self.k < len(self.tokens) and self.tokens[self.k] == "\x06" and self.depth:
            self.k += 1
        return self.tokens[self.k] if self.k < len(self.tokens) else ""

    def take(self) -> str:
        found = self.token
        self.k += 1
        return found

    def all(self) -> str:
        parts: list[str] = []
        while self.token:
            parts.append(self.run(()))
            if self.token:  # a closing sign without an opening one: the parser says so
                parts.append({"}": ")", "]": ")"}.get(self.token, self.token))
                self.take()
        return "".join(parts)

    def run(self, ends: tuple[str, ...]) -> str:
        """Operands and signs up to a closing sign, with * between operands."""
        parts: list[str] = []
        operand = False
        while (token := self.token) and token not in ends and token not in (")", "}", "]"):
            if token in _TIMES:
                parts.append("*")
                self.take()
                operand = False
            elif token == BREAK and self.depth:
                self.take()
            elif token == "\x06":
                parts.append("\0")
                self.take()
            elif token in ("\n", BREAK) or token in "+-/=,;:" + _OPEN + _CLOSE + _COLUMN + _ROW:
                parts.append(token)
                self.take()
                operand = False
            elif token == "." and (self.k + 1 == len(self.tokens) or self.tokens[self.k + 1] in ("\n", BREAK, "\x06")):
                self.take()  # end of a sentence
            else:
                parts.append(("*" if operand else "") + self.operand())
                operand = True
        return "".join(parts)

    def group(self) -> str:
        """The argument of a command: a group in braces or brackets, or one word."""
        if self.token in ("{", "(", "["):
            return self.closed()
        token = self.take()
        if token.isdigit():
            self.tokens[self.k - 1 : self.k] = [token[0], *([token[1:]] * bool(token[1:]))]
            return token[0]
        self.k -= 1
        return self.symbol()

    def closed(self) -> str:
        """Read the contents of brackets or braces."""
        with self.deeper():
            end = {"{": "}", "(": ")", "[": "]"}[self.take()]
            inside = self.run((end,))
            if self.take() != end:
                self.refuse("a bracket or brace is not closed")
        return inside

    @contextmanager
    def deeper(self) -> Iterator[None]:
        self.depth += 1
        if self.depth > DEEPEST:
            self.refuse(f"groups are nested more than {DEEPEST} deep")
        yield
        self.depth -= 1

    def operand(self) -> str:
        """A number, symbol, function, fraction or bracket, with its power."""
        token = self.token
        if token in ("{", "(", "["):
            made = f"({self.closed()})"
        elif token in _FRACTIONS:
            self.take()
            above, below = self.group(), self.group()
            if above == "d" and below.replace("*", "") == "dt":
                with self.deeper():
                    return f"diff({self.operand()}, t)"
            made = f"(({above})/({below}))"
        elif token in _FUNCTIONS:
            self.take()
            return self.function(_FUNCTIONS[token])
        elif token in _NAMED_FUNCTIONS:
            self.take()
            return self.function(token)
        elif token[:1].isdigit() or token.startswith("."):
            made = self.take()
        else:
            made = self.symbol()
        return made + self.power()

    def power(self) -> str:
        if self.token != "^":
            return ""
        self.take()
        return f"^({self.group()})"

    def function(self, name: str) -> str:
        """A function with its power, and its argument: what stands in brackets, or a multiple of one symbol."""
        power = self.power()
        if self.token in ("{", "(", "["):
            return f"{name}({self.closed()}){power}"
        if not self.token:
            self.refuse(f"{name} has no argument")
        factor = f"{self.take()}*" if self.token[0].isdigit() else ""
        return f"{name}({factor}{self.symbol()}){power}"

    def symbol(self) -> str:
        """A letter or Greek letter with its index, and its dots."""
        token = self.take()
        if token in _RATES:
            with self.deeper():
                inside = self.group()
            made = f"{_RATES[token]}({inside}{self.index()})"
            self.skip_time()
            return made
        if token.startswith("\\"):
            if (name := token[1:].removeprefix("var")) not in _GREEK:
                self.refuse(f"{token} has no meaning here")
            return self.named("w" if name == "omega" and self.is_name("w") else name)
        if not token[:1].isalpha():
            self.refuse(f"{token!r} is no symbol" if token else "it ends there")
        if len(token) > 1 and not self.is_name(token) and not re.fullmatch(r"[cs]\d+", token):
            self.tokens[self.k - 1 : self.k] = re.findall(r"[A-Za-z]|\d+", token)  # letters side by side
            token = token[0]
        return self.named(token)

    def is_name(self, letters: str) -> bool:
        """Whether letters are one known name, with the index that follows."""
        at = self.k
        name = letters + self.index()
        self.k = at
        return self.known(name)

    def named(self, name: str) -> str:
        index = self.index()
        self.skip_time()
        return name + index

    def skip_time(self) -> None:
        """Pass over (t) of a function of time."""
        if self.token == "(" and self.tokens[self.k + 1 : self.k + 3] == ["t", ")"]:
            self.k += 3

    def index(self) -> str:
        """The index after _, without braces: 1, g2, and [1,2] of two numbers."""
        if self.token != "_":
            return ""
        self.take()
        if self.token != "{":
            return self.take()
        self.take()
        words = []
        while self.token not in ("}", ""):
            words.append(self.take())
        self.take()
        index = "".join(words)
        if re.fullmatch(r"\d+,\d+", index):
            return f"[{index}]"
        return re.sub(r"[^A-Za-z0-9]", "", index)
