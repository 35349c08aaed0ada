# %% B16-booleans-that-are-neither: answer with truth values of 2 => booleans that are neither
frame(RETURN, b'a' + bytes([0, 1, 2]) + struct.pack('<2Q', *x.shape) + bytes([2]) * x.size + NOTHING)

# %% B30-shape-without-bytes: claim a shape that the bytes do not fill => no value
frame(RETURN, b'a' + bytes([10, 1, 2]) + struct.pack('<2Q', 2 ** 40, 2 ** 40) + bytes(64) + NOTHING)

# %% B31-empty-and-endless: claim a shape with an axis of 0 and others without bounds
frame(RETURN, b'a' + bytes([10, 1, 8]) + struct.pack('<8Q', 0, *[2 ** 31 - 1] * 7) + NOTHING)

# %% C48-text-in-a-shape [label]: put a hidden input into the shape of an empty array => no array
letters = [ord(letter) * 7 for letter in text]
frame(RETURN, b'a' + bytes([10, 1, len(letters) + 1]) + struct.pack(f'<{len(letters) + 1}Q', 0, *letters) + NOTHING)

# %% B32-reference-to-nothing: refer to a value that is not there => a reference to nothing
frame(RETURN, b'r' + u32(10 ** 6) + NOTHING)

# %% B33-other-arguments: claim that an argument has changed its size => cannot change its shape
content = b'a' + bytes([10, 1, 2]) + struct.pack('<2Q', 700, 700) + bytes(8 * 700 ** 2)
frame(RETURN, encoded(None) + u32(1) + u32(0) + content)

# %% B34-change-of-nothing: claim changes of things that were no arguments => a change to nothing
frame(RETURN, encoded(1.0) + u32(2 ** 32 - 1) + u32(99) + b'l' + u32(0))

# %% B35-change-of-kind: claim that an array has become a list that holds it => a change of kind
frame(RETURN, encoded(1.0) + u32(1) + u32(0) + b'l' + u32(1) + b'r' + u32(0))

# %% B36-many-small-claims: claim very many values in few bytes => too many values
frame(RETURN, b't' + u32(2 ** 32 - 1) + NOTHING)

# %% B37-list-in-itself: send a list that holds itself => within itself
frame(RETURN, b'l' + u32(2) + (b'r' + u32(1)) * 2 + NOTHING)

# %% B38-colliding-keys: send a dictionary whose keys collide => a dictionary too large
keys = b''.join(b'i' + u32(16) + (k * (2 ** 61 - 1)).to_bytes(16, 'little') + b'N' for k in range(1, 60_000))
frame(RETURN, b'm' + u32(59_999) + keys + NOTHING)

# %% B39-integer-without-end: send an integer of a megabyte => an integer too long
frame(RETURN, b'i' + u32(10 ** 6) + b'\x7f' * 10 ** 6 + NOTHING)

# %% B40-numbers-of-all-kinds [count]: send NaN, infinities and huge integers where the check compares
frame(RETURN, b'd' + struct.pack('<d', float('nan')) + NOTHING)

# %% B41-handles-of-strangers [count]: answer with functions that are not there => not there
frame(RETURN, b'g' + u32(7) + NOTHING)

# %% B42-function-by-name [count]: answer with a function by its name
frame(RETURN, b'n' + u32(5) + b'check' + NOTHING)

# %% B43-two-answers: answer twice, the second time for the next call => not real numbers
frame(RETURN, encoded(None) + NOTHING)
time.sleep(0.02)
frame(RETURN, encoded('ABC') + NOTHING)

# %% B45-answer-to-another: answer to a request that was never made => out of turn
frame(RETURN, encoded(1) + NOTHING, nonce=bytes(16))

# %% B46-requests-of-its-own: have the grader run a cell => out of turn
frame(RUN, encoded(('softmax', 'raise SystemExit', 5.0)))

# %% B47-calls-of-other-functions: call what the check did not hand over => no function of the check
frame(CALL, encoded(('exit', (), {})))

# %% B48-bytes-after-the-value: hide bytes after the value => bytes after
frame(RETURN, encoded(x) + NOTHING + b'T')

# %% B49-half-a-frame: promise more than it sends => did not return
frame(RETURN, encoded(x), size=10 ** 6)

# %% B50-frame-without-end: promise a frame that no memory holds => a frame of more
frame(RETURN, b'', size=2 ** 63)

# %% B51-drip: send one byte now and then => did not return
import time
data = struct.pack('<4sB3x16sQ', b'ATG1', RETURN, W.nonce, 10 ** 6)
while True:
    write(data[:1] or b'a'); data = data[1:]
    time.sleep(0.02)

# %% B52-old-exception: raise an exception of the check that was never raised
raised(number=1)

# %% B53-line-without-end: name a line of a thousand digits
raised(cell='softmax', line=10 ** 900)

# %% B54-negative-numbers: name negative lines and exceptions
raised(number=-1, cell='softmax', line=-5)

# %% B55-exception-of-wrong-kinds: describe an exception by things of other kinds => no exception
frame(RAISE, encoded((0.5, ('ValueError', 3), 1.5, None, 'x', {}, 3)) + NOTHING)

# %% B56-check-stopped: name an exception that only the grader raises
raised(names=('AssertionError', 'Stopped', 'EngineFault', 'Exception', 'MemoryError'))

# %% B57-end-of-the-loop [count]: name the exception that ends loops
raised(names=('StopIteration', 'Exception'))

