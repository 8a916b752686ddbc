"""What the system lets a process have."""

import resource

import psutil

RESERVE = 60  # files that are opened beside those that a test counts


def files_to_open(wanted):
    """So many files or, where even the hard limit is too low for them, as many as this process may open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = psutil.Process().num_fds() + RESERVE
    if soft != resource.RLIM_INFINITY and soft < needed + wanted:
        soft = needed + wanted if hard == resource.RLIM_INFINITY else min(needed + wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return wanted if soft == resource.RLIM_INFINITY else min(wanted, soft - needed)
