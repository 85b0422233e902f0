import { Field, ID, ObjectType } from 'type-graphql';

@ObjectType({ description: 'An invoice in Stripe.' })
export class Invoice {
  @Field(() => ID)
  id: string;

  @Field(() => String, { nullable: true, description: 'The invoice number; null for a draft.' })
  number: string | null;

  @Field({ description: 'draft, open, paid, uncollectible or void.' })
  status: string;

  @Field()
  createdAt: Date;

  @Field({ description: 'The total in US dollars, as a decimal string.' })
  totalUsd: string;

  @Field({ description: 'The amount paid in US dollars, as a decimal string.' })
  paidUsd: string;

  @Field(() => String, { nullable: true, description: 'The URL of the page where the invoice can be seen and paid; null for a draft.' })
  pageUrl: string | null;

  @Field(() => String, { nullable: true, description: 'The URL of the PDF; null for a draft.' })
  pdfUrl: string | null;
}
