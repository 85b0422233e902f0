import { ArrayMaxSize, Length, Matches, Max, MaxLength, Min, ValidateBy } from 'class-validator';
import { Field, Float, ID, InputType } from 'type-graphql';
import { allOf } from '../../core/check-body.js';
import { IsFips } from '../../core/parameters.js';
import {
  isSourceDay,
  isSourceName,
  isSourceUrl,
  type LoadOptions,
  sourceDayRule,
  sourceNameRule,
  sourceUrlRule,
} from '../../loader/plan/load-options.js';
import { partPattern, partRule } from '../../releases/catalogue/parts.js';

const maxRules = 100;

/** An option that may be left out, with its description and its rules. */
const option = (type: Parameters<typeof Field>[0], description: string, ...rules: PropertyDecorator[]): PropertyDecorator =>
  allOf(Field(type, { nullable: true, description }), ...rules);

const passes = (name: string, validate: (text: string) => boolean, message: string) =>
  ValidateBy({ name, validator: { validate } }, { message });
const eachAtMost = (length: number) => allOf(ArrayMaxSize(maxRules), MaxLength(length, { each: true }));

@InputType('LoadOptions', { description: 'How to read a file. Only the county is required.' })
export class LoadOptionsInput {
  @Field()
  @IsFips()
  countyFips: string;

  @option(() => [String], 'field=COLUMN, field=COLUMN+COLUMN or acres=COLUMN:sqft; `field=` leaves the field empty.', eachAtMost(500))
  map?: string[] | null;

  @option(() => [String], 'COLUMN=VALUE: only rows that match all of these.', eachAtMost(500))
  where?: string[] | null;

  @option(() => String, 'The coordinate reference system, such as EPSG:2249, if the file states none or a wrong one.')
  crs?: string | null;

  @option(() => String, 'The layer, sheet or archive member to read, if the file has several.', Length(1, 200))
  layer?: string | null;

  @option(() => Float, 'The load fails if more than this percentage of the rows is rejected; null means 5.', Min(0), Max(100))
  maxRejectsPercent?: number | null;

  @option(() => String, 'The date of the source data, YYYY-MM-DD.', passes('isSourceDay', isSourceDay, sourceDayRule))
  sourceDate?: string | null;

  @option(
    () => String,
    "The publisher of the source data; null means the file's name.",
    passes('isSourceName', isSourceName, sourceNameRule),
  )
  sourceName?: string | null;

  @option(() => String, 'The URL of the source data.', passes('isSourceUrl', isSourceUrl, sourceUrlRule))
  sourceUrl?: string | null;

  @option(
    () => String,
    'The terms under which the source may be used, shown with the county.',
    passes('isSourceName', isSourceName, sourceNameRule),
  )
  license?: string | null;

  @option(() => Boolean, "Whether to use the county's profile; null means true.")
  profile?: boolean | null;

  @option(
    () => String,
    'The part of the county (for example a town) that the file covers. Only its records are replaced. Null means the whole county.',
    Matches(partPattern, { message: partRule }),
  )
  part?: string | null;

  @option(() => Boolean, 'Whether to keep columns that no field uses as attributes; null means true.')
  attributes?: boolean | null;

  @option(() => Boolean, 'Load even if the data seems to lie outside the county.')
  force?: boolean | null;

  @option(() => [String], 'Names of findings that shall not hold the release for review.', eachAtMost(100))
  accept?: string[] | null;

  @option(() => ID, 'The upload of a tax roll that belongs to the shapes.')
  joinUploadId?: string | null;

  @option(() => String, 'The column that both files have, or SHAPECOLUMN=ROLLCOLUMN; null means the pair that matches most rows.')
  joinOn?: string | null;

  @option(
    () => [String],
    'How the join keys are written, such as shapes=pad:10 or roll=strip:dashes; null means that it is found out.',
    eachAtMost(100),
  )
  joinKey?: string[] | null;

  @option(() => String, 'The layer, sheet or archive member of the tax roll, if its file has several.', Length(1, 200))
  joinLayer?: string | null;
}

// A default says nothing, so that it does not override the county's profile.
const defaults: Record<string, unknown> = { profile: true, attributes: true, force: false };

/**
 * The options as the loader names them.
 * @param join the file of the tax roll
 */
export function loadOptionsOf({ countyFips, joinUploadId, joinOn, sourceName, ...same }: LoadOptionsInput, join?: string): LoadOptions {
  const options = { ...same, source: sourceName, on: joinOn, join };
  const isSet = ([name, value]: [string, unknown]) => value !== null && value !== undefined && value !== '' && value !== defaults[name];
  return Object.fromEntries(Object.entries(options).filter(isSet));
}
