import { Field, Int, ObjectType } from 'type-graphql';
import { Balance } from './balance.js';

@ObjectType({ description: 'A balance with what its period costs.' })
export class AccountBalance extends Balance {
  @Field(() => String, {
    nullable: true,
    description: "The plan's price and the overage so far, in US dollars; null where nobody is billed.",
  })
  billSoFarUsd: string | null;

  @Field(() => Int, {
    nullable: true,
    description: "Overage at the period's end if reading goes on at its pace; null where nobody is billed, and in the first three days.",
  })
  projectedOverageRecords: number | null;

  @Field(() => String, { nullable: true, description: 'What the period comes to then, in US dollars; null where that is.' })
  projectedBillUsd: string | null;
}
