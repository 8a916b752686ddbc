"""device="cuda" where there is no PyTorch: options are kept, and a computation says what is missing."""

import subprocess
import sys

import numpy as np
import pytest

import ofakind as ok
from twins.instances import CORNERS

PARTS = {
    "JEIG": {"acquisition": ok.JEIG(device="cuda")},
    "EIGO": {"acquisition": ok.EIGO(device="cuda")},
    "Entropy": {"acquisition": ok.Entropy(device="cuda"), "belief": ok.MeanFieldBelief()},
    "MeanFieldBelief": {"belief": ok.MeanFieldBelief(device="cuda")},
}


@pytest.mark.parametrize("part", PARTS)
def test_what_is_missing_is_named_on_first_use_and_nothing_has_changed(monkeypatch, part):
    learner = ok.ActiveClustering(12, batch_size=5, **PARTS[part])
    pairs = learner.ask()
    learner.tell(pairs, ok.NoisyOracle(np.arange(12) % 2)(pairs))
    before = learner.to_document()
    monkeypatch.setitem(sys.modules, "torch", None)
    told = r"^device is 'cuda', but PyTorch cannot be loaded .*pip install 'ofakind\[gpu\]', or choose"
    with pytest.raises(ok.InvalidInputError, match=told):
        learner.ask()
    assert learner.to_document() == before


@pytest.mark.slow
def test_options_are_made_saved_and_loaded_where_there_is_no_torch(tmp_path):
    code = f"""
import sys
sys.modules["torch"] = sys.modules["triton"] = None
import ofakind as ok
parts = dict(acquisition=ok.JEIG(device="cuda"), belief=ok.MeanFieldBelief(device="cuda"))
ok.ActiveClustering(5, **parts).save(r"{tmp_path / "x.json"}")
print(ok.ActiveClustering.load(r"{tmp_path / "x.json"}").acquisition.device)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout.strip(), done.stderr) == ("cuda", "")


@pytest.mark.parametrize("part", [ok.JEIG, ok.EIGO, ok.Entropy, ok.MeanFieldBelief])
@pytest.mark.parametrize("device", ["gpu", "", None, 0, "cuda:1"])
def test_a_device_that_is_none_is_refused(part, device):
    with pytest.raises(ok.InvalidInputError, match=r"^device is .*; expected 'cpu' or 'cuda'$"):
        part(device=device)


def test_a_mean_field_on_no_device_is_refused():
    with pytest.raises(ok.InvalidInputError, match=r"^device is 'tpu'"):
        ok.mean_field(CORNERS["two alike"], [0, 1], device="tpu")


def test_gains_over_all_pairs_are_for_the_cpu():
    with pytest.raises(ok.InvalidInputError, match="over is 'pairs' and device is 'cuda'"):
        ok.EIGO(over="pairs", device="cuda")
