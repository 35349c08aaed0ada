# %%
def weighted_sum(weights, V):
    for i in range(200):
        print(f"row {i}: weights and values " * 400)
    return weights @ V
