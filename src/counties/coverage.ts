import { Field, Int, ObjectType } from 'type-graphql';

@ObjectType({ description: 'Counties by status; every status is always there.' })
export class CountiesByStatus {
  @Field(() => Int)
  loaded: number;

  @Field(() => Int)
  loading: number;

  @Field(() => Int)
  planned: number;

  @Field(() => Int)
  unavailable: number;

  @Field(() => Int, { description: 'Those whose records are invented, where they do not count as what their rows say.' })
  sample: number;
}

@ObjectType()
export class CoverageTotals {
  @Field(() => Int)
  counties: number;

  @Field(() => Int, { description: 'Records that can be read.' })
  parcels: number;

  @Field(() => CountiesByStatus)
  byStatus: CountiesByStatus;
}

@ObjectType()
export class StateCoverage extends CoverageTotals {
  @Field({ description: 'Two-letter postal code.' })
  state: string;
}

@ObjectType({ description: 'What we hold: the whole country, and each state.' })
export class Coverage {
  @Field(() => CoverageTotals)
  totals: CoverageTotals;

  @Field(() => [StateCoverage], { description: 'By postal code.' })
  states: StateCoverage[];
}
