"""Run the comparisons with peers, print them as Markdown and write all rows to benchmarks/results/peers.json.

python -m benchmarks.peers      in the environment that `make bench-peers` makes
"""

import json
import sys
from importlib.metadata import version
from importlib.util import find_spec
from time import perf_counter

from benchmarks.common import ROOT, machine

PEERS = {"leidenalg": "leidenalg", "skquery": "scikit-query"} | {
    "active_semi_clustering": "active-semi-supervised-clustering"
}


def main() -> None:
    absent = [name for module, name in PEERS.items() if find_spec(module) is None]
    if absent:
        sys.exit(f"{', '.join(absent)} not installed here; run `make bench-peers`, which installs the peers")
    from benchmarks.peers import constraints, leiden, markdown

    begin = perf_counter()
    versions = {name: version(name) for name in (*PEERS.values(), "scikit-learn")}
    about = machine() | versions
    print("  ".join(f"{key} {value}" for key, value in about.items()), flush=True)
    solvers, strategies = leiden.run(), constraints.run()
    print(f"\n{markdown.solvers(solvers)}\n\n{markdown.strategies(strategies)}\n")
    results = ROOT / "benchmarks" / "results" / "peers.json"
    found = {"machine": about, "solvers": solvers, "strategies": strategies}
    results.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(f"{results.relative_to(ROOT)} written after {perf_counter() - begin:.0f} s")


if __name__ == "__main__":
    main()
