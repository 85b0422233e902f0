import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Leads from the hash of a presented token to its balance. Rows never change. */
@Entity('token_lookup')
@Check('token_lookup_hash_is_sha256', 'octet_length(token_hash) = 32')
@Index('token_lookup_token', ['balanceId', 'tokenId'])
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
