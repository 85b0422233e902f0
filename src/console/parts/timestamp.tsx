const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

/** A time in the reader's own time zone; hovering shows it in UTC, to the second. */
export function Timestamp({ at, style = 'absolute' }: { at: string; style?: 'absolute' | 'relative' }) {
  const moment = new Date(at);
  return (
    <time dateTime={moment.toISOString()} title={`${moment.toISOString().slice(0, 19).replace('T', ' ')} UTC`}>
      {style === 'relative' ? inWords(moment) : local.format(moment)}
    </time>
  );
}

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 24 * 3600],
  ['month', 30 * 24 * 3600],
  ['day', 24 * 3600],
  ['hour', 3600],
  ['minute', 60],
];

function inWords(moment: Date): string {
  const seconds = (moment.getTime() - Date.now()) / 1000;
  const [unit, length] = units.find(([, unitSeconds]) => Math.abs(seconds) >= unitSeconds) ?? ['second', 1];
  return relative.format(Math.trunc(seconds / length), unit);
}
