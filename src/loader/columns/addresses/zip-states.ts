import type { NameReading } from '../names/read-name.js';
import { type SampledColumn, shareOf } from '../sampled-column.js';

/** The first three digits of each state's ZIP codes, as assigned by the Postal Service. */
const prefixes: Record<string, string> = {
  AK: '995-999',
  AL: '350-369',
  AR: '716-729',
  AS: '967',
  AZ: '850-865',
  CA: '900-961',
  CO: '800-816',
  CT: '060-069',
  DC: '200-205',
  DE: '197-199',
  FL: '320-349',
  GA: '300-319 398-399',
  GU: '969',
  HI: '967-968',
  IA: '500-528',
  ID: '832-838',
  IL: '600-629',
  IN: '460-479',
  KS: '660-679',
  KY: '400-427',
  LA: '700-714',
  MA: '010-027 055',
  MD: '206-219',
  ME: '039-049',
  MI: '480-499',
  MN: '550-567',
  MO: '630-658',
  MP: '969',
  MS: '386-397',
  MT: '590-599',
  NC: '270-289',
  ND: '580-588',
  NE: '680-693',
  NH: '030-038',
  NJ: '070-089',
  NM: '870-884',
  NV: '889-898',
  NY: '005 063 100-149',
  OH: '430-459',
  OK: '730-749',
  OR: '970-979',
  PA: '150-196',
  PR: '006-009',
  RI: '028-029',
  SC: '290-299',
  SD: '570-577',
  TN: '370-385',
  TX: '733 750-799 885',
  UT: '840-847',
  VA: '201 220-246',
  VI: '008',
  VT: '050-059',
  WA: '980-994',
  WI: '530-549',
  WV: '247-268',
  WY: '820-831',
};

const ranges = new Map(
  Object.entries(prefixes).map(([state, text]) => [
    state,
    text.split(' ').map((range) => {
      const [from, to = from] = range.split('-').map(Number);
      return [from!, to!] as const;
    }),
  ]),
);

export const stateCodes: ReadonlySet<string> = new Set(Object.keys(prefixes));

/** Whether a text is the code of another state. */
export const isForeignState = (code: string, state: string): boolean => stateCodes.has(code.toUpperCase()) && code.toUpperCase() !== state;

/** Whether a ZIP code (see `zipOf`) can be in a state. */
export function isZipOf(state: string, zip: string): boolean {
  const prefix = Number(zip.slice(0, 3));
  return ranges.get(state)?.some(([from, to]) => prefix >= from && prefix <= to) ?? true;
}

/** The readings of a name that its values allow: `ST` is the state if the values are state codes, otherwise the street. */
export function withFittingStates(readings: NameReading[], column: SampledColumn): NameReading[] {
  if (column.values.length === 0) return readings;
  const areStates = shareOf(column, (value) => stateCodes.has(value.toUpperCase())) > 0.5;
  const fitting = readings.filter(({ concepts }) => concepts.includes('state') === areStates);
  return fitting.length > 0 ? fitting : readings;
}
