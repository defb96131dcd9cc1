"""How programs are run as they are, and under the preload library."""
import dataclasses
import os
from pathlib import Path

from reproduction.common import records

LAUNCHER = ("mpirun", "--oversubscribe")
# Ways to run a program: as it is, while Starling learns with a database that is empty, and on what it has learned then.
PLAIN, LEARNING, LATER = "plain", "learning", "later"
AGAIN = "plain again"  # by so much runs of the same thing differ


@dataclasses.dataclass(frozen=True)
class Build:
    """The folder of a build."""

    folder: Path = Path(os.environ.get("STARLING_BUILD", records.ROOT / "build" / "release"))

    @property
    def library(self):
        return self.folder / "lib" / "libstarling_preload.so"

    def program(self, name):
        return self.folder / "bin" / name


def environment_of(database, libraries=(), **settings):
    """That of this process, but that these libraries are preloaded, and no others, and that Starling reads these
    variables, and not what the user has set."""
    environment = {
        name: value for name, value in os.environ.items() if name != "LD_PRELOAD" and not name.startswith("STARLING_")
    }
    if os.geteuid() == 0:
        environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    if libraries:
        environment["LD_PRELOAD"] = ":".join(map(str, libraries))
    return environment | {"STARLING_DB": str(database)} | settings
