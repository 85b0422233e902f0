import { Field, Int, ObjectType } from 'type-graphql';

@ObjectType({ description: 'The number of counties by status.' })
export class CountiesByStatus {
  @Field(() => Int)
  loaded: number;

  @Field(() => Int)
  loading: number;

  @Field(() => Int)
  planned: number;

  @Field(() => Int)
  unavailable: number;

  @Field(() => Int, { description: 'Counties with invented sample data if `inDetail`; otherwise 0.' })
  sample: number;

  @Field(() => Int, {
    description: 'Loaded counties of which less than half has records if `inDetail`; otherwise 0: they count as loaded.',
  })
  partial: number;
}

@ObjectType()
export class CoverageTotals {
  @Field(() => Int)
  counties: number;

  @Field(() => Int, { description: 'Records available now.' })
  parcels: number;

  @Field(() => CountiesByStatus)
  byStatus: CountiesByStatus;
}

@ObjectType()
export class StateCoverage extends CoverageTotals {
  @Field({ description: "The state's two-letter postal code." })
  state: string;
}

@ObjectType({ description: 'Coverage of the country and of each state.' })
export class Coverage {
  @Field(() => CoverageTotals)
  totals: CoverageTotals;

  @Field(() => [StateCoverage], { description: 'In the order of their postal codes.' })
  states: StateCoverage[];
}
