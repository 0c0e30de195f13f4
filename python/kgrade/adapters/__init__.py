"""Adapters for trainers. Each module but _failures imports at most the one framework that its name says."""
