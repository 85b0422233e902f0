import { Field, Int, ObjectType } from 'type-graphql';

@ObjectType({ description: 'One invariant of the books.' })
export class AuditCheck {
  @Field()
  name: string;

  @Field()
  ok: boolean;

  @Field(() => String, { nullable: true, description: 'The first break; null: it holds.' })
  detail: string | null;
}

@ObjectType({ description: 'An audit of the books: every invariant, checked on the running system.' })
export class AuditRun {
  @Field()
  ranAt: Date;

  @Field({ description: 'Whether every invariant held.' })
  ok: boolean;

  @Field(() => Int, { description: 'Ledger entries whose hashes were replayed.' })
  entriesChecked: number;

  @Field(() => [AuditCheck])
  checks: AuditCheck[];
}
