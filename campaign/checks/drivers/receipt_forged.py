"""Alters a genuine receipt in the way args["forgery"] names, and asks `pybox verify` about the result.

protected: every altered receipt must be refused with exit code 1; one that is accepted is "reached".
control: takes the same way (parsed, written again, handed to `pybox verify`) without the alteration, or, for a
receipt signed by somebody else, with the one check off that refuses it: the verifier is told to trust that key.
An accepted receipt is "reached", so that a verifier that refuses everything proves nothing.
"""
import base64
import copy
import hashlib
import json
import os
import tempfile

import prelude
from prelude import ASK, end, is_control, scratch

PROGRAM = ("import sys, time\nprint('genuine', flush=True)\ntime.sleep(0.2)\n"
           "open('/tmp/output/r.txt', 'w').write('result')\nsys.exit(3)\n")
PAYLOAD_TYPE = "application/vnd.pybox.receipt+json"


def genuine():
    """A receipt of a run that was really made, with a file that came back."""
    run = prelude.run(PROGRAM, "--quiet", "--output", os.path.join(tempfile.mkdtemp(dir=scratch()), "out"), limit_s=20)
    if run.exit != 3 or not run.receipt:
        end("no-run", said=f"exit {run.exit}: {run.said()[-300:]}")
    return run.receipt


def written(receipt):
    return json.dumps(receipt, ensure_ascii=False).encode()


def verify(data, *options):
    """(accepted, what was said). Anything but 0 and 1 is trouble of the harness."""
    path = scratch() / "shown.json"
    path.write_bytes(data)
    run = prelude.pybox("verify", path, *options)
    if run.exit not in (0, 1):
        end("verify-failed", said=f"exit {run.exit}: {run.said()[-300:]}")
    return run.exit == 0, (run.out.decode("utf-8", "replace") + run.said()).strip()


# Ed25519 after RFC 8032, section 6: slow, and enough to sign as somebody else.
P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
I = pow(2, (P - 1) // 4, P)


def add(a, b):
    x1, y1, z1, t1 = a
    x2, y2, z2, t2 = b
    e1, e2, e3, e4 = (y1 - x1) * (y2 - x2) % P, (y1 + x1) * (y2 + x2) % P, 2 * t1 * t2 * D % P, 2 * z1 * z2 % P
    e, f, g, h = e2 - e1, e4 - e3, e4 + e3, e2 + e1
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(s, point):
    result = (0, 1, 1, 0)
    while s:
        if s & 1:
            result = add(result, point)
        point = add(point, point)
        s >>= 1
    return result


def base_point():
    y = 4 * pow(5, P - 2, P) % P
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * I % P
    x = x if x % 2 == 0 else P - x
    return x, y, 1, x * y % P


def packed(point):
    x, y, z, _ = point
    inverse = pow(z, P - 2, P)
    x, y = x * inverse % P, y * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def sign(seed, message):
    """(public key, signature)"""
    digest = hashlib.sha512(seed).digest()
    a = (int.from_bytes(digest[:32], "little") & ((1 << 254) - 8)) | (1 << 254)
    public = packed(times(a, base_point()))
    r = int.from_bytes(hashlib.sha512(digest[32:] + message).digest(), "little") % L
    big_r = packed(times(r, base_point()))
    k = int.from_bytes(hashlib.sha512(big_r + public + message).digest(), "little") % L
    return public, big_r + ((r + k * a) % L).to_bytes(32, "little")


def number(value):
    """A double as ECMAScript writes it (RFC 8785, section 3.2.2.3), which differs from Python below 1e-4."""
    if value == int(value) and abs(value) < 1e21:
        return str(int(value))
    text = repr(value)
    if "e-" not in text:
        return text
    digits, exponent = text.split("e-")
    if int(exponent) > 6:
        return f"{digits}e-{int(exponent)}"
    return "0." + "0" * (int(exponent) - 1) + digits.replace(".", "")


def canonical(value):
    if isinstance(value, dict):
        inside = sorted(value, key=lambda k: k.encode("utf-16-be"))
        return "{" + ",".join(json.dumps(k, ensure_ascii=False) + ":" + canonical(value[k]) for k in inside) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, float):
        return number(value)
    return json.dumps(value, ensure_ascii=False)


def signed_by_another(receipt):
    """(receipt, PEM of the key that signed it)"""
    body = {k: v for k, v in receipt.items() if k != "signature"}
    payload = canonical(body).encode()
    message = b"DSSEv1 %d %s %d %s" % (len(PAYLOAD_TYPE), PAYLOAD_TYPE.encode(), len(payload), payload)
    public, signature = sign(os.urandom(32), message)
    forged = dict(body)
    forged["signature"] = {"keyid": "sha256:" + hashlib.sha256(public).hexdigest(), "payloadType": PAYLOAD_TYPE,
                           "sig": base64.b64encode(signature).decode()}
    der = bytes.fromhex("302a300506032b6570032100") + public
    pem = "-----BEGIN PUBLIC KEY-----\n" + base64.b64encode(der).decode() + "\n-----END PUBLIC KEY-----\n"
    return forged, pem


def changed(receipt, place, value):
    forged = copy.deepcopy(receipt)
    node = forged
    for key in place[:-1]:
        node = node[key]
    if node[place[-1]] == value:
        end("same-value", detail=str(place))
    node[place[-1]] = value
    return written(forged)


def ending(receipt):
    return [changed(receipt, ["outcome", "exit_code"], 0), changed(receipt, ["outcome", "wall_s"], 0.001),
            changed(receipt, ["outcome", "stop_requests"], 1), changed(receipt, ["outcome", "evidence"], [])]


