import { relativeTime, serverNow } from '../format/clock.js';
import { pageLanguage } from '../format/format.js';
import { useIsHydrated } from '../hooks/use-is-hydrated.js';

const formats = {
  absolute: new Intl.DateTimeFormat(pageLanguage, { dateStyle: 'medium', timeStyle: 'short' }),
  exact: new Intl.DateTimeFormat(pageLanguage, { dateStyle: 'medium', timeStyle: 'medium' }),
  zoned: new Intl.DateTimeFormat(pageLanguage, { dateStyle: 'long', timeStyle: 'long' }),
};

interface TimestampProps {
  at: string | null;
  /** Shown if there is no time. */
  none?: string;
  style?: keyof typeof formats | 'relative';
}

/**
 * A time in the user's time zone. Hovering shows it in UTC, to the second. `exact` has seconds, `zoned` also names the zone, and
 * `relative` is the distance from now.
 */
export function Timestamp({ at, none = '–', style = 'absolute' }: TimestampProps) {
  const isHydrated = useIsHydrated();
  if (at === null) return none;
  const moment = new Date(at);
  const local = () => (style === 'relative' ? relativeTime(moment.getTime() - serverNow()) : formats[style].format(moment));
  return (
    <time dateTime={moment.toISOString()} title={inUtc(at)}>
      {isHydrated ? local() : inUtc(at)}
    </time>
  );
}

export const inUtc = (at: string): string => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
