"""Pictures as an mp4, by ffmpeg."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

from linkwright.errors import InputError, MissingExtraError
from linkwright.spatial.arrays import Array


def ffmpeg() -> str:
    """The program, that of the system or else of the package imageio-ffmpeg; :class:`MissingExtraError` without."""
    found = shutil.which("ffmpeg")
    if found is None:
        try:
            found = str(import_module("imageio_ffmpeg").get_ffmpeg_exe())
        except (ImportError, RuntimeError):
            raise MissingExtraError(
                'an mp4 needs ffmpeg, which is not found: install it (on Debian and Ubuntu "apt install ffmpeg"), or '
                'pip install imageio-ffmpeg. A .gif, or pictures in a folder ("frames/"), need nothing'
            ) from None
    return found


def write_mp4(path: Path, frames: Iterable[Array], fps: float) -> None:
    """Write pictures (height, width, 3) of bytes, both sizes even, ``fps`` a second."""
    pictures = iter(frames)
    first = next(pictures)
    height, width = first.shape[:2]
    command = [ffmpeg(), "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}"]
    command += ["-r", f"{fps:.6f}", "-i", "-", "-an", "-pix_fmt", "yuv420p", "-movflags", "+faststart"]
    command += ["-f", "mp4", f"file:{path.absolute()}"]
    with tempfile.TemporaryFile() as told:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=told)
        assert process.stdin is not None
        try:
            process.stdin.write(first.tobytes())
            for picture in pictures:
                process.stdin.write(picture.tobytes())
            process.stdin.close()
        except BrokenPipeError:
            pass  # it says why
        except BaseException:
            process.kill()
            raise
        finally:
            process.wait()
        if process.returncode != 0:
            told.seek(0)
            said = told.read().decode("utf-8", "replace").strip().splitlines()
            raise InputError(f"ffmpeg could not write the film: {said[-1] if said else process.returncode}")
