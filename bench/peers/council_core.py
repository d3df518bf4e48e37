"""llm-council-core as a library; it makes no title: seven calls, not eight."""

from __future__ import annotations

import os
from pathlib import Path

from council import CHAIRMAN, MODELS, QUESTION

CONFIG = """\
council:
  tiers:
    default: high
    pools:
      high:
        models: {models}
  council:
    models: {models}
    chairman: {chairman}
  gateways:
    default: openrouter
    providers:
      openrouter:
        enabled: true
        base_url: {base}/chat/completions
"""


async def setup(base: str, folder: str) -> None:
    config = Path(folder) / "llm_council.yaml"
    config.write_text(CONFIG.format(models=MODELS, chairman=CHAIRMAN, base=base))
    os.environ.update(
        {
            "OPENROUTER_API_KEY": "x",
            "OPENROUTER_API_URL": f"{base}/chat/completions",
            "LLM_COUNCIL_OFFLINE": "true",
            "LLM_COUNCIL_CONFIG": str(config),
            "LLM_COUNCIL_MODELS": ",".join(MODELS),
            "LLM_COUNCIL_CHAIRMAN": CHAIRMAN,
        }
    )


async def deliberate() -> str:
    from llm_council.council import run_full_council

    _, _, synthesis, _ = await run_full_council(QUESTION, bypass_cache=True)
    return str(synthesis["response"])
