"""The catalogue of the papers' data sets, and what can be fetched."""

import threading
from collections import Counter
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from refusals import refused

import radprog as rp
from radprog.cli import main
from radprog.instances import papers_data as catalogue
from radprog.instances.delimited import TableOptions
from radprog.instances.papers_data import CATALOGUE, PAPERS, State
from radprog.instances.tables import digest
from radprog.instances.tabular import parse_table

ARFF = (
    "@relation ionosphere\n"
    + "".join(f"@attribute a{j:02} real\n" for j in range(34))
    + "@attribute class {b, g}\n@data\n"
    + "".join(",".join(["0.50", "1.0"] * 17 + ["g" if k % 3 else "b"]) + "\n" for k in range(351))
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("RADPROG_DATA", str(tmp_path))
    return tmp_path


def test_entries_are_complete():
    assert len(CATALOGUE) == 37
    for known in CATALOGUE:
        assert known.paper in PAPERS.values()
        assert known.rows > 0 < known.features
        assert len(known.sha256) == 64
        assert int(known.sha256, 16)
        assert "{" not in known.source
    for key in ("file", "name", "sha256"):
        assert Counter(getattr(known, key) for known in CATALOGUE).most_common(1)[0][1] == 1


def test_sets_whose_bytes_are_not_known(folder):
    musk = catalogue.entry("musk")
    assert dict(catalogue.status())[musk] is State.ABSENT
    (folder / "vkr").mkdir()
    (folder / "vkr" / "musk.csv").write_text("1,2,a\n")
    assert dict(catalogue.status())[musk] is State.UNCHECKED
    refused(rp.DataError, "make it from UCI: Musk", catalogue.fetch, "musk")


def test_names_of_an_entry():
    for name in ("german", "german.csv", "vkr/german.csv"):
        assert catalogue.entry(name).file == "vkr/german.csv"
    with pytest.raises(rp.DataError, match="no data set 'nothing': expected one of breastcancer"):
        catalogue.entry("nothing")


def test_the_folder_must_be_named(monkeypatch, tmp_path):
    monkeypatch.delenv("RADPROG_DATA", raising=False)
    refused(rp.DataError, "set RADPROG_DATA", catalogue.data_folder)
    monkeypatch.setenv("RADPROG_DATA", str(tmp_path / "absent"))
    refused(rp.DataError, "expected a folder", catalogue.status)


def test_status(folder):
    assert {state for _, state in catalogue.status()} == {State.ABSENT}
    (folder / "ucr").mkdir()
    (folder / "ucr/GunPoint_TEST.tsv").write_text("1\t2\n")
    states = {known.name: state for known, state in catalogue.status()}
    assert states.pop("GunPoint_TEST") == State.MISMATCH
    assert set(states.values()) == {State.ABSENT}


def test_addresses():
    address = catalogue.entry("GunPoint_TEST").address
    assert address.startswith("https://raw.githubusercontent.com/iwuqing/Time-Series-")
    assert address.endswith("/data/GunPoint/GunPoint_TEST.tsv")
    assert "/HEAD/datasets/waveform.data" in catalogue.entry("waveform").address


def test_fetch_converts_and_reports_other_bytes(folder, tmp_path):
    source = tmp_path / "source.arff"
    source.write_text(ARFF)
    assert catalogue.fetch("ionosphere", address=source.as_uri(), force=True) == State.MISMATCH
    written = folder / "vkr/ionosphere.csv"
    assert written.read_text().splitlines()[0] == ",".join(["0.5", "1"] * 17 + ["-1"])
    data = rp.read(written)
    assert data.X.shape == (351, 34)
    assert (data.targets > 0).sum() == 234
    assert [path.name for path in written.parent.iterdir()] == ["ionosphere.csv"]


def test_fetch_copies_series(folder, tmp_path):
    content = "".join(f"{1 + k % 2}\t" + "\t".join(["0.10"] * 150) + "\n" for k in range(150))
    source = tmp_path / "source.tsv"
    source.write_text(content)
    assert catalogue.fetch("GunPoint_TEST", address=source.as_uri(), force=True) == State.MISMATCH
    assert (folder / "ucr/GunPoint_TEST.tsv").read_text() == content


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("ionosphere", ARFF.replace("0.50,", "0.50,1,", 1), "36 cells, expected 35"),
        ("ionosphere", ARFF + ARFF.splitlines()[-1] + "\n", "352 rows of 34 features"),
        ("ionosphere", ARFF.replace("{b, g}", "{bad, g}").replace(",b\n", ",bad\n"), "labels"),
        ("climate", "", "not a plain conversion of its source"),
    ],
)
def test_fetch_refuses_and_writes_nothing(folder, tmp_path, name, content, message):
    source = tmp_path / "source.arff"
    source.write_text(content)
    refused(rp.DataError, message, catalogue.fetch, name, address=source.as_uri())
    assert not (folder / "vkr").exists()


def test_fetch_errors(folder, tmp_path):
    with pytest.raises(rp.DataError, match="cannot be downloaded"):
        catalogue.fetch("ionosphere", address=(tmp_path / "absent").as_uri())
    source = tmp_path / "source.arff"
    source.write_text(ARFF)
    (folder / "vkr").write_text("a file where the folder should be")
    with pytest.raises(rp.OutputError, match=r"cannot (make|write)"):
        catalogue.fetch("ionosphere", address=source.as_uri(), force=True)


@pytest.fixture
def server(monkeypatch):
    """A server on this machine in place of the one that holds the sources; it serves ``files``."""
    files: dict[str, bytes] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            content = files.get(self.path)
            self.send_response(404 if content is None else 200)
            self.end_headers()
            self.wfile.write(content or b"")

        def log_message(self, *words):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as httpd:
        thread = threading.Thread(target=httpd.serve_forever)
        thread.start()
        monkeypatch.setattr(catalogue, "RAW_ADDRESS", f"http://127.0.0.1:{httpd.server_port}")
        yield files
        httpd.shutdown()
        thread.join()


def fetched(*words: str) -> int:
    return main(["data", "fetch", "ionosphere", *words])


def test_fetch_from_a_server(folder, server, capsys, monkeypatch):
    wanted = catalogue.entry("ionosphere")
    assert fetched() == 2
    assert "cannot be downloaded: HTTP Error 404" in capsys.readouterr().err
    server[wanted.address.removeprefix(catalogue.RAW_ADDRESS)] = ARFF.encode()
    made = digest(
        catalogue.as_csv(parse_table("t.arff", ARFF.encode(), TableOptions()), "b=-1,g=1").encode()
    )
    assert fetched() == 2
    error = capsys.readouterr().err
    assert f"has SHA-256 {made}, expected {wanted.sha256}; --force writes it" in error
    assert not (folder / "vkr").exists()
    assert fetched("--force") == 0
    assert "mismatch" in capsys.readouterr().err
    assert digest((folder / "vkr/ionosphere.csv").read_bytes()) == made
    monkeypatch.setattr(catalogue, "EVERY_SET", (replace(wanted, sha256=made),))
    assert fetched("-o", str(folder / "other")) == 0
    assert "present" in capsys.readouterr().err


def test_csv_keeps_every_digit():
    text = "0.1,1e-300,nan,5,a b\n-3,12345678901234567,0.30000000000000004,0,c\n"
    table = parse_table("t.csv", text.encode(), TableOptions())
    again = parse_table("t.csv", catalogue.as_csv(table).encode(), TableOptions())
    assert again.values.tobytes() == table.values.tobytes()
    assert again.labels == ("a b", "c")
