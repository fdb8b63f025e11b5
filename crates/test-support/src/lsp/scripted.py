"""A language server that does what its script says, right or wrong.

Called with the script (JSON), and the log to which each message received is appended, one a line. It writes raw bytes and
must never be cleverer than its script: what no reaction is written for gets the plainest answer.
"""
import json
import os
import signal
import subprocess
import sys
import threading
import time

with open(sys.argv[1], encoding="utf-8") as file:
    SCRIPT = json.load(file)
LOG = open(sys.argv[2], "a", encoding="utf-8")
STDIN = sys.stdin.buffer
OUTPUT = threading.RLock()

calls = {}  # method -> how often it came
versions = {}  # uri -> the newest version
replies = {}  # id as JSON -> event that a reply has come
asked = [0]
stay = [False]


def raw(data):
    with OUTPUT:
        while data:
            data = data[os.write(1, data):]


def say(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)


def read():
    length = None
    while True:
        line = STDIN.readline()
        if not line:
            return None
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
        if not line.strip() and length is not None:
            return json.loads(STDIN.read(length))


def filled(value, message):
    """`$id`, `$uri` and `$version` stand for those of the message that is reacted to."""
    if isinstance(value, list):
        return [filled(item, message) for item in value]
    if isinstance(value, dict):
        return {filled(key, message): filled(item, message) for key, item in value.items()}
    params = message.get("params") or {}
    uri = params.get("textDocument", {}).get("uri") if isinstance(params, dict) else None
    known = {"$id": message.get("id"), "$uri": uri, "$version": versions.get(uri)}
    return known.get(value, value) if isinstance(value, str) else value


def ask(method, params, given):
    asked[0] += 1
    own = "scripted-%d" % asked[0] if given is None else given
    event = replies[json.dumps(own)] = threading.Event()
    say({"id": own, "method": method, "params": params})
    event.wait()


def fork(session):
    program = [sys.executable, "-c", "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"]
    subprocess.Popen(program, start_new_session=session, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def do(step, message):
    name, value = (step, None) if isinstance(step, str) else next(iter(step.items()))
    if name == "reply":
        say({"id": message.get("id"), "result": filled(value, message)})
    elif name == "error":
        say({"id": message.get("id"), "error": value})
    elif name == "wait":
        time.sleep(value / 1000)
    elif name == "ask":
        ask(value["method"], filled(value["params"], message), filled(value["id"], message))
    elif name == "tell":
        say({"method": value["method"], "params": filled(value["params"], message)})
    elif name == "raw":
        raw(value.encode())
    elif name == "repeat":
        for _ in range(value[0]):
            do(value[1], message)
    elif name == "fork":
        fork(value["new_session"])
    elif name == "close_output":
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
    elif name == "stop_reading":
        time.sleep(600)
    elif name == "ignore_terminate":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    elif name == "outlive_input":
        stay[0] = True
    elif name == "exit":
        os._exit(value)
    elif name == "die":
        os.kill(os.getpid(), signal.SIGKILL)


def run(steps, message):
    for step in steps:
        do(step, message)


def plain(message):
    method = message["method"]
    if method == "exit":
        if not stay[0]:
            os._exit(0)
    elif "id" not in message:
        pass
    elif method == "initialize":
        say({"id": message["id"], "result": {"capabilities": SCRIPT["capabilities"], "serverInfo": {"name": "scripted"}}})
    elif method == "shutdown":
        say({"id": message["id"], "result": None})
    else:
        say({"id": message["id"], "error": {"code": -32601, "message": "not in the script: " + method}})


def react(message):
    method = message["method"]
    reactions = SCRIPT["reactions"].get(method)
    if not reactions:
        return plain(message)
    at = calls[method] = calls.get(method, -1) + 1
    steps = reactions[min(at, len(reactions) - 1)]
    # Who waits must not keep the next message waiting.
    if any(isinstance(step, dict) and ("wait" in step or "ask" in step) for step in steps):
        threading.Thread(target=run, args=(steps, message), daemon=True).start()
    else:
        run(steps, message)


def main():
    run(SCRIPT["start"], {})
    while True:
        message = read()
        if message is None:
            break
        LOG.write(json.dumps(message) + "\n")
        LOG.flush()
        params = message.get("params")
        document = params.get("textDocument", {}) if isinstance(params, dict) else {}
        if "version" in document:
            versions[document["uri"]] = document["version"]
        if "method" in message:
            react(message)
        else:
            event = replies.pop(json.dumps(message.get("id")), None)
            if event:
                event.set()
    while stay[0]:
        time.sleep(1)


main()
os._exit(0)
