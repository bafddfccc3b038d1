"""The commands ``load`` and ``analyze``."""

from __future__ import annotations

from radprog.commands import Options, emit, probe, say, show
from radprog.loading import load as load_solution
from radprog.result import result_of
from radprog.saved import SavedFit, to_json, write_all
from radprog.text import summary_lines


def load(options: Options) -> int:
    """``radprog load``: exit code 1 when the file claims what its point is not worth, or when its
    duals do not certify it."""
    inputs = (
        options.solution,
        options.names,
        options.data,
        options.dual_sol,
        options.dual_names,
    )
    probe(options.json, options.save, inputs=inputs)
    loaded = load_solution(
        options.solution,
        options.names,
        options.data,
        dual_solution=options.dual_sol,
        dual_names=options.dual_names,
        **{
            name: value
            for name in ("tol", "abs_tol")
            if (value := getattr(options, name)) is not None
        },
    )
    run = loaded.run
    result = result_of(run, loaded.data, loaded.settings)
    files = {}
    if options.json not in (None, "-"):
        files[options.json] = to_json(result)
    if options.save is not None:
        saved = SavedFit(model=run.name, data=loaded.data, fit=run.fit)
        files[options.save] = saved.to_json()
    write_all(files)
    if options.json == "-":
        emit(to_json(result))
    say(options, *(f"radprog: warning: {text}" for text in result["warnings"]))
    show(options, summary_lines(result))
    return 0 if loaded.agrees is not False and (run.certified or run.bound is None) else 1