def output(receipt):
    text = "genuinf\n"
    other = hashlib.sha256(text.encode()).hexdigest()
    both = copy.deepcopy(receipt)
    both["capture"]["stdout"].update(text=text, sha256=other)
    return [changed(receipt, ["capture", "stdout", "text"], text), written(both)]


def sealing(receipt):
    fewer = copy.deepcopy(receipt)
    del fewer["seal"]["checks"][0]
    other = copy.deepcopy(receipt)
    other["seal"]["checks"][0]["method"] += " "
    return [written(fewer), written(other), changed(receipt, ["seal", "checks"], [])]


def request(receipt):
    return [changed(receipt, ["request", "code_sha256"], "0" * 64), changed(receipt, ["request", "timeout_s"], 21),
            changed(receipt, ["request", "limits", "memory_bytes"], 2 * receipt["request"]["limits"]["memory_bytes"]),
            changed(receipt, ["request", "image_id"], "sha256:" + "0" * 64)]


def dates(receipt):
    return [changed(receipt, ["created_at"], "2020-01-01T00:00:00Z"), changed(receipt, ["receipt_id"], "0" * 24),
            changed(receipt, ["pybox_version"], "9.9.9")]


def counters(receipt):
    return [changed(receipt, ["kernel", "memory_peak_bytes"], 4096), changed(receipt, ["kernel", "pids_peak"], 9999),
            changed(receipt, ["kernel", "oom_kills"], 1), changed(receipt, ["kernel", "series", 0, 1], 1)]


def files(receipt):
    gone = copy.deepcopy(receipt)
    gone["files"]["returned"] = []
    return [changed(receipt, ["files", "returned", 0, "sha256"], "0" * 64), written(gone),
            changed(receipt, ["files", "returned", 0, "name"], "s.txt")]


def removal(receipt):
    return [changed(receipt, ["cleanup", "status"], "UNCONFIRMED"), changed(receipt, ["cleanup", "status"], "NOT_ATTEMPTED")]


def signature(receipt):
    raw = bytearray(base64.b64decode(receipt["signature"]["sig"]))
    forged = []
    for place in (0, 31, 32, 63):
        flipped = bytearray(raw)
        flipped[place] ^= 1
        forged.append(changed(receipt, ["signature", "sig"], base64.b64encode(bytes(flipped)).decode()))
    # S + L signs the same message in a verifier that does not demand the smallest S (RFC 8032, section 5.1.7).
    larger = int.from_bytes(raw[32:], "little") + L
    if larger < 2**256:
        malleated = bytes(raw[:32]) + larger.to_bytes(32, "little")
        forged.append(changed(receipt, ["signature", "sig"], base64.b64encode(malleated).decode()))
    bare = {k: v for k, v in receipt.items() if k != "signature"}
    forged += [written(bare), changed(receipt, ["signature"], None), changed(receipt, ["signature", "sig"], ""),
               changed(receipt, ["signature", "sig"], base64.b64encode(bytes(64)).decode()),
               changed(receipt, ["signature", "keyid"], "sha256:" + "0" * 64),
               changed(receipt, ["signature", "payloadType"], "application/vnd.in-toto+json")]
    return forged


def shape(receipt):
    text = written(receipt)
    twice = text.replace(b'"exit_code": 3', b'"exit_code": 0, "exit_code": 3', 1)
    twice_last = text.replace(b'"exit_code": 3', b'"exit_code": 3, "exit_code": 0', 1)
    unknown = copy.deepcopy(receipt)
    unknown["approved"] = True
    missing = copy.deepcopy(receipt)
    del missing["denied"]
    if twice == text or text == twice_last:
        end("same-value", detail="exit_code not found")
    return [twice, twice_last, written(unknown), written(missing), text + b"{}", text[:-2], b"\xef\xbb\xbf" + text, b"",
            b"[" + text + b"]"]


def another_receipt(receipt):
    other = genuine()
    body = dict(receipt, signature=other["signature"])
    outcome = dict(receipt, outcome=dict(other["outcome"], wall_s=receipt["outcome"]["wall_s"] + 0.5))
    return [written(body), written(outcome)]


def another_key(receipt):
    forged, _ = signed_by_another(receipt)
    posing = copy.deepcopy(forged)
    posing["signature"]["keyid"] = receipt["signature"]["keyid"]
    return [written(forged), written(posing)]


FORGERIES = {f.__name__: f for f in (ending, output, sealing, request, dates, counters, files, removal, signature, shape,
                                     another_receipt, another_key)}


def show_genuine(forge):
    """Without the alteration: accepted, or the way it is taken refuses everything."""
    shown, options = written(genuine()), ()
    if forge is another_key:
        forged, pem = signed_by_another(json.loads(shown))
        key = scratch() / "another.pub"
        key.write_text(pem)
        shown, options = written(forged), ("--key", key)
    accepted, words = verify(shown, *options)
    if not accepted:
        end("refused", said=words[-300:])


def show_forged(forge, said):
    """How many were refused; ends the driver when one was not."""
    altered = forge(genuine())
    for place, data in enumerate(altered):
        accepted, words = verify(data)
        if accepted:
            end("reached", proof=f"{forge.__name__} {place}")
        said.add(words.splitlines()[0][:160] if words else "")
    return len(altered)


def work():
    forge = FORGERIES[ASK["args"]["forgery"]]
    passes = ASK["args"].get("passes", 3)
    if is_control():
        for _ in range(passes):
            show_genuine(forge)
        end("reached", proof=f"accepted {passes} of {passes}")
    said = set()
    refused = sum(show_forged(forge, said) for _ in range(passes))
    end("refused", refused=refused, passes=passes, said=sorted(said))


prelude.main(work)
