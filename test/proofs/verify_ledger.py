"""A second verifier, written from schema/ledger.md alone, with nothing but Python's standard library.

usage: verify_ledger.py LEDGER... [--receipts FILE] [--key VKEY] [--proof FILE]...
Prints a JSON object for each ledger: the hashes that its entries must have, the first difference, and the overage of each period.
"""

import argparse
import base64
import hashlib
import json
import re

UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"


class Wrong(Exception):
    """Says what is wrong."""


def need(is_right, text):
    if not is_right:
        raise Wrong(text)


# ---- The file ----

def is_int(value):
    return type(value) is int and abs(value) < 2**53


def is_count(value):
    return is_int(value) and value >= 0


def is_text(value):
    return isinstance(value, str) and "\0" not in value and not any("\ud800" <= char <= "\udfff" for char in value)


def is_like(pattern):
    return lambda value: isinstance(value, str) and re.fullmatch(pattern, value, re.ASCII) is not None


def or_null(test):
    return lambda value: value is None or test(value)


KEYS = {
    "hash_version": lambda value: is_int(value) and value == 1,
    "balance_id": is_like(UUID),
    "sequence": is_int,
    "id": is_like(UUID),
    "token_id": or_null(is_like(UUID)),
    "kind": is_like("[a-z]+"),
    "at": is_int,
    "records": is_int,
    "credits": is_int,
    "overage_records": is_int,
    "overage_cents": is_int,
    "balance_after": is_count,
    "overage_after": is_count,
    "period_start": is_int,
    "segments": lambda value: isinstance(value, list) and len(value) % 3 == 0 and all(map(is_count, value)),
    "county_fips": or_null(is_like("[0-9]{5}")),
    "attempt": is_count,
    "reverses": or_null(is_like(UUID)),
    "repeats": or_null(is_like(UUID)),
    "request_hash": or_null(is_like("([0-9a-f]{2})+")),
    "request_id": or_null(is_text),
    "idempotency_key": or_null(is_text),
    "reason": or_null(is_text),
    "actor": or_null(is_text),
    "previous_hash": is_like("[0-9a-f]{64}"),
    "hash": is_like("[0-9a-f]{64}"),
}


def parse(line):
    try:
        entry = json.loads(line)
    except ValueError:
        raise Wrong("is not JSON")
    need(isinstance(entry, dict), "is no object")
    need(set(entry) == set(KEYS), "has not exactly the 26 keys")
    for key, is_right in KEYS.items():
        need(is_right(entry[key]), f"has a wrong {key}")
    return entry


# ---- The hash ----

def seconds(micros):
    whole, rest = divmod(abs(micros), 1_000_000)
    return f"{'-' if micros < 0 else ''}{whole}.{rest:06}"


def quoted(text):
    if text is None:
        return "NULL"
    inner = text.replace("\\", "\\\\").replace("'", "''")
    return ("E'" if "\\" in text else "'") + inner + "'"


def text_of(entry):
    def plain(key):
        return "" if entry[key] is None else str(entry[key])

    return "|".join([
        plain("id"), plain("balance_id"), plain("sequence"), plain("token_id"), plain("kind"), seconds(entry["at"]), plain("records"),
        plain("credits"), plain("overage_records"), plain("overage_cents"), plain("balance_after"), plain("overage_after"),
        seconds(entry["period_start"]), "{" + ",".join(map(str, entry["segments"])) + "}", plain("county_fips"), plain("attempt"),
        plain("reverses"), plain("repeats"), plain("request_hash"), quoted(entry["request_id"]), quoted(entry["idempotency_key"]),
        quoted(entry["reason"]), quoted(entry["actor"]),
    ])


def hash_of(entry):
    return hashlib.sha256(bytes.fromhex(entry["previous_hash"]) + text_of(entry).encode()).hexdigest()


# ---- What a ledger must hold ----

KINDS_WITH = {
    "token_id": "read replay reversal token", "records": "read replay reversal", "credits": "grant read reversal expiry adjustment",
    "overage_records": "read reversal", "overage_cents": "read reversal", "segments": "read replay", "county_fips": "read replay reversal",
    "attempt": "read", "reverses": "reversal", "repeats": "replay", "request_hash": "read", "request_id": "read replay reversal",
    "idempotency_key": "read adjustment", "reason": "replay reversal adjustment terms token", "actor": "reversal adjustment",
}

TERMS = {
    "owner": lambda value: isinstance(value, str),
    "plan": is_like("trial|paid"),
    "grant_records": is_count,
    "overage_unit_cents": or_null(is_count),
    "overage_cap": or_null(is_count),
    "is_metered": lambda value: isinstance(value, bool),
    "is_closed": lambda value: isinstance(value, bool),
    "period_anchor": is_int,
    "period_end": is_int,
    "ends_at": or_null(is_int),
    "renew_until": or_null(is_int),
}


