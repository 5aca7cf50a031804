"""Experiments behind the figures: each takes the client, server or method that its page shows, and returns numbers.

A study draws nothing: it returns a long table, one row per measured number, and the page has the call that plots it.
Invented people who stand in for data that the book may not pass on, or that a paper does not describe, live here too.
"""
