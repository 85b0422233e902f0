import { Field, ID, Int, ObjectType } from 'type-graphql';

export const entryKinds = ['grant', 'read', 'replay', 'reversal', 'expiry', 'adjustment'] as const;
export type EntryKind = (typeof entryKinds)[number];

@ObjectType({ description: 'An entry of the append-only ledger. The credits of all entries of a balance add up to the remaining credits.' })
export class LedgerEntry {
  @Field(() => ID)
  id: string;

  @Field()
  at: Date;

  @Field(() => String, { description: 'grant, read, replay (the same records again at no charge), reversal, expiry or adjustment.' })
  kind: EntryKind;

  @Field(() => Int, { description: 'Records returned; negative for a reversal.' })
  records: number;

  @Field(() => Int, { description: 'The change of the balance, in credits; negative for a charge.' })
  credits: number;

  @Field(() => Int, { description: 'Overage records among them: those beyond the included ones.' })
  overageRecords: number;

  @Field({ description: 'The cost of the overage records in US dollars, as a decimal string.' })
  overageUsd: string;

  @Field(() => Int)
  balanceAfter: number;

  @Field(() => String, { nullable: true, description: 'The county that was requested, by FIPS code; null for all counties.' })
  countyFips: string | null;

  @Field(() => String, { nullable: true, description: 'The X-Request-Id of the request; null if no request wrote the entry.' })
  requestId: string | null;

  @Field(() => ID, { nullable: true, description: 'The token that was used; null if none was.' })
  tokenId: string | null;
}
