import { Field, ID, ObjectType } from 'type-graphql';

@ObjectType({ description: 'A bill, as Stripe keeps it.' })
export class Invoice {
  @Field(() => ID)
  id: string;

  @Field(() => String, { nullable: true, description: 'Its number on paper; null while it is a draft.' })
  number: string | null;

  @Field({ description: 'draft, open, paid, uncollectible or void.' })
  status: string;

  @Field()
  createdAt: Date;

  @Field({ description: 'In US dollars, as a decimal string.' })
  totalUsd: string;

  @Field({ description: 'In US dollars, as a decimal string.' })
  paidUsd: string;

  @Field(() => String, { nullable: true, description: 'Where it can be seen and paid.' })
  pageUrl: string | null;

  @Field(() => String, { nullable: true })
  pdfUrl: string | null;
}
