"""Exactness shown by computation: generic entries, words of a free monoid, all small trees."""
