import json
import sys
import urllib.error
import urllib.request

from quicktype_generated import api_error_from_dict, county_list_from_dict, parcel_page_from_dict, parcel_page_to_dict

base_url, token = sys.argv[1:]


def get(path, token):
    request = urllib.request.Request(base_url + path, headers={"Authorization": f"Bearer {token}"})
    try:
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as refused:
        return json.load(refused)


def corner_of(geometry):
    if geometry is None:
        return None
    rings = geometry.coordinates if geometry.type.value == "Polygon" else geometry.coordinates[0]
    return rings[0][0]


[county] = county_list_from_dict(get("/api/counties?status=loaded", token)).counties
answer = get(f"/api/parcels?county_fips={county.fips}&limit=3", token)
page = parcel_page_from_dict(answer)
assert parcel_page_to_dict(page) == answer, "the types lose something"
refused = api_error_from_dict(get("/api/usage", "none"))
print(json.dumps({"charged": page.metering.credits_charged, "corners": [corner_of(p.geometry) for p in page.parcels], "refused": refused.error.value}))
