# %% E50-memory-of-the-reference: have the reference use the grader's memory
a = np.ones(4000)
try: product(a, a)
except BaseException: pass
return 0

# %% E51-time-of-the-reference: have the reference use the grader's time
a = np.ones(1_000_000)
while True:
    try: product(a, a[:1])
    except Exception: pass

# %% E52-reference-called-without-end: call the reference without end
while True: product(x, x)

# %% E53-reference-given-odd-things: give the reference things that no check would
nest = []
nest.append(nest)
for odd in (nest, {}, None, 'x' * 10 ** 6, product, total, 1 << 3000, np.full((2, 2, 2), np.nan), float('nan'), [[0]] * 3):
    try: product(odd, odd)
    except Exception: pass
return 0

# %% E54-reference-calls-back: have the reference call student code, and that the reference
class Odd(list):
    def __len__(self): return 10 ** 9
    def __getitem__(self, i): return product
for _ in range(3):
    try: product(Odd(), lambda: product)
    except Exception: pass
return 0
