import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { EntryKind } from './ledger-entry.js';

/** One movement of a balance, or a change of what decides its bill. Only `spend` and `append_entry` write it; it never changes. */
@Entity('ledger_entry')
@Check('ledger_entry_kind_known', `kind in ('grant', 'read', 'replay', 'reversal', 'expiry', 'adjustment', 'terms', 'token')`)
@Check(
  'ledger_entry_terms_move_nothing',
  `kind not in ('terms', 'token') or (records = 0 and credits = 0 and overage_records = 0 and reason is not null)`,
)
@Check('ledger_entry_balance_never_negative', 'balance_after >= 0')
@Check('ledger_entry_read_pays_each_record', `kind <> 'read' or records = overage_records - credits`)
@Check('ledger_entry_replay_is_free', `kind <> 'replay' or (credits = 0 and overage_records = 0)`)
@Check('ledger_entry_reversal_names_its_read', `(kind = 'reversal') = (reverses is not null)`)
@Check('ledger_entry_replay_names_its_read', `(kind = 'replay') = (repeats is not null)`)
@Index('ledger_entry_token', ['tokenId', 'sequence'])
@Index('ledger_entry_at', ['at'])
export class LedgerEntryEntity {
  @PrimaryColumn('uuid', { name: 'balance_id', primaryKeyConstraintName: 'ledger_entry_pkey' })
  balanceId: string;

  @PrimaryColumn('integer', { primaryKeyConstraintName: 'ledger_entry_pkey' })
  sequence: number;

  @Column('uuid')
  id: string;

  @Column('uuid', { name: 'token_id', nullable: true })
  tokenId: string | null;

  @Column('text')
  kind: EntryKind;

  @Column('timestamptz')
  at: Date;

  /** Records returned; negative in a reversal. */
  @Column('integer', { default: 0 })
  records: number;

  @Column('integer', { default: 0 })
  credits: number;

  @Column('integer', { name: 'overage_records', default: 0 })
  overageRecords: number;

  @Column('bigint', { name: 'overage_cents', default: () => '0' })
  overageCents: string;

  @Column('integer', { name: 'balance_after' })
  balanceAfter: number;

  @Column('integer', { name: 'overage_after' })
  overageAfter: number;

  @Column('timestamptz', { name: 'period_start' })
  periodStart: Date;

  /** The records read, as flat triples (release id, first ordinal, count). */
  @Column('integer', { array: true, default: [] })
  segments: number[];

  @Column('char', { name: 'county_fips', length: 5, nullable: true })
  countyFips: string | null;

  @Column('text', { name: 'request_id', nullable: true })
  requestId: string | null;

  @Column('text', { name: 'idempotency_key', nullable: true })
  idempotencyKey: string | null;

  /** A reversed read frees its key for another attempt. */
  @Column('integer', { default: 0 })
  attempt: number;

  @Column('bytea', { name: 'request_hash', nullable: true })
  requestHash: Buffer | null;

  /** The read that a reversal reverses. */
  @Column('uuid', { nullable: true })
  reverses: string | null;

  /** The read that a replay delivers again. */
  @Column('uuid', { nullable: true })
  repeats: string | null;

  @Column('text', { nullable: true })
  reason: string | null;

  @Column('text', { nullable: true })
  actor: string | null;

  @Column('bytea', { name: 'previous_hash' })
  previousHash: Buffer;

  @Column('bytea')
  hash: Buffer;
}
