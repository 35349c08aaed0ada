# %%
def weighted_sum(weights, V):
    print(weights @ V)
