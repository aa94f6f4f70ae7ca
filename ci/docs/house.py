"""The rooms of the house, read from the includes, and where each stands in the picture.

A room's row is the longest way down to `base`, so every arrow points downward. An arrow is an include that no
longer way already implies. Places along a row are found by averaging over neighbours; a long arrow is led through
the rows between by bends that need room there like anything else.
"""

import collections
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lint"))

from rules import layers  # noqa: E402

House = collections.namedtuple("House", "arrows lines")  # room to rooms below it; room to lines of C++
Spot = collections.namedtuple("Spot", "row x")

LANES = {"runtime": (0, 500), "campaign": (500, 724), "replay": (724, 842), "reports": (842, 1080)}
WIDTH = 1080
ROOM_WIDTH, ROOM_GAP, BEND_GAP, MARGIN = 94, 10, 14, 12


def lane_of(room):
    return room.split("/")[0] if room.split("/")[0] in LANES else "runtime"


def read(tree):
    """Rooms, arrows and lines of C++, tests left out."""
    rooms = layers.rooms()
    includes, lines = collections.defaultdict(set), collections.Counter()
    for name, text in layers.sources(tree):
        room = layers.room_of(name.removeprefix("runtime/"), rooms)
        if room not in rooms or layers.is_test(name):
            continue
        lines[room] += text.count("\n")
        for match in layers.INCLUDE.finditer(text):
            target = layers.room_of(match.group(1), rooms)
            if target in rooms and target != room:
                includes[room].add(target)
    return House({room: _shortest(room, includes) for room in sorted(lines)}, dict(lines))


def _below(room, includes):
    found, waiting = set(), [room]
    while waiting:
        for target in includes.get(waiting.pop(), ()):
            if target not in found:
                found.add(target)
                waiting.append(target)
    return found


def _shortest(room, includes):
    direct = includes.get(room, set())
    implied = set().union(*(_below(target, includes) for target in direct))
    return sorted(direct - implied)


def rows(arrows):
    """Room to its row, 0 the ground floor. A room with more arrows in than out stands close below its users."""
    known = {}

    def row(room):
        if room not in known:
            known[room] = 1 + max((row(target) for target in arrows.get(room, ())), default=-1)
        return known[room]

    for room in sorted(arrows, key=row, reverse=True):
        users = [user for user, targets in arrows.items() if room in targets]
        if len(users) > len(arrows[room]) > 0:
            known[room] = min(known[user] for user in users) - 1
    return known


