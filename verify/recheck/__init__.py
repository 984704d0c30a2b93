"""The independent re-checker: validates certificates and trusts nothing else of this project.

Standard library only. A certificate is plain data; each kind has a validator that recomputes,
by another road, what the certificate asserts, and refuses anything it does not understand.
"""
