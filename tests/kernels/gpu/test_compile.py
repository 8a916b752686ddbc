"""What the interpreter cannot see: that the compiler accepts every kernel, for a GPU that is not here."""

import subprocess
import sys
from pathlib import Path

KERNELS = Path(__file__).parents[3] / "src" / "ofakind" / "kernels" / "gpu"

CHECK = """
from importlib import import_module
import triton
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.compiler.compiler import make_backend

TYPES = {
    "i64": "seed", "fp32": "beta tol t noise limit",
    "*i64": "start indptr bits count objects", "*fp16": "blocks",
    "*i32": "index indices order labels asked out u v",
    "*fp32": "q columns values weights race change moved",
}
TYPE = {name: kind for kind, names in TYPES.items() for name in names.split()}
OTHER = {  # arrays or numbers that have another type in this kernel
    "gain_kernel": {"out": "*fp32", "count": "i32"},
    "label_kernel": {"lanes": "i32"},
    "answer_field_kernel": {"blocks": "*fp32", "moved": "*i32"},
    "label_entropy_kernel": {"blocks": "*fp32", "out": "*fp32"},
    "update_kernel": {x: "*fp64" for x in ("S", "q", "out", "moved")} | {"beta": "fp64", "count": "i32"},
}
SIZES = {"ROWS": 16, "COLS": 64, "CHUNK": 32, "K": 16, "LANES": 64, "PAIRS": 1}
FLAGS = ("BY_ENTROPY", "WRITE", "CLUSTERINGS", "WATCH")
target = GPUTarget("cuda", 90, 32)
backend = make_backend(target)
for module in map(import_module, MODULES):
    for name, kernel in vars(module).items():
        if not name.endswith("_kernel") or kernel.fn.__module__ != module.__name__:
            continue
        for flag in (False, True):
            names = kernel.arg_names
            constants = {n: SIZES.get(n, flag) for n in names if n in SIZES or n in FLAGS}
            kinds = {n: OTHER.get(name, {}).get(n, TYPE.get(n, "i32")) for n in names}
            signature = {n: "constexpr" if n in constants else kinds[n] for n in names}
            source = ASTSource(kernel, signature, {(names.index(n),): v for n, v in constants.items()})
            options = backend.parse_options({"num_warps": 2, "enable_fp_fusion": True})
            context = ir.context()
            ir.load_dialects(context)
            backend.load_dialects(context)
            functions = backend.get_codegen_implementation(options)
            source.make_ir(target, options, functions, backend.get_module_map(), context)
        print(name)
"""


def test_every_kernel_is_accepted_by_the_compiler():
    modules = [f"ofakind.kernels.gpu.{path.stem}" for path in sorted(KERNELS.glob("[a-z]*.py"))]
    defined = {
        line.split("(")[0].removeprefix("def ")
        for path in KERNELS.glob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.startswith("def ") and line.split("(")[0].endswith("_kernel")
    }
    code = f"MODULES = {modules}\n{CHECK}"
    environment = {"TRITON_INTERPRET": "0", "PATH": ""}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr[-3000:]
    assert set(done.stdout.split()) == defined
    assert len(defined) > 8
