"""What a line of each protocol era may look like: written from the specification's prose, as checks that
say what is wrong. Also a validator for the part of JSON Schema that the tools' own schemas use."""

import json

MODERN = "2026-07-28"
MAX_LINE = 256 * 1024
MAX_RECEIPT = 64 * 1024

TYPES = {
    "object": lambda v: isinstance(v, dict), "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str), "boolean": lambda v: isinstance(v, bool),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
}
KNOWN = {"type", "properties", "required", "items", "additionalProperties", "enum", "minimum", "maximum",
         "maxItems", "maxLength", "default", "description", "title"}


def schema_faults(value, schema, place="$"):
    """Why `value` does not fit; a keyword this validator does not know is a fault of its own."""
    for keyword in set(schema) - KNOWN:
        yield f"{place}: the schema uses `{keyword}`"
    kind = schema.get("type")
    if kind and not TYPES[kind](value):
        yield f"{place}: {json.dumps(value)[:60]} is no {kind}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{place}: {json.dumps(value)[:60]} is not one of {schema['enum']}"
    if isinstance(value, dict):
        for key in schema.get("required", []):
            if key not in value:
                yield f"{place}: `{key}` is missing"
        properties = schema.get("properties", {})
        for key, inner in value.items():
            if key in properties:
                yield from schema_faults(inner, properties[key], f"{place}.{key}")
            elif schema.get("additionalProperties") is False:
                yield f"{place}: `{key}` is not allowed"
    if isinstance(value, list):
        for index, inner in enumerate(value):
            yield from schema_faults(inner, schema.get("items", {}), f"{place}[{index}]")


def portable_faults(schema, place="$"):
    """What some client or model interface refuses in a tool's schema."""
    if not isinstance(schema, dict) or not schema:
        yield f"{place}: an empty or boolean schema"
        return
    if not isinstance(schema.get("type"), str):
        yield f"{place}: no single `type`"
    for keyword in ("oneOf", "anyOf", "allOf", "not", "$ref", "$schema", "format", "exclusiveMinimum"):
        if keyword in schema:
            yield f"{place}: `{keyword}`"
    if schema.get("type") == "array" and "items" not in schema:
        yield f"{place}: a list without `items`"
    for name, inner in schema.get("properties", {}).items():
        yield from portable_faults(inner, f"{place}.{name}")
    if "items" in schema:
        yield from portable_faults(schema["items"], f"{place}[]")


def _fields(value, place, **wanted):
    """Each field must be there, of its type."""
    for name, kind in wanted.items():
        if name not in value:
            yield f"{place}: `{name}` is missing"
        elif not TYPES[kind](value[name]):
            yield f"{place}: `{name}` is no {kind}"


def result_faults(result, method, modern, tools):
    """`tools` maps a tool's name to its outputSchema; `method` None: it is not known what was asked."""
    if not isinstance(result, dict):
        yield "`result` is no object"
        return
    if modern:
        if result.get("resultType") != "complete":
            yield "a modern result without `resultType`: complete"
        info = result.get("_meta", {}).get("io.modelcontextprotocol/serverInfo", {})
        yield from _fields(info, "serverInfo", name="string", version="string")
    elif "resultType" in result:
        yield "a legacy result with `resultType`"
    if method in ("tools/list", "server/discover") and modern:
        yield from _fields(result, "result", ttlMs="integer", cacheScope="string")
    if method == "initialize":
        yield from _fields(result, "result", protocolVersion="string", capabilities="object", serverInfo="object")
        yield from _fields(result.get("serverInfo", {}), "serverInfo", name="string", version="string")
    elif method == "server/discover":
        yield from _fields(result, "result", supportedVersions="array", capabilities="object")
    elif method == "tools/list":
        yield from _tool_list_faults(result)
    elif method == "tools/call":
        yield from _call_faults(result, tools)
    elif method == "ping" and result != {}:
        yield "the result of a ping is not empty"


def _tool_list_faults(result):
    yield from _fields(result, "result", tools="array")
    if "nextCursor" in result:
        yield "`nextCursor` although there is one page"
    for tool in result.get("tools", []):
        yield from _fields(tool, "tool", name="string", description="string", inputSchema="object",
                           outputSchema="object")
        for schema in ("inputSchema", "outputSchema"):
            if tool.get(schema, {}).get("type") != "object":
                yield f"`{schema}` whose root is no object"


def _call_faults(result, tools):
    yield from _fields(result, "result", content="array", structuredContent="object", isError="boolean")
    blocks = result.get("content", [])
    if len(blocks) != 1 or blocks[0].get("type") != "text" or not isinstance(blocks[0].get("text"), str):
        yield "`content` is not exactly one text block"
        return
    structured = result.get("structuredContent", {})
    named = "execute_python" if "execution" in structured and "result" in structured else \
        "run_python" if "execution" in structured else "check_environment"
    yield from schema_faults(structured, tools.get(named, {}), "structuredContent")
    if named == "run_python":
        try:
            same = json.loads(blocks[0]["text"]) == structured
        except ValueError:
            same = False
        if not same:
            yield "the text block is not the structured content"
    elif blocks[0]["text"] != structured.get("result"):
        yield "the text block is not the result"
    size = len(json.dumps(structured.get("execution", {}), separators=(",", ":")))
    if size > MAX_RECEIPT:
        yield f"a receipt of {size} bytes"


def message_faults(message, asked, tools):
    """One message from the server. `asked` maps an id as JSON text to (method, modern)."""
    if not isinstance(message, dict):
        yield "no object"
        return
    if message.get("jsonrpc") != "2.0":
        yield "`jsonrpc` is not 2.0"
    if "method" in message:
        if message["method"] != "notifications/progress" or "id" in message:
            yield f"the server sent `{message['method']}`"
            return
        params = message.get("params", {})
        if not isinstance(params.get("progressToken"), (str, int)) or isinstance(params.get("progressToken"), bool):
            yield "progress without a token"
        yield from _fields(params, "progress", progress="number")
        return
    if ("result" in message) == ("error" in message):
        yield "neither or both of `result` and `error`"
        return
    if "id" in message and (message["id"] is None or not isinstance(message["id"], (str, int))
                            or isinstance(message["id"], bool)):
        yield f"the id {json.dumps(message['id'])}"
    if "error" in message:
        yield from _fields(message["error"], "error", code="integer", message="string")
        return
    if "id" not in message:
        yield "a result without an id"
        return
    method, modern = asked.get(json.dumps(message["id"]), (None, "resultType" in message.get("result", {})))
    yield from result_faults(message["result"], method, modern, tools)
