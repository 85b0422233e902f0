import { Field, Int, ObjectType } from 'type-graphql';

@ObjectType({ description: 'The result of one invariant check.' })
export class AuditCheck {
  @Field()
  name: string;

  @Field()
  ok: boolean;

  @Field(() => String, { nullable: true, description: 'The first violation; null if the invariant holds.' })
  detail: string | null;
}

@ObjectType({ description: 'An audit: all invariants of the ledger and billing, checked on the running system.' })
export class AuditRun {
  @Field()
  ranAt: Date;

  @Field({ description: 'Whether all invariants hold.' })
  ok: boolean;

  @Field(() => Int, { description: 'Ledger entries whose hashes were recomputed.' })
  entriesChecked: number;

  @Field(() => [AuditCheck])
  checks: AuditCheck[];
}
