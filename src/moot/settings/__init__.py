"""Settings: read once, from five places, into one frozen value. The only reader of the environment.

the command line > the environment > ./moot.toml > ~/.config/moot/moot.toml > the defaults

# moot.toml
default_models = ["lab/qwen3", "ollama/llama3.3", "openai/o3"]

[providers.lab]
base_url = "https://lab.example/v1"
api_key_env = "LAB_API_KEY"

`./moot.toml` may be a stranger's: the file of a repository that was cloned. Until its person trusts it, it
chooses the mode and lowers limits, no more. What each setting lets it do stands beside it in `table.py`.
"""

from __future__ import annotations

from moot.settings.configuration import Configuration
from moot.settings.places import data_folder
from moot.settings.problems import BadSetting
from moot.settings.table import Settings, Standing, documented, standing_of, variable_of

__all__ = [
    "BadSetting",
    "Configuration",
    "Settings",
    "Standing",
    "data_folder",
    "documented",
    "standing_of",
    "variable_of",
]
