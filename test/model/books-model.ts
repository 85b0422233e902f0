import { plans } from '../../src/ledger/plans.js';
import type { BookToken } from '../ledger/books.js';
import { monthsAfter } from '../stripe/calendar.js';

/** A read, as far as later steps may ask for it again or take it back. */
export interface ModelRead {
  entryId: string;
  key: string | null;
  limit: number;
  records: number;
  credits: number;
  overage: number;
  periodStart: number;
  readAt: number;
  isReversed: boolean;
  isRepeated: boolean;
}

export interface ModelToken extends BookToken {
  raw: string;
  isRevoked: boolean;
  reads: ModelRead[];
}

export interface ReadOutcome {
  status: number;
  error: string | null;
  /** The read that is repeated, when it is a replay. */
  replays: ModelRead | null;
  records: number;
  credits: number;
  overage: number;
}

const refused = (status: number, error: string): ReadOutcome => ({ status, error, replays: null, records: 0, credits: 0, overage: 0 });

/** A balance as the specification has it, in a few lines: what the service must come to, whatever way it takes. */
export class ModelBalance {
  remaining: number;
  overage = 0;
  cap: number | null = null;
  isClosed = false;
  readonly tokens: ModelToken[];
  periodStart: number;
  periodEnd: number;
  private readonly grant: number;

  constructor(
    readonly plan: 'trial' | 'paid',
    private readonly anchor: number,
    first: ModelToken,
  ) {
    this.grant = plan === 'trial' ? plans.trial.records : plans.paid.includedRecords;
    this.remaining = this.grant;
    this.tokens = [first];
    this.periodStart = anchor;
    this.periodEnd = plan === 'trial' ? anchor + trialMs : monthsAfter(anchor, 1);
  }

  /** Everybody who looks at a balance to change it does this first. */
  openDuePeriod(now: number): void {
    if (this.plan === 'trial' || now < this.periodEnd) return;
    let months = 0;
    while (monthsAfter(this.anchor, months + 1) <= now) months++;
    this.periodStart = Math.max(monthsAfter(this.anchor, months), this.periodEnd);
    this.periodEnd = monthsAfter(this.anchor, months + 1);
    this.remaining = this.grant;
    this.overage = 0;
  }

  rejection(token: ModelToken, now: number): ReadOutcome | null {
    if (token.isRevoked) return refused(403, 'revoked');
    if (this.plan === 'trial' && now >= this.periodEnd) return refused(401, 'expired');
    const isOverageOver = this.plan === 'trial' || (this.cap !== null && this.overage >= this.cap);
    return this.remaining === 0 && isOverageOver ? refused(402, 'exhausted') : null;
  }

  read(token: ModelToken, limit: number, key: string | null, now: number): ReadOutcome {
    this.openDuePeriod(now);
    const rejection = this.rejection(token, now);
    if (rejection && rejection.error !== 'exhausted') return rejection;
    const bought = key === null ? undefined : token.reads.findLast((read) => read.key === key);
    if (bought && !bought.isReversed) {
      if (bought.limit !== limit) return rejection ?? refused(422, 'idempotency_key_reused');
      if (now - bought.readAt >= keyLifetimeMs) return rejection ?? refused(410, 'replay_expired');
      bought.isRepeated = true;
      return { status: 200, error: null, replays: bought, records: bought.records, credits: 0, overage: 0 };
    }
    if (rejection) return rejection;
    const credits = Math.min(limit, this.remaining);
    const room = this.plan === 'trial' ? 0 : this.cap === null ? limit : Math.max(0, this.cap - this.overage);
    const overage = Math.min(limit - credits, room);
    this.remaining -= credits;
    this.overage += overage;
    return { status: 200, error: null, replays: null, records: credits + overage, credits, overage };
  }

  /** @returns whether the read is taken back, now or before */
  reverse(read: ModelRead): boolean {
    if (read.isReversed) return true;
    if (read.isRepeated) return false;
    read.isReversed = true;
    if (read.periodStart !== this.periodStart) return true;
    // No overage while included records are left.
    const overage = Math.min(read.records, this.overage);
    this.overage -= overage;
    if (this.isClosed) return true;
    const credits = read.records - overage;
    this.remaining += this.plan === 'trial' ? Math.min(credits, this.grant - this.remaining) : credits;
    return true;
  }

  /** @returns whether it is written */
  adjust(credits: number, now: number): boolean {
    this.openDuePeriod(now);
    const most = this.isClosed ? this.remaining : this.plan === 'trial' ? this.grant : 2_147_483_647;
    if (this.remaining + credits < 0 || this.remaining + credits > most) return false;
    this.remaining += credits;
    return true;
  }
}

const keyLifetimeMs = 24 * 60 * 60 * 1000;
const trialMs = plans.trial.lifetimeDays * 24 * 60 * 60 * 1000;
