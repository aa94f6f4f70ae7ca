"""The official Python SDK against a server, in each way of finding the protocol's era; one JSON object on stdout.

usage: client.py COMMAND ARG…    CLIENT_MODES="auto,legacy": only these
"""

import asyncio
import json
import os
import sys

from mcp import Client, StdioServerParameters

CHECKS = {}


def check(name, holds, detail=""):
    CHECKS[name] = True if holds else str(detail)[:400] or "no"


async def drive(mode):
    label = f"Python SDK {mode}"
    server = StdioServerParameters(command=sys.argv[1], args=sys.argv[2:], env=dict(os.environ))
    async with Client(server, mode=mode) as client:
        tools = (await client.list_tools()).tools
        check(f"{label}: lists run_python", [tool.name for tool in tools] == ["run_python"], tools)
        good = await client.call_tool("run_python", {"code": "print('h\u00e9llo')"})
        content = good.structured_content
        check(f"{label}: a good call", not good.is_error and content["execution"]["capture"]["stdout"]["text"] == "h\u00e9llo\n",
              good)
        check(f"{label}: both forms are the same", json.loads(good.content[0].text) == content)
        wrong = await client.call_tool("run_python", {"code": 7})
        check(f"{label}: a wrong type is a result", wrong.is_error is True, wrong)
        large = await client.call_tool("run_python", {"code": "print('x' * 10**7)", "max_output_bytes": 8192})
        check(f"{label}: megabytes are cut", large.structured_content["execution"]["capture"]["stdout"]["truncated"] is True,
              large)
        files = await client.call_tool("run_python", {
            "code": "open('/tmp/output/b', 'wb').write(open('/tmp/input/a', 'rb').read() * 2)",
            "files": [{"name": "a", "content": "/w==", "encoding": "base64"}], "return_files": True})
        check(f"{label}: a file in and a file out", files.structured_content["files"][0].get("content") == "//8=", files)
        try:
            unknown = (await client.call_tool("no_such_tool", {})).is_error
        except Exception:
            unknown = True
        check(f"{label}: an unknown tool is an error", unknown)


async def main():
    modes = os.environ.get("CLIENT_MODES", "legacy,auto,2026-07-28").split(",")
    for mode in modes:
        try:
            await asyncio.wait_for(drive(mode), 120)
        except BaseException as fault:
            check(f"Python SDK {mode}: no surprise", False, repr(fault))
    print(json.dumps(CHECKS))


asyncio.run(main())
