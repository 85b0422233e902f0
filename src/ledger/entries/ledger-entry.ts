import { Field, ID, Int, ObjectType } from 'type-graphql';

/** Kinds that move a balance. */
const movements = ['grant', 'read', 'replay', 'reversal', 'expiry', 'adjustment'] as const;
/** Kinds that move nothing: what a balance's reads cost and who may make them. The contract does not have them. */
const records = ['terms', 'token'] as const;
export const entryKinds = [...movements, ...records] as const;
export type EntryKind = (typeof entryKinds)[number];

@ObjectType({ description: 'One line of the append-only ledger. The credits of all lines of a balance add up to what remains.' })
export class LedgerEntry {
  @Field(() => ID)
  id: string;

  @Field()
  at: Date;

  @Field(() => String, {
    description:
      'grant, read, replay (the same records once more, for nothing), reversal, expiry or adjustment. An account also has terms (what decides ' +
      'its bill, as JSON in `reason`) and token (issued or revoked), which move no balance.',
  })
  kind: EntryKind;

  @Field(() => Int, { description: 'Records returned; negative where a reversal takes them back.' })
  records: number;

  @Field(() => Int, { description: 'How the entry moved the balance of included records.' })
  credits: number;

  @Field(() => Int, { description: 'Records beyond the included ones.' })
  overageRecords: number;

  @Field({ description: 'What the overage records cost, in US dollars, as a decimal string.' })
  overageUsd: string;

  @Field(() => Int)
  balanceAfter: number;

  @Field(() => String, { nullable: true, description: 'The county that was asked for; null: all.' })
  countyFips: string | null;

  @Field(() => String, { nullable: true, description: 'The request, as in its X-Request-Id header.' })
  requestId: string | null;

  @Field(() => ID, { nullable: true, description: 'The token that read; null where no token did it.' })
  tokenId: string | null;
}
