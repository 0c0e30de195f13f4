"""Trains a model with TRL to write a kernel: `grpo_trl.py --model Qwen/Qwen2.5-Coder-1.5B-Instruct --problem softmax`.

The service is that of $KGRADE_URL. It needs GPUs of its own, because a kernel is slower on a GPU that also trains. Without
a service, this starts one on the emulated device, which measures no speed: there, all right answers have the same reward.
All processes of `accelerate launch` need the same service.

Without --model, a tiny model with random weights writes noise, to try everything on a CPU. None of its answers is right.
It needs `pip install kgrade[trl]`.
"""

import argparse
import os
from typing import Any, Optional, Sequence

import torch
from datasets import Dataset
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from trl import GRPOConfig, GRPOTrainer

import kgrade
from kgrade.adapters.trl import make_reward, prompts


def make_trainer(client: kgrade.Client, problems: Sequence[str], model: Optional[str] = None, **config: Any) -> GRPOTrainer:
    """config: members of GRPOConfig, such as use_vllm=True. A batch is one prompt with all its answers."""
    settings: "dict[str, Any]" = {"num_generations": 8, "per_device_train_batch_size": 8, "logging_steps": 1,
                                  "report_to": "none", "use_cpu": not torch.cuda.is_available(), **config}
    return GRPOTrainer(
        model=model or tiny_model(),
        processing_class=None if model else tiny_tokenizer(),  # None: TRL loads the model's tokenizer
        reward_funcs=make_reward(client),
        train_dataset=Dataset.from_list(prompts(client, problems)),
        args=GRPOConfig(**settings),
    )


def tiny_tokenizer() -> PreTrainedTokenizerFast:
    """A tokenizer with one token for each byte."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({letter: number for number, letter in enumerate(["<end>", *letters])}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="<end>", pad_token="<end>",
        chat_template="{% for message in messages %}{{ message['content'] }}\n{% endfor %}")


def tiny_model() -> LlamaForCausalLM:
    return LlamaForCausalLM(LlamaConfig(
        vocab_size=257, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        bos_token_id=None, eos_token_id=0, pad_token_id=0))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="a model of Hugging Face, or its folder")
    parser.add_argument("--problem", action="append", help="a slug; can be repeated (default: vector-addition)")
    parser.add_argument("--steps", type=int, default=100, help="optimiser steps (default: 100)")
    parser.add_argument("--tokens", type=int, default=2048, help="the longest answer (default: 2048)")
    parser.add_argument("--output", default="grpo-kgrade", help="the folder of the trained model (default: grpo-kgrade)")
    options = parser.parse_args()
    service = kgrade.Client() if os.environ.get("KGRADE_URL") else kgrade.local(device="emulated")
    with service as client:
        trainer = make_trainer(client, options.problem or ["vector-addition"], options.model, max_steps=options.steps,
                               max_completion_length=options.tokens, output_dir=options.output)
        trainer.train()
    trainer.save_model()


if __name__ == "__main__":
    main()
