"""Creates a file for each name in /tmp/input/output_names.json; its content is its own hex name."""
import json
import os

for entry in json.load(open("/tmp/input/output_names.json"))["names"]:
    name = bytes.fromhex(entry["hex"])
    path = b"/tmp/output/" + name
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(entry["hex"])
