import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { PlanName } from './plans.js';

/** Holds the credits that tokens spend. Only the functions in `sql/` change its numbers, each time with an entry. Constraints: the migration. */
@Entity('credit_balance')
export class CreditBalanceEntity {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text', { name: 'account_id' })
  accountId: string;

  @Column('text')
  plan: PlanName;

  @Column('integer')
  remaining: number;

  @Column('integer', { name: 'grant_records' })
  grantRecords: number;

  /** The price of an overage record; null: there is no overage. */
  @Column('integer', { name: 'overage_unit_cents', nullable: true })
  overageUnitCents: number | null;

  /** The customer's own limit; null: none. */
  @Column('integer', { name: 'overage_cap', nullable: true })
  overageCap: number | null;

  @Column('integer', { name: 'overage_records' })
  overageRecords: number;

  /** The most records that tokens may be charged in a period, by token id; null: no token has a cap of its own. */
  @Column('jsonb', { name: 'token_caps', nullable: true })
  tokenCaps: Record<string, number> | null;

  /** The records that capped tokens were charged in the present period; null: none yet. */
  @Column('jsonb', { name: 'token_records', nullable: true })
  tokenRecords: Record<string, number> | null;

  @Column('timestamptz', { name: 'period_anchor' })
  periodAnchor: Date;

  @Column('timestamptz', { name: 'period_start' })
  periodStart: Date;

  @Column('timestamptz', { name: 'period_end' })
  periodEnd: Date;

  /** When its tokens expire; null: with its plan. */
  @Column('timestamptz', { name: 'ends_at', nullable: true })
  endsAt: Date | null;

  /** No period that begins later is opened; null: periods need no payment. */
  @Column('timestamptz', { name: 'renew_until', nullable: true })
  renewUntil: Date | null;

  /** Whether a subscription pays for its overage: one that an operator gave is billed to nobody. */
  @Column('boolean', { name: 'is_metered' })
  isMetered: boolean;

  /** Whether a later trial replaced it. */
  @Column('boolean', { name: 'is_closed' })
  isClosed: boolean;

  @Column('integer', { name: 'entry_count' })
  entryCount: number;

  @Column('timestamptz', { name: 'last_entry_at' })
  lastEntryAt: Date;

  @Column('bytea', { name: 'chain_head' })
  chainHead: Buffer;
}