class Balance:
    def __init__(self):
        self.entries = []
        self.by_id = {}
        self.taken_back = set()
        self.repeated = set()
        self.latest_of_key = {}
        self.terms = None
        self.issued = set()
        self.revoked = set()
        self.charged = {}
        self.grants = []

    def add(self, e):
        last = self.entries[-1] if self.entries else None
        need(e["sequence"] == (last["sequence"] if last else 0) + 1, "is out of order")
        need(e["previous_hash"] == (last["hash"] if last else "0" * 64), "does not follow the one before it")
        need(e["hash"] == hash_of(e), "was changed")
        number = int(e["id"].replace("-", ""), 16)
        need(number >> 80 == e["at"] // 1000 and number & 0xFFFFFFFF == e["sequence"], "has another id")
        need(last is None or e["at"] >= last["at"], "is earlier than the one before it")
        need(e["at"] >= e["period_start"], "is earlier than its period")
        kind = e["kind"]
        for key, kinds in KINDS_WITH.items():
            need(e[key] in (None, 0, []) or kind in kinds.split(), f"has a {key}")
        remaining = last["balance_after"] if last else 0
        if kind == "grant":
            need(all(e["period_start"] > grant["period_start"] for grant in self.grants), "is a second grant of a period, or an earlier one")
            need(remaining == 0 and e["credits"] >= 0, "is a grant on top of credits, or takes some")
            self.grants.append(e)
            self.charged = {}
        need(self.grants, "comes before a grant")
        need(last is None or last["kind"] != "expiry" or kind == "grant", "follows an expiry without being a grant")
        need(last is None or last["kind"] != "grant" or kind == "terms", "follows a grant without being its terms")
        present = self.grants[-1]["period_start"]
        if kind != "reversal":
            need(e["period_start"] == present, "is of another period")
        check = getattr(self, f"check_{kind}", None)
        need(check, "is of an unknown kind")
        check(e, last, remaining, present)
        need(e["balance_after"] == remaining + e["credits"], "adds its credits up wrongly")
        overage = last["overage_after"] if last else 0
        if kind == "grant":
            overage = 0
        elif e["period_start"] == present:
            overage += e["overage_records"]
        need(e["overage_after"] == overage, "adds its overage up wrongly")
        self.entries.append(e)
        self.by_id[e["id"]] = e

    def check_grant(self, e, last, remaining, present):
        pass

    def check_expiry(self, e, last, remaining, present):
        need(e["credits"] == -remaining != 0, "lets other credits expire than remain")

    def check_adjustment(self, e, last, remaining, present):
        need((e["actor"] or "").strip() and (e["reason"] or "").strip(), "has no actor or no reason")

    def check_read(self, e, last, remaining, present):
        need(e["records"] == sum(e["segments"][2::3]), "charges other records than its segments hold")
        need(e["token_id"] in self.issued - self.revoked, "was made by a token that was not issued, or was revoked")
        overage, cents = e["overage_records"], e["overage_cents"]
        need(e["credits"] <= 0 <= overage and e["records"] == overage - e["credits"], "does not pay each record once")
        need(overage == 0 or e["balance_after"] == 0, "charges overage while included records are left")
        price, cap = self.terms["overage_unit_cents"], self.terms["overage_cap"]
        need(overage == 0 or price is not None, "charges overage on a plan without")
        need(cents == overage * (price or 0), "has a wrong price")
        need(overage == 0 or cap is None or e["overage_after"] <= cap, "exceeds the cap")
        need(e["at"] < self.terms["period_end"], "is after the period")
        need(self.terms["ends_at"] is None or e["at"] < self.terms["ends_at"], "is after the end")
        charged = self.charged[e["token_id"]] = self.charged.get(e["token_id"], 0) + e["records"]
        token_cap = self.terms.get("token_caps", {}).get(e["token_id"])
        need(e["records"] == 0 or token_cap is None or charged <= token_cap, "exceeds the cap of its token")
        if e["idempotency_key"] is not None:
            key = (e["token_id"], e["idempotency_key"])
            need(key not in self.latest_of_key or self.latest_of_key[key] in self.taken_back, "charges a key again")
            self.latest_of_key[key] = e["id"]

    def read_of(self, read_id):
        read = self.by_id.get(read_id)
        need(read is not None and read["kind"] == "read", "names no earlier read")
        need(read_id not in self.taken_back, "names a read that was taken back")
        return read

    def check_replay(self, e, last, remaining, present):
        read = self.read_of(e["repeats"])
        need(all(e[key] == read[key] for key in ("token_id", "records", "segments")), "delivers something else than its read")
        need(e["reason"] in (None, "shown in console"), "has another reason")
        need(e["reason"] or read["idempotency_key"] is not None, "repeats for a request what has no key")
        self.repeated.add(read["id"])

    def check_reversal(self, e, last, remaining, present):
        read = self.read_of(e["reverses"])
        need(read["id"] not in self.repeated, "takes back a read that was delivered again")
        self.taken_back.add(read["id"])
        need(e["period_start"] == read["period_start"], "is of another period than its read")
        need(e["records"] == -read["records"], "takes back other records than its read's")
        of_period = [entry for entry in self.entries if entry["period_start"] == read["period_start"]]
        overage = min(read["records"], sum(entry["overage_records"] for entry in of_period))
        need(e["overage_records"] == -overage, "does not return overage first")
        is_present = read["period_start"] == present
        if is_present:
            self.charged[read["token_id"]] -= read["records"]
        if is_present:
            price = self.terms["overage_unit_cents"] or 0
        else:
            paid = [entry for entry in of_period if entry["overage_records"] > 0]
            price = paid[-1]["overage_cents"] // paid[-1]["overage_records"] if paid else 0
        need(e["overage_cents"] == -overage * price, "returns another price")
        full = read["records"] - overage if is_present else 0
        of_trial = max(0, min(full, self.grants[-1]["credits"] - remaining))
        if self.terms["is_closed"]:
            need(e["credits"] == 0, "returns credits to a closed trial")
        else:
            need(e["credits"] == (of_trial if self.terms["plan"] == "trial" else full), "returns other credits")

    def check_terms(self, e, last, remaining, present):
        terms = object_in(e["reason"])
        for key, is_right in TERMS.items():
            need(key in terms and is_right(terms[key]), f"has no valid {key}")
        caps = terms.get("token_caps", {})
        need(isinstance(caps, dict) and all(map(is_count, caps.values())), "has no valid token_caps")
        if last["kind"] == "grant":
            need(last["credits"] == terms["grant_records"], "does not fit its grant")
            is_early = self.terms is not None and present < self.terms["period_end"]
            need(not is_early or terms["period_anchor"] in (present, terms["period_end"]), "begins a period too early")
        need(self.terms is None or self.terms["owner"] == terms["owner"], "changes the owner")
        self.terms = terms

    def check_token(self, e, last, remaining, present):
        what = object_in(e["reason"])
        need(e["token_id"] is not None and what.get("event") in ("issued", "revoked"), "tells no event of a token")
        (self.issued if what["event"] == "issued" else self.revoked).add(e["token_id"])
        need(what["event"] == "revoked" or what.get("owner") == self.terms["owner"], "gives a token to another account")

    def periods(self):
        return [
            {
                "start": grant["period_start"],
                "overageRecords": sum(e["overage_records"] for e in self.entries if e["period_start"] == grant["period_start"]),
                "overageCents": sum(e["overage_cents"] for e in self.entries if e["period_start"] == grant["period_start"]),
            }
            for grant in self.grants
        ]


def object_in(text):
    try:
        value = json.loads(text or "")
    except ValueError:
        value = None
    need(isinstance(value, dict), "has no JSON object as its reason")
    return value


# ---- Receipts ----

def receipts_in(text):
    for line in text.split("\n"):
        found = re.search(r"\b[0-9a-f]{64}\b", line, re.I)
        request = re.search(rf"\b{UUID}\b", line, re.I)
        if found:
            yield found[0].lower(), request[0].lower() if request else None


def check_receipts(text, balances):
    entries = [e for balance in balances.values() for e in balance.entries]
    by_hash = {e["hash"]: e for e in entries if e["kind"] in ("read", "replay")}
    received, without_entry = set(), []
    for receipt, request in receipts_in(text):
        e = by_hash.get(receipt)
        if e is None or request not in (None, e["request_id"]):
            without_entry.append(receipt)
        else:
            received.add(e["repeats"] or e["id"])
    taken_back = {read for balance in balances.values() for read in balance.taken_back}
    charged = [e["id"] for e in entries if e["kind"] == "read" and e["records"] > 0 and e["id"] not in taken_back]
    return {"withoutEntry": without_entry, "chargedWithoutReceipt": [read for read in charged if read not in received]}


# ---- Checkpoints and proofs ----

def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def bytes_in(text):
    data = base64.b64decode(text, validate=True)
    need(base64.b64encode(data).decode() == text, "is not canonical base64")
    return data


def check_proof(text, vkey, balances):
    """A tlog-proof of a balance, against its signed checkpoint and the file."""
    head, _, note = text.partition("\n\n")
    version, extra, index, *hashes = head.split("\n")
    need(version == "c2sp.org/tlog-proof@v1" and extra.startswith("extra ") and index.startswith("index "), "is no proof")
    leaf = bytes_in(extra[6:])
    signed, _, signatures = note.rpartition("\n\n")
    signed += "\n"
    name, key_id, key = vkey.split("+", 2)
    public = bytes_in(key)
    need(public[0] == 1 and sha256(name.encode(), b"\n", public)[:4].hex() == key_id, "has a wrong key")
    need("\n\n" not in signed, "has a blank line in its checkpoint")
    lines = [re.fullmatch(r"— ([^\s+]+) (\S+)", line) for line in signatures.removesuffix("\n").split("\n")]
    need(all(lines), "has a line that is no signature")
    made = [(line[1], bytes_in(line[2])) for line in lines]
    made = [signature[4:] for who, signature in made if who == name and signature[:4].hex() == key_id]
    need(made and all(is_signed(public[1:], signed.encode(), signature) for signature in made), "is not signed by the key")
    _, size, root = signed.split("\n")[:3]
    need(root_of(leaf, int(index[6:]), int(size), [bytes_in(text) for text in hashes]) == bytes_in(root), "does not lead to the root")
    _, name, entries, last = leaf.decode().split(" ")
    named = [balance.entries for balance in balances.values() if balance.entries and balance.entries[0]["hash"].startswith(name)]
    known = named[0] if named else []
    need(len(known) >= int(entries) and known[int(entries) - 1]["hash"] == last, "proves another ledger")


def root_of(leaf, index, size, path):
    """From a leaf to the root, by the recursive definition of RFC 6962, 2.1.1."""
    if size == 1:
        need(not path, "is too long")
        return sha256(b"\0", leaf)
    need(path and 0 <= index < size, "is too short")
    split = 1 << (size - 1).bit_length() - 1
    *below, sibling = path
    if index < split:
        return sha256(b"\1", root_of(leaf, index, split, below), sibling)
    return sha256(b"\1", sibling, root_of(leaf, index - split, size - split, below))


# Ed25519 by RFC 8032, section 5.1.7.
P = 2**255 - 19
Q = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def is_signed(public, message, signature):
    key, r, s = point_of(public), point_of(signature[:32]), int.from_bytes(signature[32:], "little")
    if key is None or r is None or s >= Q or len(signature) != 64:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % Q
    x1, y1 = times(s, BASE)
    return (x1, y1) == plus(r, times(k, key))


def plus(one, other):
    (x1, y1), (x2, y2) = one, other
    product = D * x1 * x2 * y1 * y2 % P
    return ((x1 * y2 + x2 * y1) * pow(1 + product, P - 2, P) % P, (y1 * y2 + x1 * x2) * pow(1 - product, P - 2, P) % P)


def times(factor, point):
    result = (0, 1)
    while factor:
        if factor & 1:
            result = plus(result, point)
        point, factor = plus(point, point), factor >> 1
    return result


def point_of(data):
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (1 << 255) - 1
    if y >= P:
        return None
    xx = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(xx, (P + 3) // 8, P)
    if (x * x - xx) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if (x * x - xx) % P or (x == 0 and sign):
        return None
    return (P - x if x & 1 != sign else x, y)


BASE = point_of((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


# ---- The command ----

def verify(data, receipts=None, vkey=None, proofs=()):
    report = {"hashes": [], "difference": None, "periods": {}}
    balances = {}
    try:
        for number, line in enumerate(data.decode().removesuffix("\n").split("\n"), 1):
            try:
                entry = parse(line)
                report["hashes"].append(hash_of(entry))
                balances.setdefault(entry["balance_id"], Balance()).add(entry)
            except Wrong as wrong:
                raise Wrong(f"line {number} {wrong}") from wrong
        for proof in proofs:
            check_proof(proof, vkey, balances)
    except (Wrong, UnicodeDecodeError) as wrong:
        report["difference"] = str(wrong)
    report["periods"] = {balance_id: balance.periods() for balance_id, balance in balances.items()}
    if receipts is not None:
        report["receipts"] = check_receipts(receipts, balances)
    return report


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ledger", nargs="+")
    parser.add_argument("--receipts")
    parser.add_argument("--key")
    parser.add_argument("--proof", action="append", default=[])
    options = parser.parse_args()
    read = lambda path: open(path, encoding="utf-8", newline="").read()
    for path in options.ledger:
        receipts = read(options.receipts) if options.receipts else None
        with open(path, "rb") as file:
            print(json.dumps(verify(file.read(), receipts, options.key, [read(proof) for proof in options.proof])))


if __name__ == "__main__":
    main()
