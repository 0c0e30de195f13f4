"""Adapters for trainers. Each module but _shared imports at most the one framework that its name says."""
