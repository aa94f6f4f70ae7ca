"""Steps that play the same many times, at moments that differ: PYBOX_TEST_RACES says how many times."""

import json
import os
import random
import time

from judge import compact


class Races:
    """A part of play.Play, which sends, waits and keeps the faults."""

    def step_race(self, count):
        """Cancels at about the moment of the end, again and again. A call that is told `busy`, because
        the one before is still being cleaned up, is no race and is made again."""
        count = int(os.environ.get("PYBOX_TEST_RACES", count))
        typical, raced, number = 0.0, 0, 0
        while raced < count:
            number += 1
            key = json.dumps(f"race-{number}")
            began = time.monotonic()
            self.send(self.bytes_of({"call": "pass", "id": f"race-{number}"}))
            if raced < 5:
                self.server.wait_answer(key, self.patience)
            else:
                self.server.wait_for(lambda: key in self.server.answers(), random.uniform(0, typical * 1.2))
                self.send(self.bytes_of({"cancel": f"race-{number}"}))
            took = time.monotonic() - began
            answer = self.server.answers().get(key)
            if answer and "busy: " in compact(answer[0]["result"]["structuredContent"]["execution"]["outcome"]):
                time.sleep(0.003)
                continue
            raced += 1
            if raced <= 5:
                typical = max(typical, took)

    def step_ticks(self, count):
        """Calls that end at about the moment their first progress is due, eight at a time. The oracle judges the
        order of the lines."""
        count = int(os.environ.get("PYBOX_TEST_RACES", count))
        for first in range(0, count, 8):
            keys = [f"tick-{number}" for number in range(first, min(first + 8, count))]
            for key in keys:
                code = f"import time; time.sleep({random.uniform(0.85, 1.02):.4f})"
                self.send(self.bytes_of({"call": code, "id": key, "token": key}))
            for key in keys:
                if not self.server.wait_answer(json.dumps(key), self.patience):
                    return self.faults.append(f"{key} was not answered in time")
                outcome = self.server.answers()[json.dumps(key)][0]["result"]["structuredContent"]["execution"]["outcome"]
                if outcome["observation"] != "TARGET_EXIT_OBSERVED":
                    return self.faults.append(f"{key} did not run: {compact(outcome)[:300]}")
        time.sleep(0.2)
