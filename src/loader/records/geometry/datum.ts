/** A datum from before satellites: its latitudes and longitudes lie up to half a kilometre from those of WGS84. */
export interface OldDatum {
  mark: RegExp;
  /** Mean shift to WGS84 in metres, as EPSG and NIMA state it; exact ones need grids that no npm package carries. */
  shift: string;
}

/** All of them on Clarke's ellipsoid of 1866. The last one is a shift of the 48 states. */
const oldDatums: OldDatum[] = [
  { mark: /old.?hawaiian(?!.{0,5}intl)/i, shift: '61,-285,-181' },
  { mark: /puerto.?rico/i, shift: '11,72,-101' },
  { mark: /guam.?1963/i, shift: '-100,-248,259' },
  { mark: /american.?samoa.?1962/i, shift: '-115,118,426' },
  { mark: /NAD.?27|1927|^\+.*clrk66/i, shift: '-8,160,176' },
];

// The word is also in that for a shift (TOWGS84). Counties of Minnesota and Wisconsin have ellipsoids of their own on NAD83.
const modern = /(?<!TO)WGS.?(19)?84|NAD.?(19)?83|north.american.{0,30}1983|GRS.?(19)?80|637813[67]\b/i;
const statesEllipsoid = /\+(datum|ellps|a)=|SPHEROID|ELLIPSOID/i;

/** @returns null for NAD83 and WGS84, which are taken as one; `unknown` where nobody knows how far it lies from these */
export function datumOf(name: string, definition: string): OldDatum | 'unknown' | null {
  const text = `${name} ${definition}`;
  if (modern.test(text)) return null;
  return oldDatums.find(({ mark }) => mark.test(text)) ?? (statesEllipsoid.test(definition) ? 'unknown' : null);
}

/** A definition (WKT or a PROJ string) with the datum's shift in place of any that it states. */
export function shifted(definition: string, { shift }: OldDatum): string {
  return definition.startsWith('+')
    ? `${definition.replace(/\+(towgs84|nadgrids|datum|ellps)=\S+/g, '')} +ellps=clrk66 +towgs84=${shift}`
    : definition
        .replace(/,\s*TOWGS84\[[^\]]*\]/gi, '')
        .replace(/(DATUM\[)"[^"]*"(\s*,\s*SPHEROID\[[^\]]*\])/i, `$1"unknown_old"$2,TOWGS84[${shift},0,0,0,0]`);
}
