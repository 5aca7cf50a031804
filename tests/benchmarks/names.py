"""What a library has names for: says in a cell of libraries.py that something is absent, and shows what is not."""

import importlib
import inspect
import pkgutil
import re
import warnings


def modules(package):
    """The package and its public modules, as far as they can be imported."""
    root = importlib.import_module(package)
    yield root
    for found in pkgutil.walk_packages(root.__path__, f"{package}.", onerror=lambda name: None):
        if not any(part.startswith("_") for part in found.name.split(".")):
            try:
                yield importlib.import_module(found.name)
            except ImportError:  # of an optional part
                continue


def public(package):
    """Yield modules, classes, functions, methods and their arguments, in dots and parentheses."""
    for module in modules(package):
        yield module.__name__
        for name, value in vars(module).items():
            value = getattr(value, "py_func", value)  # compiled by numba
            home = getattr(value, "__module__", None) or ""
            if name.startswith("_") or not callable(value) or not f"{home}.".startswith(f"{package}."):
                continue
            kind = inspect.isclass(value)
            methods = {f"{name}.{one}": getattr(value, one, None) for one in dir(value) if kind and one[0] != "_"}
            for dotted, member in {name: value, **methods}.items():
                yield f"{home}.{dotted}"
                try:
                    arguments = inspect.signature(member).parameters
                except (TypeError, ValueError):
                    continue
                yield from (f"{home}.{dotted}({argument})" for argument in arguments)


def named(package, *words):
    """Say which public names contain one of the words, in their last part; capitals do not matter."""
    pattern = re.compile("|".join(words), re.IGNORECASE)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = sorted({name for name in public(package) if pattern.search(re.split(r"[.(]", name.rstrip(")"))[-1])})
    return found


def absent(package, *words):
    """Print that no public name has any of the words; fail if one has."""
    found = named(package, *words)
    if found:
        raise LookupError(f"names with {', '.join(words)}: {', '.join(found)}")
    print("no name with", ", ".join(words))
