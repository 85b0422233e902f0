/** The coordinate system that a GeoJSON or Esri JSON file states, before its features or after them; null if it states none. */
export function declaredCrs(head: string, tail: string): string | null {
  const beforeFeatures = head.slice(0, endOfEnvelope(head));
  const afterFeatures = tail.slice(tail.lastIndexOf(']') + 1);
  for (const text of [beforeFeatures, afterFeatures, tail.slice(-10_000)]) {
    const found = crsMember(text);
    if (found) return found;
  }
  return null;
}

// Within the features a property may be called crs as well, so only what surrounds them is searched.
export function endOfEnvelope(head: string): number {
  const features = head.search(/"features"\s*:\s*\[/);
  return features < 0 ? Math.min(head.length, 10_000) : features;
}

function crsMember(text: string): string | null {
  const json = /"(?:crs|spatialReference)"\s*:\s*(\{(?:[^{}]|\{[^{}]*\})*\})/.exec(text)?.[1];
  if (!json) return null;
  try {
    return crsOf(JSON.parse(json));
  } catch {
    return null;
  }
}

interface CrsJson {
  properties?: { name?: unknown; code?: unknown };
  latestWkid?: number;
  wkid?: number;
  wkt?: string;
}

function crsOf({ properties, latestWkid, wkid, wkt }: CrsJson): string | null {
  if (properties?.name) return String(properties.name);
  if (properties?.code) return `EPSG:${properties.code}`;
  if (latestWkid ?? wkid) return `EPSG:${latestWkid ?? wkid}`;
  return wkt ?? null;
}
