# Prints reference.json: python3 reference.py > reference.json
# Needs NumPy and SciPy. The figures are of two tunables of two values in 15
# blocks; an effect's interval is that of a median, by order statistics, with a
# confidence of 95 % corrected for three effects (Bonferroni).
import json
import numpy as np
from scipy.stats import binom

random = np.random.RandomState(5)
figures = np.round(np.exp(random.normal(0, 0.05, (15, 2, 2))) * 100 * np.array([[1, 1.2], [1.5, 2.1]]), 2)
logs = np.log(figures)
contrasts = {
    "first p -> q": (logs[:, 1, :] - logs[:, 0, :]).mean(axis=1),
    "second x -> z": (logs[:, :, 1] - logs[:, :, 0]).mean(axis=1),
    "first p -> q x second x -> z": logs[:, 1, 1] - logs[:, 1, 0] - logs[:, 0, 1] + logs[:, 0, 0],
}
effects = {}
for name, contrast in contrasts.items():
    ordered = np.sort(np.exp(contrast))
    outside = 0  # how many figures may lie beyond either bound
    while 1 - 2 * binom.cdf(outside, len(ordered), 0.5) >= 1 - 0.05 / 3:
        outside += 1
    effects[name] = [float(np.median(ordered)), float(ordered[outside - 1]), float(ordered[-outside])]
json.dump({"figures": figures.tolist(), "effects": effects}, __import__("sys").stdout, indent=1)
