"""Reward functions for trainers. None of them imports its trainer."""