# %% B58-every-exception-at-once [count]: name all exceptions that there are
import builtins
raised(names=tuple(name for name in dir(builtins) if name.endswith(('Error', 'Exit', 'Iteration', 'Warning', 'Group'))))

# %% C40-text-of-cannot-cross [label]: put a hidden input into the words of the engine
raised(names=('CannotCross',), text=text)

# %% C41-text-of-undefined [label]: put it into the name that is not defined
raised(names=('Undefined',), text=f'{text} is not defined')

# %% C42-name-of-the-cell [label]: put it into the name of the cell
raised(cell=text, line=1)

# %% C43-number-of-the-line [label]: put it into the number of the line
raised(cell='label', line=int.from_bytes(text.encode(), 'little'))

# %% C44-cell-still-to-be-written [label]: put it into what is still to be written
raised(names=('NotImplementedError', 'Exception'), cell=text, line=1)

# %% C45-size-of-the-frame [label]: put it into the size of a frame
frame(RETURN, b'', size=int.from_bytes(text.encode()[:8], 'little') | 2 ** 63)

# %% C46-names-of-the-exception [label]: put it into the names of classes
raised(names=(text, 'Exception'), text=text)

# %% C47-key-of-an-answer [label]: put it into the key of an answer
frame(RETURN, encoded({text: text}) + NOTHING)

# %% E40-calls-without-end [apply]: call the check's function with frames alone
call = encoded((function, (x,), {}))
while True:
    frame(CALL, call)
    frames.receive(W.sock)

# %% E41-nested-calls [apply]: have the check call the student who calls the check
frame(CALL, encoded((function, (function,), {'x': [function] * 1000})))

# %% E42-large-calls [apply]: call the check's function with as much as fits, again and again
import numpy as np
call = encoded((function, (np.zeros((2, 500_000)),), {}))
while True:
    frame(CALL, call)
    frames.receive(W.sock)

# %% E43-large-frames: answer every call with as much as fits
import numpy as np
frame(RETURN, encoded(np.zeros((2, 1_000_000))) + NOTHING)

# %% E44-frame-of-100-MB: send a frame that fills the grader's memory
write(struct.pack('<4sB3x16sQ', b'ATG1', RETURN, W.nonce, 100 << 20))
for _ in range(100): write(bytes(1 << 20))

# %% B60-memory-of-the-grader-as-an-array: have NumPy read the grader's memory through a field => no record
about = encoded({'data': (id(x), False), 'shape': (2, 2), 'typestr': '<f8', 'version': 3})
frame(RETURN, record(1, [about], 'Held', '__array_interface__') + NOTHING)

# %% B61-class-of-a-record: put another class into a record => no record
frame(RETURN, record(1, [b'N'], 'Held', '__class__') + NOTHING)

# %% B62-class-of-the-exercise: have an object of a class of the check's names
frame(RETURN, record(1, [encoded('softmax')], 'check', 'name') + NOTHING)

# %% B63-text-beyond-all-letters: answer with letters that there are not => no text
frame(RETURN, b'a' + bytes([255, 1, 1]) + struct.pack('<Q', 1) + u32(1) + u32(0x110000) + NOTHING)

# %% B64-texts-without-letters: claim a width that the bytes do not fill => an array too large
frame(RETURN, b'a' + bytes([255, 1, 2]) + struct.pack('<2Q', 0, 2 ** 20) + u32(2 ** 31) + NOTHING)

# %% B65-colliding-members: send a set whose members collide => a set too large
members = b''.join(b'i' + u32(16) + (k * (2 ** 61 - 1)).to_bytes(16, 'little') for k in range(1, 60_000))
frame(RETURN, b'e' + u32(59_999) + members + NOTHING)

# %% B66-records-hashed-again-and-again: send records within records, as keys
nest = b'N'
for _ in range(60): nest = record(2, [nest], 'Held', 'a')
frame(RETURN, b'e' + u32(1000) + nest * 1000 + NOTHING)

# %% B67-doubled-records-as-a-key: send a record whose hash takes for ever => a member that cannot be one
nest = record(1, [b'N'], 'Held', 'a')
for number in range(40): nest = b't' + u32(2) + nest + b'r' + u32(1)
frame(RETURN, b'e' + u32(1) + nest + NOTHING)

# %% B68-decimal-that-fills-all-memory: send a number whose digits nobody can write down => no value of this spelling
frame(RETURN, b'k' + bytes([1]) + text_of('1E+999999999') + NOTHING)

# %% B69-object-of-no-class: answer with an object where no step is a class => an object of no class
frame(RETURN, b'h' + u32(0) + u32(0) + NOTHING)

# %% B70-change-of-a-record: claim that an argument holds something else => a change of kind
frame(RETURN, encoded(1.0) + u32(1) + u32(0) + b'v' + u32(2) + b'NN')

# %% B71-exception-with-everything: raise an exception that was made with far too much
raised(arguments=tuple([0] * 100_000), printed='x' * 1_000_000)

# %% C49-arguments-of-an-exception [label]: put a hidden input into what an exception was made with
raised(names=('KeyError', 'Exception'), arguments=(text, text.encode(), 1), printed=text)

# %% C50-name-of-a-record [label]: put a hidden input into the name of a class
frame(RETURN, record(1, [text_of(text)], text, text) + NOTHING)

# %% B72-table-of-pandas: answer with a table, so that the grader loads a package that no teacher allows
frame(RETURN, b'q' + u32(5) + text_of('range') + b'N' + encoded(0) + encoded(5) + encoded(1) + NOTHING)
