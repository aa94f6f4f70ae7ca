"""Percentiles, and the median of paired differences with its bootstrap interval."""

import random
import statistics


def percentile(values, share):
    """Nearest rank: a value that was measured, never one between two."""
    ordered = sorted(values)
    rank = max(1, -(-len(ordered) * share // 100))
    return ordered[int(rank) - 1]


def paired_median(values, floor, seed, rounds=2000):
    """Median of value - floor of the same round, with a 95 % interval resampled by round."""
    differences = [v - f for v, f in zip(values, floor)]
    source = random.Random(seed)
    medians = sorted(statistics.median(source.choices(differences, k=len(differences))) for _ in range(rounds))
    return statistics.median(differences), medians[int(rounds * 0.025)], medians[int(rounds * 0.975)]
