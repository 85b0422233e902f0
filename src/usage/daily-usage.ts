import { IsIn, isTimeZone, ValidateBy } from 'class-validator';
import { ArgsType, Field, Int, ObjectType } from 'type-graphql';
import { isDay } from '../core/parameters.js';

const usageGroupings = ['day', 'token', 'county'] as const;
export type UsageGrouping = (typeof usageGroupings)[number];

const IsDay = () => ValidateBy({ name: 'isDay', validator: { validate: isDay } }, { message: 'must be a day, as YYYY-MM-DD' });

// By name only: Postgres and browsers disagree about the sign of an offset.
const isZoneName = (text: unknown): boolean => isTimeZone(text) && /^[A-Za-z]/.test(text as string);
export const IsZoneName = () =>
  ValidateBy({ name: 'isZoneName', validator: { validate: isZoneName } }, { message: 'must be the name of a time zone' });

@ArgsType()
export class DailyUsageArgs {
  @Field({ description: 'The first day, YYYY-MM-DD.' })
  @IsDay()
  from: string;

  @Field({ description: 'The last day, YYYY-MM-DD; at most 400 days in total.' })
  @IsDay()
  to: string;

  @Field(() => String, { defaultValue: 'day', description: 'Whether to split each day: day (no split), token or county.' })
  @IsIn(usageGroupings, { message: `must be one of ${usageGroupings.join(', ')}` })
  by: UsageGrouping;

  @Field({ defaultValue: 'UTC', description: 'The time zone of the days, such as America/New_York.' })
  @IsZoneName()
  timeZone: string;
}

@ObjectType({ description: 'Reads of one day, in total or by token or county. Days without reads are omitted.' })
export class DailyUsage {
  @Field({ description: 'YYYY-MM-DD.' })
  date: string;

  @Field({ description: "The token's id or the county's FIPS code; empty if there is none." })
  key: string;

  @Field({ description: 'The name of the token or county.' })
  label: string;

  @Field(() => Int, { description: 'Metered requests, including those that returned no records.' })
  reads: number;

  @Field(() => Int, { description: 'Records returned, less those reversed on that day.' })
  records: number;

  @Field(() => Int, { description: 'Overage records among them.' })
  overageRecords: number;
}
