"""What the grader and a worker say to each other: frames of raw bytes, never pickle.

Nothing installed is used for it, msgpack neither:

- A reply must tell which arguments a call has changed, and one object that is sent twice must
  arrive as one. So arrays, lists and dictionaries have numbers (``encode``, ``decode``,
  ``changes``).
- The worker lies in the student's hands. Every size is held against a bound, and against the bytes
  that have arrived, before anything is allocated (``bounds``, ``frames``).
- No C code of others runs inside the sandbox, or in the grader on bytes of a student's choice.
"""

__all__ = [
    "bounds",
    "call_request",
    "changes",
    "decode",
    "encode",
    "frames",
    "records",
    "weight",
]
