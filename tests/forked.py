"""Kernels for nbval, each forked from one process that has imported what most chapters import.

Those imports take longer than many a chapter. The process runs nothing, and imports nothing of ours; every kernel has
the environment, the folder, the session and the arguments that it would be started with. `make notebooks`, which
writes the outputs compared here, starts each kernel anew.
"""

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from importlib.metadata import EntryPoint

BACKEND = "module://matplotlib_inline.backend_inline"  # a kernel's own choice, made before it imports matplotlib


def bury(*_):
    """Wait for all who are dead: the time they took is then counted, up to whoever times the tests."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def wait_for_orders():
    """Fork for each line on standard input; return, in the new process alone, what the line asks for."""
    signal.signal(signal.SIGCHLD, bury)
    for line in sys.stdin:
        if os.fork():
            continue
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()
        print(os.getpid(), flush=True)
        for stream in range(3):
            os.dup2(os.open(os.devnull, os.O_RDWR), stream)
        return json.loads(line)
    sys.exit()


if __name__ == "__main__":
    del sys.path[0]  # this folder
    import matplotlib.pyplot  # noqa: F401
    import pandas  # noqa: F401
    import scipy.stats  # noqa: F401
    import seaborn.objects  # noqa: F401
    from ipykernel import kernelapp

    arguments, folder, environment = wait_for_orders()
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.argv[1:] = [*arguments, f"--IPKernelApp.parent_handle={os.getppid()}"]
    kernelapp.launch_new_instance()
else:
    import nbval.kernel
    from jupyter_client.provisioning import KernelProvisionerFactory, LocalProvisioner

    class Kernel:
        """What jupyter_client asks of a process; it is no child of ours."""

        stdin = stdout = stderr = None

        def __init__(self, pid):
            self.pid = pid

        def poll(self):
            try:
                os.kill(self.pid, 0)
            except ProcessLookupError:
                return 0

        wait = poll

    class Forked(LocalProvisioner):
        stem = None

        async def launch_kernel(self, cmd, *, env, cwd, **_):
            if Forked.stem is None:
                Forked.stem = subprocess.Popen(
                    [sys.executable, __file__],
                    env=env | {"MPLBACKEND": BACKEND},
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            print(json.dumps([cmd[3:], cwd, env]), file=Forked.stem.stdin, flush=True)
            self.process = Kernel(int(Forked.stem.stdout.readline()))
            self.pid = self.pgid = self.process.pid
            self.cwd = cwd
            return self.connection_info

    class Specification(nbval.kernel.NbvalKernelspecManager):
        def get_kernel_spec(self, kernel_name):
            found = super().get_kernel_spec(kernel_name)
            found.metadata = {"kernel_provisioner": {"provisioner_name": "forked"}}
            return found

    def close():
        """End the process that forks."""
        if Forked.stem:
            Forked.stem.communicate()

    def install():
        """Let nbval, and nothing else, take its kernels from here."""
        KernelProvisionerFactory.provisioners["forked"] = EntryPoint("forked", f"{__name__}:Forked", "")
        nbval.kernel.NbvalKernelspecManager = Specification
