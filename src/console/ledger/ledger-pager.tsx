import { formatCount, plural } from '../format/format.js';
import { CursorPager } from '../ui/tables/cursor-pager.js';

const countLimit = 50_000;

interface LedgerPagerProps {
  /** Null if there are too many to count. */
  total: number | null;
  /** The cursor of the next older page. */
  older: string | null;
  isFull: boolean;
}

/** Pages through older entries. */
export function LedgerPager({ total, older, isFull }: LedgerPagerProps) {
  return (
    <CursorPager name="before" firstLabel="Newest" next={older} nextLabel={isFull ? 'Older' : 'Search older entries'}>
      {total === 0 && 'No entries'}
      {total === null && (isFull ? `More than ${formatCount(countLimit)} entries` : `${formatCount(countLimit)} entries searched`)}
      {total !== null && total > 0 && plural(total, 'entry', 'entries')}
    </CursorPager>
  );
}
