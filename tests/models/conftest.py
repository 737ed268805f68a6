"""The library's tests never reach for the network, and draw the same random numbers each time."""

import os

import pytest
import torch


os.environ["HF_HUB_OFFLINE"] = "1"


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)
