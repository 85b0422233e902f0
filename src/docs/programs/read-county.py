# Reads a county into the folder COUNTY, one file per page. After a crash, start it again with the same token:
# it continues, and no page is charged twice.
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


def get(url, key=None):
    headers = {"Authorization": "Bearer " + os.environ["API_TOKEN"], **({"Idempotency-Key": key} if key else {})}
    for attempt in range(10):
        pause = 2**attempt
        try:
            with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=60) as answer:
                return answer.read().decode(), answer.headers
        except urllib.error.HTTPError as refusal:
            if refusal.code == 410 and key:
                return get(url, str(uuid.uuid4()))  # a key works for 24 hours
            if refusal.code != 429 and refusal.code < 500:
                sys.exit(refusal.read().decode())
            pause = max(pause, int(refusal.headers.get("Retry-After", 0)))
        except (OSError, http.client.HTTPException):
            pass  # a lost connection
        time.sleep(pause)
    sys.exit("no answer from " + url)


def next_page(headers):
    link = re.search(r'<(.+)>; rel="next"', headers.get("Link", ""))
    return link.group(1) if link else ""


def save(name, text):
    (folder / (name + ".new")).write_text(text)
    (folder / (name + ".new")).replace(folder / name)


folder.mkdir(exist_ok=True)
if not (folder / "state").exists():
    newest = json.loads(get(api + "/usage")[0])["ledger"][0]["id"]
    save("state", "\n".join([str(uuid.uuid4()), "1", newest, f"{api}/parcels?county_fips={county}&limit=100"]))
run, page, since, url = (folder / "state").read_text().split("\n")[:4]
while url:
    body, headers = get(url, f"{run}-{page}")
    if "County-Status" in headers:
        sys.exit(f"The county is {headers['County-Status']}: it has no records.")
    save(page + ".digests", headers.get("Record-Digests", ""))
    save(page + ".json", body)
    page, url = str(int(page) + 1), next_page(headers)
    save("state", "\n".join([run, page, since, url]))

records = sum(len(json.loads(file.read_text())["parcels"]) for file in folder.glob("[0-9]*.json"))
charged, url = 0, api + "/usage"
while url:
    body, headers = get(url)
    url = next_page(headers)
    for entry in json.loads(body)["ledger"]:
        if entry["id"] == since:
            url = ""
            break
        if entry["county_fips"] == county and entry["kind"] != "replay":
            charged += entry["records"]  # a reversal has fewer than none
print(f"{records} records, {charged} charged in the ledger")
sys.exit(records != charged)
