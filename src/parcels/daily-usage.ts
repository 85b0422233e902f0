import { IsIn, IsTimeZone, Matches } from 'class-validator';
import { ArgsType, Field, Int, ObjectType } from 'type-graphql';

export const usageGroupings = ['day', 'token', 'county'] as const;
export type UsageGrouping = (typeof usageGroupings)[number];

const day = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;

@ArgsType()
export class DailyUsageArgs {
  @Field({ description: 'The first day, as YYYY-MM-DD.' })
  @Matches(day, { message: 'must be a day, as YYYY-MM-DD' })
  from: string;

  @Field({ description: 'The last day, as YYYY-MM-DD; at most 400 days in all.' })
  @Matches(day, { message: 'must be a day, as YYYY-MM-DD' })
  to: string;

  @Field(() => String, { defaultValue: 'day', description: 'day, token or county: what each day is divided by.' })
  @IsIn(usageGroupings, { message: `must be one of ${usageGroupings.join(', ')}` })
  by: UsageGrouping;

  // By name only: Postgres and browsers disagree about the sign of an offset.
  @Field({ defaultValue: 'UTC', description: 'Whose days, as America/New_York.' })
  @IsTimeZone({ message: 'must be the name of a time zone' })
  @Matches(/^[A-Za-z]/, { message: 'must be the name of a time zone' })
  timeZone: string;
}

@ObjectType({ description: 'What was read on one day, in all or by one token or in one county. Days without reads are left out.' })
export class DailyUsage {
  @Field({ description: 'As YYYY-MM-DD.' })
  date: string;

  @Field({ description: "The token's id or the county's FIPS code; empty where there is none." })
  key: string;

  @Field({ description: 'What people call it.' })
  label: string;

  @Field(() => Int, { description: 'Requests that read, also those that found nothing.' })
  reads: number;

  @Field(() => Int, { description: 'Records returned, less those taken back on that day.' })
  records: number;

  @Field(() => Int, { description: 'Those among them beyond the included ones.' })
  overageRecords: number;
}
