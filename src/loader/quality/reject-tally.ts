import { isNonParcelReason } from '../formats/tables/footer-rows.js';
import { byFrequency } from '../values/notes.js';

// Each unreadable shape may have its own reason.
const countedReasons = 1000;

/** Counts rejected rows by reason. */
export class RejectTally {
  private readonly rowsByReason = new Map<string, number>();
  private noParcels = 0;

  add(reason: string): void {
    const rows = this.rowsByReason.get(reason) ?? 0;
    if (rows > 0 || this.rowsByReason.size < countedReasons) this.rowsByReason.set(reason, rows + 1);
    if (isNonParcelReason(reason)) this.noParcels++;
  }

  /** How many of the rows are titles, footers and the like, not parcels. */
  get noParcelCount(): number {
    return this.noParcels;
  }

  /** In descending order of rows. */
  get reasons(): { reason: string; rows: number }[] {
    return byFrequency(this.rowsByReason).map(([reason, rows]) => ({ reason, rows }));
  }
}
