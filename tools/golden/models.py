#!/usr/bin/env python3
"""Outputs of the public reference classes on small models with weights that anybody can draw again.

Usage: models.py OUTDIR          (needs torch, diffusers, transformers, safetensors)

Weights and inputs are not stored: tensor i, in the order of sorted names, is torch.randn with seed
i, scaled by `scaled`; the tests draw the same numbers with our own generator. A file holds the
outputs, and in its metadata the shapes of the weights and of the inputs.
"""
import json
import os
import sys

import torch
from safetensors.torch import save_file


def drawn(seed, shape):
    torch.manual_seed(seed)
    return torch.randn(*shape)


def scaled(name, x):
    """Matrices keep the size of what they multiply, norm scales are near 1, biases small."""
    if x.ndim > 1:
        return x / (x.numel() / x.shape[0]) ** 0.5
    return 1 + 0.1 * x if name.endswith("weight") else 0.1 * x


def fill(model):
    """Draws every weight; T5's tied second copy of its table is left out."""
    state = {n: v for n, v in model.state_dict().items() if n != "encoder.embed_tokens.weight"}
    names = sorted(n for n in state if state[n].is_floating_point())
    weights = {n: scaled(n, drawn(i, state[n].shape)) for i, n in enumerate(names)}
    model.load_state_dict({**state, **weights}, strict=False)
    return model.float().eval(), {n: list(state[n].shape) for n in names}


def save(folder, name, weights, inputs, outputs):
    meta = {"weights": json.dumps(weights), "inputs": json.dumps(inputs)}
    save_file({k: v.contiguous().float() for k, v in outputs.items()},
              os.path.join(folder, name + ".safetensors"), meta)


def flux(folder, name, guidance, height, width):
    from diffusers import FluxTransformer2DModel
    model, weights = fill(FluxTransformer2DModel(
        in_channels=64, num_layers=2, num_single_layers=2, attention_head_dim=128,
        num_attention_heads=2, joint_attention_dim=48, pooled_projection_dim=24,
        guidance_embeds=guidance))
    batch, text = 2, 5
    shapes = {"x": [batch, 16, height, width], "context": [batch, text, 48], "y": [batch, 24]}
    x, context, y = (drawn(1000 + i, s) for i, s in enumerate(shapes.values()))
    timestep, scale = torch.tensor([0.75, 0.2]), torch.tensor([3.5, 1.25])
    odd_h, odd_w = height % 2, width % 2
    padded = torch.nn.functional.pad(x, (0, odd_w, 0, odd_h), mode="circular")
    h, w = padded.shape[2] // 2, padded.shape[3] // 2
    tokens = padded.view(batch, 16, h, 2, w, 2).permute(0, 2, 4, 1, 3, 5).reshape(batch, h * w, 64)
    ids = torch.zeros(h, w, 3)
    ids[..., 1] += torch.arange(h)[:, None]
    ids[..., 2] += torch.arange(w)[None]
    with torch.no_grad():
        out = model(hidden_states=tokens, encoder_hidden_states=context, pooled_projections=y,
                    timestep=timestep, guidance=scale if guidance else None,
                    img_ids=ids.view(-1, 3), txt_ids=torch.zeros(text, 3)).sample
    out = out.view(batch, h, w, 16, 2, 2).permute(0, 3, 1, 4, 2, 5).reshape(padded.shape)
    values = {"timestep": [0.75, 0.2], **({"guidance": [3.5, 1.25]} if guidance else {})}
    save(folder, name, weights, {"drawn": shapes, "values": values},
         {"out": out[:, :, :height, :width]})


def clip(folder):
    from transformers import CLIPTextConfig, CLIPTextModel
    model, weights = fill(CLIPTextModel(CLIPTextConfig(
        hidden_size=128, intermediate_size=192, num_hidden_layers=2, num_attention_heads=2,
        vocab_size=600, eos_token_id=599, bos_token_id=598)))
    tokens = [[598, 5, 17, 300, 41, 599, 599, 599, 599], [598, 7, 599, 3, 3, 3, 3, 3, 599]]
    with torch.no_grad():
        out = model(torch.tensor(tokens))
    save(folder, "clip", weights, {"tokens": tokens},
         {"hidden": out.last_hidden_state, "pooled": out.pooler_output})


def t5(folder):
    from transformers import T5Config, T5EncoderModel
    model = T5EncoderModel(T5Config(d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4,
                                    vocab_size=512, feed_forward_proj="gated-gelu"))
    model, weights = fill(model)
    model.encoder.embed_tokens.weight = model.shared.weight
    tokens = [[(37 * i + 11 * b) % 512 for i in range(300)] for b in range(2)]
    with torch.no_grad():
        hidden = model(torch.tensor(tokens)).last_hidden_state
    save(folder, "t5", weights, {"tokens": tokens}, {"hidden": hidden[:, ::7]})


def vae(folder):
    from diffusers import AutoencoderKL
    model, weights = fill(AutoencoderKL(
        in_channels=3, out_channels=3, block_out_channels=(32, 64), layers_per_block=1,
        latent_channels=16, norm_num_groups=32, use_quant_conv=False, use_post_quant_conv=False,
        down_block_types=("DownEncoderBlock2D",) * 2, up_block_types=("UpDecoderBlock2D",) * 2,
        scaling_factor=0.3611, shift_factor=0.1159))
    shapes = {"latent": [1, 16, 5, 7], "image": [2, 3, 18, 26]}
    latent, image = (drawn(1000 + i, s) for i, s in enumerate(shapes.values()))
    with torch.no_grad():
        decoded = model.decode(latent / 0.3611 + 0.1159).sample
        encoded = (model.encode(image).latent_dist.mean - 0.1159) * 0.3611
    save(folder, "vae", weights, {"drawn": shapes}, {"image": decoded, "latent": encoded})


if __name__ == "__main__":
    where = sys.argv[1]
    flux(where, "flux_dev", True, 5, 6)
    flux(where, "flux_schnell", False, 4, 7)
    clip(where)
    t5(where)
    vae(where)
