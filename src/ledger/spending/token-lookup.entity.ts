import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** What a caller presents leads here and then to a balance, for good: rows are never changed. */
@Entity('token_lookup')
@Check('token_lookup_hash_is_sha256', 'octet_length(token_hash) = 32')
export class TokenLookupEntity {
  @PrimaryColumn('bytea', { name: 'token_hash', primaryKeyConstraintName: 'token_lookup_pkey' })
  tokenHash: Buffer;

  @Column('uuid', { name: 'balance_id' })
  balanceId: string;

  @Column('uuid', { name: 'token_id' })
  tokenId: string;

  @Column('text', { name: 'account_id' })
  accountId: string;
}
