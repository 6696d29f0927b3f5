"""Actuators and sensors of a model as methods; each returns a new model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from linkwright.errors import explained

if TYPE_CHECKING:
    from linkwright.model.parts.actuator import Actuator
    from linkwright.model.parts.sensor import Sensor
    from linkwright.model.tree import Model


class Instruments:
    """Actuators and sensors of a :class:`Model`, which is not changed."""

    if TYPE_CHECKING:

        def _edited(self, edit: Callable[..., Model], *arguments: Any) -> Model: ...

    @explained
    def with_actuators(self, *actuators: Actuator) -> Model:
        """Return the model with these actuators only.

        Parameters
        ----------
        *actuators : Actuator
            Actuators, in the order of the controls.

        Returns
        -------
        Model
            Changed mechanism.

        Raises
        ------
        ModelError
            If a joint or frame of an actuator does not exist, or its gear has another size.

        Examples
        --------
        >>> import linkwright as lw
        >>> arm = lw.load("two_link").with_actuators(lw.Actuator("elbow", "joint2", gear=50.0))
        >>> arm.nu
        1
        """
        from linkwright.model.transformations.additions import with_actuators

        return self._edited(with_actuators, *actuators)

    @explained
    def with_sensors(self, *sensors: Sensor) -> Model:
        """Return the model with these sensors only.

        Parameters
        ----------
        *sensors : Sensor
            Sensors.

        Returns
        -------
        Model
            Changed mechanism.

        Raises
        ------
        ModelError
            If a joint, frame, body or actuator of a sensor does not exist.
        """
        from linkwright.model.transformations.additions import with_sensors

        return self._edited(with_sensors, *sensors)
