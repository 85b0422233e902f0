# Keeps the copy of read-county current: HEAD names the digest of each record at no charge, and only records
# whose digest is new are bought. Without a copy it buys the whole county. Writes COUNTY.json.
import hashlib
import http.client
import json
import os
import pathlib
import re
import sys
import time
import urllib.error
import urllib.request
import uuid

county = sys.argv[1] if len(sys.argv) > 1 else "48301"
api = os.environ.get("API_URL", "http://localhost:3000/api")
folder = pathlib.Path(county)


def call(method, url, key=None):
    headers = {"Authorization": "Bearer " + os.environ["API_TOKEN"], **({"Idempotency-Key": key} if key else {})}
    for attempt in range(10):
        pause = 2**attempt
        try:
            request = urllib.request.Request(url, headers=headers, method=method)
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.read().decode(), answer.headers
        except urllib.error.HTTPError as refusal:
            if refusal.code == 410 and key:
                return call(method, url, str(uuid.uuid4()))  # a key works for 24 hours
            if refusal.code != 429 and refusal.code < 500:
                sys.exit(f"{refusal.code} {refusal.read().decode()}")
            pause = max(pause, int(refusal.headers.get("Retry-After", 0)))
        except (OSError, http.client.HTTPException):
            pass  # a lost connection
        time.sleep(pause)
    sys.exit("no answer from " + url)


def next_page(headers):
    link = re.search(r'<(.+)>; rel="next"', headers.get("Link", ""))
    return link.group(1) if link else ""


def digests_of(text):
    return [digest for digest in text.strip().split(",") if digest]


def sized(url, limit):
    return re.sub(r"limit=\d+", f"limit={limit}", url)


def save(path, text):
    path.with_name(path.name + ".new").write_text(text)
    path.with_name(path.name + ".new").replace(path)


folder.mkdir(exist_ok=True)
record_of, last = {}, 0
for file in folder.glob("[0-9]*.json"):
    last = max(last, int(file.stem))
    records = json.loads(file.read_text())["parcels"]
    record_of.update(zip(digests_of(file.with_suffix(".digests").read_text()), records))

current, charged = [], 0
page = f"{api}/parcels?county_fips={county}&limit=100"
while page:
    _, head = call("HEAD", page)
    if "County-Status" in head:
        sys.exit(f"The county is {head['County-Status']}: the copy stays as it was.")
    digests = digests_of(head.get("Record-Digests", ""))
    at = 0
    while at < len(digests):
        end = at
        while end < len(digests) and digests[end] not in record_of:
            end += 1
        if end > at:
            # HEAD of the records before them leads to them.
            url = sized(next_page(call("HEAD", sized(page, at))[1]) if at else page, end - at)
            key = hashlib.sha256((url + ",".join(digests[at:end])).encode()).hexdigest()
            body, headers = call("GET", url, key)
            bought, last = json.loads(body), last + 1
            save(folder / f"{last}.digests", headers.get("Record-Digests", ""))
            save(folder / f"{last}.json", body)
            record_of.update(zip(digests_of(headers.get("Record-Digests", "")), bought["parcels"]))
            charged += bought["metering"]["credits_charged"]
        at = end + 1
    if any(digest not in record_of for digest in digests):
        sys.exit("The county was loaded anew meanwhile. Start again.")
    current += [record_of[digest] for digest in digests]
    if "Page-Cut" in head:
        sys.exit("The credits or the cap of this token end here. Raise it and start again.")
    page = next_page(head)
save(pathlib.Path(county + ".json"), json.dumps(current))
print(f"{len(current)} records, {charged} of them bought")
