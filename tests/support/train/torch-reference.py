"""Trains a model of the Llama kind with the autograd and the AdamW of torch.

The folder in the first argument has request.json: the config, the optimizer, the names and shapes
of the parameters, and how many steps there are. parameters.bin has the float32 numbers of all
parameters, tokens.bin the int32 tokens (steps, batch, context + 1). It gets gradients.bin, the
gradients of the first step before they are clipped. Standard output: {"losses": [...], "norms":
[...]}.
"""

import json
import math
import sys

import numpy
import torch
from torch.nn.functional import cross_entropy, gelu, silu

ACTIVATIONS = {
    "silu": silu,
    "gelu": gelu,
    "gelu_tanh": lambda x: gelu(x, approximate="tanh"),
}


def rate_of(step, o):
    if step < o["warmup"]:
        return o["learningRate"] * (step + 1) / o["warmup"]
    if step >= o["steps"]:
        return o["minLearningRate"]
    part = (step - o["warmup"]) / (o["steps"] - o["warmup"])
    height = (1 + math.cos(math.pi * part)) / 2
    return o["minLearningRate"] + (o["learningRate"] - o["minLearningRate"]) * height


def norm(x, weight, eps):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * weight


def rotate(x, cos, sin):
    """x (batch, heads, positions, dim), by halves as in transformers."""
    a, b = x.chunk(2, dim=-1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)


def attention(x, w, name, config, cos, sin):
    batch, positions, _ = x.shape
    heads, kv_heads, dim = config["heads"], config["kvHeads"], config["headDim"]

    def project(role, count):
        y = x @ w[f"{name}.{role}_proj.weight"].T
        return y.view(batch, positions, count, dim).transpose(1, 2)

    q = rotate(project("q", heads), cos, sin)
    k = rotate(project("k", kv_heads), cos, sin).repeat_interleave(heads // kv_heads, dim=1)
    v = project("v", kv_heads).repeat_interleave(heads // kv_heads, dim=1)
    scores = q @ k.transpose(-1, -2) / math.sqrt(dim)
    hidden = torch.ones(positions, positions, dtype=torch.bool).triu(1)
    p = scores.masked_fill(hidden, -math.inf).softmax(-1)
    out = (p @ v).transpose(1, 2).reshape(batch, positions, heads * dim)
    return out @ w[f"{name}.o_proj.weight"].T


def logits_of(tokens, w, config):
    dim, eps = config["headDim"], config["normEps"]
    frequencies = config["ropeTheta"] ** (-torch.arange(0, dim, 2, dtype=torch.float64) / dim)
    angles = torch.arange(tokens.shape[1], dtype=torch.float64)[:, None] * frequencies
    cos, sin = angles.cos().float(), angles.sin().float()
    x = w["model.embed_tokens.weight"][tokens]
    for layer in range(config["layers"]):
        at = f"model.layers.{layer}"
        h = norm(x, w[f"{at}.input_layernorm.weight"], eps)
        x = x + attention(h, w, f"{at}.self_attn", config, cos, sin)
        if config["ffnDim"] == 0:
            continue
        h = norm(x, w[f"{at}.post_attention_layernorm.weight"], eps)
        gate = ACTIVATIONS[config["activation"]](h @ w[f"{at}.mlp.gate_proj.weight"].T)
        up = h @ w[f"{at}.mlp.up_proj.weight"].T
        x = x + (gate * up) @ w[f"{at}.mlp.down_proj.weight"].T
    output = "model.embed_tokens" if config["tiedOutput"] else "lm_head"
    return norm(x, w["model.norm.weight"], eps) @ w[f"{output}.weight"].T


def main(folder):
    with open(f"{folder}/request.json", encoding="utf-8") as file:
        request = json.load(file)
    config, o = request["config"], request["optimizer"]
    numbers = numpy.fromfile(f"{folder}/parameters.bin", dtype=numpy.float32)
    tokens = torch.from_numpy(numpy.fromfile(f"{folder}/tokens.bin", dtype=numpy.int32)).long()
    batches = tokens.view(request["count"], request["batch"], request["context"] + 1)

    w, at = {}, 0
    for name, shape in request["parameters"]:
        size = math.prod(shape)
        part = torch.from_numpy(numbers[at : at + size].copy()).view(shape)
        w[name] = part.requires_grad_()
        at += size
    groups = [
        {"params": [x for x in w.values() if x.dim() > 1], "weight_decay": o["weightDecay"]},
        {"params": [x for x in w.values() if x.dim() == 1], "weight_decay": 0},
    ]
    adamw = torch.optim.AdamW(groups, betas=(o["beta1"], o["beta2"]), eps=o["epsilon"])

    losses, norms = [], []
    for step, batch in enumerate(batches):
        for group in adamw.param_groups:
            group["lr"] = rate_of(step, o)
        adamw.zero_grad()
        logits = logits_of(batch[:, :-1], w, config)
        loss = cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
        loss.backward()
        if step == 0:
            all_gradients = torch.cat([x.grad.flatten() for x in w.values()])
            all_gradients.numpy().tofile(f"{folder}/gradients.bin")
        norms.append(torch.nn.utils.clip_grad_norm_(w.values(), o["clip"]).item())
        adamw.step()
        losses.append(loss.item())
    print(json.dumps({"losses": losses, "norms": norms}))


main(sys.argv[1])
