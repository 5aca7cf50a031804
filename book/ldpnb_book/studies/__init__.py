"""Experiments behind figures: a study takes a page's client, server or class, and returns numbers in a tidy frame."""
