#!/usr/bin/env python3
"""A scripted model for agents: plays the model's side of two interfaces on 127.0.0.1, Anthropic's Messages and
OpenAI's Responses, both streamed. It understands nothing: it asks for run_python calls from a script, one after
the other, and ends. What the agent showed it as results is recorded.

usage: model.py SCRIPT.json RECORD.json      (prints the address when it listens)

The script is {"calls": [ARGUMENTS, …], "last": TEXT}.
"""

import http.server
import json
import sys
import threading

TOOL = "run_python"


class Model:
    def __init__(self, script, record):
        self.calls, self.last, self.record_file = script["calls"], script["last"], record
        self.record = {"tools": [], "shown": [], "requests": 0}
        self.lock = threading.Lock()

    def keep(self, name, schema, shown):
        """Each request holds the whole conversation; the longest one is the record."""
        with self.lock:
            self.record["requests"] += 1
            if name and name not in [tool["name"] for tool in self.record["tools"]]:
                self.record["tools"].append({"name": name, "schema": schema})
            if len(shown) > len(self.record["shown"]):
                self.record["shown"] = shown
            with open(self.record_file, "w") as file:
                json.dump(self.record, file, indent=1)


def find_tool(tools, prefix=""):
    """(name, namespace, schema) of run_python, whatever the agent made of its name."""
    for tool in tools or []:
        if tool.get("type") == "namespace":
            found = find_tool(tool.get("tools"), tool["name"])
            if found[0]:
                return found[0], tool["name"], found[2]
        elif tool.get("name", "").endswith(TOOL):
            return tool["name"], None, tool.get("input_schema") or tool.get("parameters")
    return None, None, None


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model = None

    def log_message(self, *_):
        pass

    def reply(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def stream(self, events):
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for event in events:
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
        self.wfile.flush()

    def do_GET(self):
        self.reply({"data": [], "models": [], "object": "list", "has_more": False})

    do_HEAD = do_GET

    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            asked = json.loads(raw)
        except ValueError:
            asked = {}
        path = self.path.split("?")[0]
        if path.endswith("/messages"):
            return self.play_messages(asked)
        if path.endswith("/responses"):
            return self.play_responses(asked)
        return self.reply({"input_tokens": 1})

    # ---- Anthropic, Messages -----------------------------------------------------------------------

    def play_messages(self, asked):
        name, _, schema = find_tool(asked.get("tools"))
        shown = [block for message in asked.get("messages", []) if isinstance(message.get("content"), list)
                 for block in message["content"] if block.get("type") == "tool_result"]
        self.model.keep(name, schema, [{"content": block.get("content"), "is_error": block.get("is_error", False)}
                                       for block in shown])
        if name and len(shown) < len(self.model.calls):
            block = {"type": "tool_use", "id": f"toolu_{len(shown)}", "name": name,
                     "input": self.model.calls[len(shown)]}
        else:
            block = {"type": "text", "text": self.model.last}
        if not asked.get("stream"):
            return self.reply({**self.envelope(asked), "content": [block], "stop_reason": "end_turn"})
        return self.stream(self.message_events(asked, block))

    def envelope(self, asked):
        return {"id": "msg_scripted", "type": "message", "role": "assistant", "model": asked.get("model", "scripted"),
                "content": [], "stop_reason": None, "stop_sequence": None,
                "usage": {"input_tokens": 1, "output_tokens": 1}}

    def message_events(self, asked, block):
        is_tool = block["type"] == "tool_use"
        yield {"type": "message_start", "message": self.envelope(asked)}
        start = {**block, "input": {}} if is_tool else {**block, "text": ""}
        yield {"type": "content_block_start", "index": 0, "content_block": start}
        delta = ({"type": "input_json_delta", "partial_json": json.dumps(block["input"])} if is_tool
                 else {"type": "text_delta", "text": block["text"]})
        yield {"type": "content_block_delta", "index": 0, "delta": delta}
        yield {"type": "content_block_stop", "index": 0}
        yield {"type": "message_delta", "usage": {"output_tokens": 1},
               "delta": {"stop_reason": "tool_use" if is_tool else "end_turn", "stop_sequence": None}}
        yield {"type": "message_stop"}

    # ---- OpenAI, Responses -------------------------------------------------------------------------

    def play_responses(self, asked):
        name, namespace, schema = find_tool(asked.get("tools"))
        shown = [item for item in asked.get("input", []) if isinstance(item, dict)
                 and item.get("type") == "function_call_output"]
        self.model.keep(name, schema, [{"content": item.get("output")} for item in shown])
        if name and len(shown) < len(self.model.calls):
            item = {"type": "function_call", "id": f"fc_{len(shown)}", "call_id": f"call_{len(shown)}", "name": name,
                    "arguments": json.dumps(self.model.calls[len(shown)]), "status": "completed"}
            if namespace:
                item["namespace"] = namespace
        else:
            item = {"type": "message", "id": "msg_scripted", "role": "assistant", "status": "completed",
                    "content": [{"type": "output_text", "text": self.model.last, "annotations": []}]}
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2,
                 "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        answer = {"id": "resp_scripted", "object": "response", "status": "completed", "output": [item], "usage": usage}
        self.stream([{"type": "response.created", "response": {**answer, "status": "in_progress", "output": []}},
                     {"type": "response.output_item.added", "output_index": 0, "item": item},
                     {"type": "response.output_item.done", "output_index": 0, "item": item},
                     {"type": "response.completed", "response": answer}])


def main():
    with open(sys.argv[1]) as file:
        Handler.model = Model(json.load(file), sys.argv[2])
    listening = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(f"http://127.0.0.1:{listening.server_address[1]}", flush=True)
    listening.serve_forever()


if __name__ == "__main__":
    main()
