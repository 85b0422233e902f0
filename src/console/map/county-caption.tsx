import { formatCount, formatDay } from '../parts/format.js';
import type { CountyStatus } from '../public-api.js';
import { stateName } from './states.js';
import { statusWords } from './status-words.js';

export interface MappedCounty {
  name: string;
  status: CountyStatus;
  parcelCount: number;
  sourceDate: string | null;
}

/** One line about the county under the pointer. */
export function CountyCaption({ name, state, county }: { name: string; state: string; county: MappedCounty | undefined }) {
  const facts = [statusWords[county?.status ?? 'planned'].label];
  if (county && county.parcelCount > 0) facts.push(`${formatCount(county.parcelCount)} records`);
  if (county?.sourceDate) facts.push(`source of ${formatDay(county.sourceDate)}`);
  return (
    <>
      <strong>
        {county?.name ?? name}, {stateName(state)}
      </strong>
      : {facts.join(', ')}
    </>
  );
}
