import { Field, ID, Int, ObjectType } from 'type-graphql';

/** Kinds that move a balance. */
const movements = ['grant', 'read', 'replay', 'reversal', 'expiry', 'adjustment'] as const;
/** Kinds that move nothing: what a balance's reads cost and who may make them. The contract does not have them. */
const records = ['terms', 'token'] as const;
export const entryKinds = [...movements, ...records] as const;
export type EntryKind = (typeof entryKinds)[number];

@ObjectType({ description: 'An entry of the append-only ledger. The credits of all entries of a balance add up to the remaining credits.' })
export class LedgerEntry {
  @Field(() => ID)
  id: string;

  @Field()
  at: Date;

  @Field(() => String, {
    description:
      'grant, read, replay (the same records again at no charge), reversal, expiry or adjustment. An account also has terms (what decides ' +
      'its bill, as JSON in `reason`) and token (issued or revoked), which move no balance.',
  })
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

  @Field(() => ID, { nullable: true, description: 'The read that a replay returned again; null for other kinds.' })
  repeats: string | null;
}
