"""Prints requirements of setup.cfg, so that an image can install them before the source is copied.

python3 requirements.py base redis    the package's own requirements and those of the extra `redis`
"""

import sys
from configparser import ConfigParser

setup = ConfigParser()
setup.read("setup.cfg", encoding="utf-8")
for name in sys.argv[1:]:
    section, key = (
        ("options", "install_requires") if name == "base" else ("options.extras_require", name)
    )
    print(setup[section][key].strip())
