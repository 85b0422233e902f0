import { Column, Entity, PrimaryColumn } from 'typeorm';

// `sum-usage.ts` writes the first four. What came since is summed when it is asked for (`usage-sums.ts`).

/** How many entries of a balance, from its first, the sums contain. */
@Entity('summed_balance')
export class SummedBalanceEntity {
  @PrimaryColumn('uuid', { name: 'balance_id', primaryKeyConstraintName: 'summed_balance_pkey' })
  balanceId: string;

  @Column('integer')
  entries: number;
}

abstract class HourSums {
  /** A read of several counties counts in the first one. */
  @Column('integer')
  reads: number;

  /** A read of several counties counts in each. */
  @Column('integer', { name: 'county_reads' })
  countyReads: number;

  /** Less those reversed in this hour; of the overage and the cents too. */
  @Column('integer')
  records: number;

  @Column('integer', { name: 'overage_records' })
  overageRecords: number;

  @Column('bigint', { name: 'overage_cents' })
  overageCents: string;

  @Column('integer')
  grants: number;
}

/** What the entries of an hour add up to. Customers' days are made of them, which begin at other hours than ours. */
@Entity('hourly_usage')
export class HourlyUsageEntity extends HourSums {
  @PrimaryColumn('uuid', { name: 'balance_id', primaryKeyConstraintName: 'hourly_usage_pkey' })
  balanceId: string;

  @PrimaryColumn('timestamptz', { primaryKeyConstraintName: 'hourly_usage_pkey' })
  hour: Date;

  /** All zeros: no token, as in a grant. */
  @PrimaryColumn('uuid', { name: 'token_id', primaryKeyConstraintName: 'hourly_usage_pkey' })
  tokenId: string;

  /** Empty: no county. */
  @PrimaryColumn('text', { name: 'county_fips', primaryKeyConstraintName: 'hourly_usage_pkey' })
  countyFips: string;
}

abstract class DaySums {
  @Column('integer')
  reads: number;

  @Column('integer')
  records: number;

  @Column('bigint', { name: 'overage_cents' })
  overageCents: string;

  @Column('integer')
  grants: number;

  /** Those that read. */
  @Column('integer')
  tokens: number;
}

/** What the entries of a day (UTC) add up to, for operators. */
@Entity('daily_usage')
export class DailyUsageEntity extends DaySums {
  @PrimaryColumn('timestamptz', { primaryKeyConstraintName: 'daily_usage_pkey' })
  day: Date;

  @PrimaryColumn('uuid', { name: 'balance_id', primaryKeyConstraintName: 'daily_usage_pkey' })
  balanceId: string;
}

/** Which entries of a balance name a county: the key is the first of them, so that a search begins anywhere. */
@Entity('county_entries')
export class CountyEntriesEntity {
  @PrimaryColumn('uuid', { name: 'balance_id', primaryKeyConstraintName: 'county_entries_pkey' })
  balanceId: string;

  @PrimaryColumn('character', { name: 'county_fips', length: 5, primaryKeyConstraintName: 'county_entries_pkey' })
  countyFips: string;

  @PrimaryColumn('integer', { name: 'first_sequence', primaryKeyConstraintName: 'county_entries_pkey' })
  firstSequence: number;

  /** In ascending order, at most 100. */
  @Column('integer', { array: true })
  sequences: number[];
}