class Layout:
    """Spots of the rooms, and for each arrow the points it goes through."""

    def __init__(self, house):
        self.row = dict(rows(house.arrows))
        self.chains = {}
        for room, targets in house.arrows.items():
            for target in targets:
                bends = [(room, target, level) for level in range(self.row[room] - 1, self.row[target], -1)]
                for bend in bends:
                    self.row[bend] = bend[2]
                self.chains[room, target] = [room, *bends, target]
        self.near = collections.defaultdict(list)
        for chain in self.chains.values():
            for upper, lower in zip(chain, chain[1:]):
                self.near[upper].append(lower)
                self.near[lower].append(upper)
        self.floors = [sorted((n for n in self.row if self.row[n] == level), key=str)
                       for level in range(max(self.row.values()) + 1)]
        self.x = {}
        self._settle()

    def _settle(self):
        self._start()
        best, best_cost = dict(self.x), self._cost()
        for turn in range(30):
            order = range(len(self.floors)) if turn % 2 else reversed(range(len(self.floors)))
            for level in order:
                self._place(level, lambda n: self._mean(n))
            for level in range(len(self.floors)):
                self._swap(level)
            if (cost := self._cost()) < best_cost:
                best, best_cost = dict(self.x), cost
        self.x = best

    def _start(self):
        for level, floor in enumerate(self.floors):
            for lane, (left, right) in LANES.items():
                inside = [n for n in floor if isinstance(n, str) and lane_of(n) == lane]
                for i, node in enumerate(inside):
                    self.x[node] = left + (right - left) * (i + 0.5) / len(inside)
        for chain in self.chains.values():
            first, last = self.x[chain[0]], self.x[chain[-1]]
            for i, node in enumerate(chain[1:-1], 1):
                self.x[node] = first + (last - first) * i / (len(chain) - 1)
        for level in range(len(self.floors)):
            self._place(level, lambda n: self.x[n])

    def _mean(self, node):
        around = [self.x[n] for n in self.near[node]]
        return math.fsum(around) / len(around) if around else self.x[node]

    def _bounds(self, node):
        left, right = LANES[lane_of(node)] if isinstance(node, str) else (0, WIDTH)
        half = MARGIN + (ROOM_WIDTH / 2 if isinstance(node, str) else 4)
        return left + half, right - half

    @staticmethod
    def _apart(one, other):
        return sum(ROOM_WIDTH / 2 if isinstance(n, str) else 0 for n in (one, other)) + (
            ROOM_GAP if isinstance(one, str) and isinstance(other, str) else BEND_GAP)

    def _place(self, level, wish_of):
        """Moves a row's nodes to where they wish to be, as near as their width and their lane allow."""
        wish = {}
        for node in self.floors[level]:
            low, high = self._bounds(node)
            wish[node] = min(max(wish_of(node), low), high)
        floor = sorted(self.floors[level], key=lambda n: (wish[n], str(n)))
        self._spread(floor, wish)

    def _spread(self, floor, wish):
        x = [wish[n] for n in floor]
        for _ in range(40):
            for i in range(len(floor) - 1):
                short = self._apart(floor[i], floor[i + 1]) - (x[i + 1] - x[i])
                if short > 0:
                    x[i] -= short / 2
                    x[i + 1] += short / 2
            for i, node in enumerate(floor):
                low, high = self._bounds(node)
                x[i] = min(max(x[i], low), high)
        for i, node in enumerate(floor):
            x[i] = max(x[i], self._bounds(node)[0])
            if i > 0:
                x[i] = max(x[i], x[i - 1] + self._apart(floor[i - 1], node))
        for i in reversed(range(len(floor))):
            x[i] = min(x[i], self._bounds(floor[i])[1])
            if i + 1 < len(floor):
                x[i] = min(x[i], x[i + 1] - self._apart(floor[i], floor[i + 1]))
        self.x.update(zip(floor, x))

    def _swap(self, level):
        """Neighbours change places where that makes the picture better."""
        floor = sorted(self.floors[level], key=lambda n: self.x[n])
        near = range(level, min(level + 2, len(self.floors)))
        for i in range(len(floor) - 1):
            before, cost = dict(self.x), self._cost(near)
            one, other = floor[i], floor[i + 1]
            trial = floor[:i] + [other, one] + floor[i + 2:]
            wish = {n: self.x[n] for n in floor}
            wish[one], wish[other] = self.x[other], self.x[one]
            self._spread(trial, wish)
            if self._cost(near) < cost:
                floor = trial
            else:
                self.x = before

    def _cost(self, floors=None):
        """Crossings, the length of arrows, overlaps, rooms out of their lane; of the given floors and what stands on them."""
        cost = 0
        for level in floors or range(len(self.floors)):
            links = [(self.x[n], self.x[m]) for n in self.floors[level] for m in self.near[n]
                     if self.row[m] == level - 1]
            for i, (a, b) in enumerate(links):
                cost += abs(a - b) / 60
                cost += sum(4 for c, d in links[:i] if (a - c) * (b - d) < 0)
            ordered = sorted(self.floors[level], key=lambda n: self.x[n])
            for one, other in zip(ordered, ordered[1:]):
                cost += max(0, self._apart(one, other) - (self.x[other] - self.x[one]))
            for node in ordered:
                low, high = self._bounds(node)
                cost += 10 * (max(0, low - self.x[node]) + max(0, self.x[node] - high))
        return cost
