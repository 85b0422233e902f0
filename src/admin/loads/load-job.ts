import { ArrayMaxSize, IsBoolean, IsIn, Length, Matches, Max, MaxLength, Min, ValidateBy } from 'class-validator';
import { ArgsType, Field, Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { SearchedPageArgs } from '../../core/page.args.js';
import { IsFips } from '../../core/parameters.js';
import { isSourceDay, isSourceName, isSourceUrl, sourceDayRule, sourceNameRule, sourceUrlRule } from '../../loader/plan/load-options.js';
import { partPattern, partRule } from '../../releases/catalogue/parts.js';

const maxRules = 100;
const loadStates = ['waiting', 'running', 'published', 'held', 'unchanged', 'failed'];

@ArgsType()
export class LoadJobsArgs extends SearchedPageArgs {
  @Field(() => String, { nullable: true, description: 'A state as `LoadJob.state` names it.' })
  @IsIn(loadStates, { message: `must be one of ${loadStates.join(', ')}` })
  state?: string | null;
}

@InputType('LoadOptions', { description: 'How to read a file. Only the county is required.' })
export class LoadOptionsInput {
  @Field()
  @IsFips()
  countyFips: string;

  @Field(() => [String], {
    nullable: true,
    description: 'field=COLUMN, field=COLUMN+COLUMN or acres=COLUMN:sqft; `field=` leaves the field empty.',
  })
  @ArrayMaxSize(maxRules)
  @MaxLength(500, { each: true })
  map?: string[] | null;

  @Field(() => [String], { nullable: true, description: 'COLUMN=VALUE: only rows that match all of these.' })
  @ArrayMaxSize(maxRules)
  @MaxLength(500, { each: true })
  where?: string[] | null;

  @Field(() => String, {
    nullable: true,
    description: 'The coordinate reference system, such as EPSG:2249, if the file states none or a wrong one.',
  })
  @MaxLength(50)
  crs?: string | null;

  @Field(() => String, { nullable: true, description: 'The layer, sheet or archive member to read, if the file has several.' })
  @Length(1, 200)
  layer?: string | null;

  @Field(() => Float, { nullable: true, description: 'The load fails if more than this percentage of the rows is rejected; null means 5.' })
  @Min(0)
  @Max(100)
  maxRejectsPercent?: number | null;

  @Field(() => String, { nullable: true, description: 'The date of the source data, YYYY-MM-DD.' })
  @ValidateBy({ name: 'isSourceDay', validator: { validate: isSourceDay } }, { message: sourceDayRule })
  sourceDate?: string | null;

  @Field(() => String, { nullable: true, description: "The publisher of the source data; null means the file's name." })
  @ValidateBy({ name: 'isSourceName', validator: { validate: isSourceName } }, { message: sourceNameRule })
  sourceName?: string | null;

  @Field(() => String, { nullable: true, description: 'The URL of the source data.' })
  @ValidateBy({ name: 'isSourceUrl', validator: { validate: isSourceUrl } }, { message: sourceUrlRule })
  sourceUrl?: string | null;

  @Field(() => String, { nullable: true, description: 'The terms under which the source may be used, for operators.' })
  @ValidateBy({ name: 'isSourceName', validator: { validate: isSourceName } }, { message: sourceNameRule })
  license?: string | null;

  @Field(() => Boolean, { nullable: true, description: "Whether to use the county's profile; null means true." })
  @IsBoolean()
  profile?: boolean | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The part of the county (for example a town) that the file covers. Only its records are replaced. Null means the whole county.',
  })
  @Matches(partPattern, { message: partRule })
  part?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether to keep columns that no field uses as attributes; null means true.' })
  @IsBoolean()
  attributes?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: 'Load even if the data seems to lie outside the county.' })
  @IsBoolean()
  force?: boolean | null;

  @Field(() => [String], { nullable: true, description: 'Names of findings that shall not hold the release for review.' })
  @ArrayMaxSize(maxRules)
  @MaxLength(100, { each: true })
  accept?: string[] | null;

  @Field(() => ID, { nullable: true, description: 'The upload of a tax roll that belongs to the shapes.' })
  @MaxLength(100)
  joinUploadId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The column that both files have, or SHAPECOLUMN=ROLLCOLUMN; null means the pair that matches most rows.',
  })
  @MaxLength(200)
  joinOn?: string | null;

  @Field(() => [String], {
    nullable: true,
    description: 'How the join keys are written, such as shapes=pad:10 or roll=strip:dashes; null means that it is found out.',
  })
  @ArrayMaxSize(maxRules)
  @MaxLength(100, { each: true })
  joinKey?: string[] | null;

  @Field(() => String, { nullable: true, description: 'The layer, sheet or archive member of the tax roll, if its file has several.' })
  @Length(1, 200)
  joinLayer?: string | null;
}

@ObjectType({ description: 'A load that was started in the console, where it runs in a server, or on the command line.' })
export class LoadJob {
  @Field(() => ID)
  id: string;

  @Field()
  countyFips: string;

  @Field()
  countyName: string;

  @Field({ description: "The state's two-letter postal code." })
  countyState: string;

  @Field({ description: "The file's name, or the address that it is fetched from; of a load on the command line, its source." })
  fileName: string;

  @Field(() => String, {
    description: 'waiting, running, published, held (its release waits for review), unchanged (no record has changed) or failed.',
  })
  state: 'waiting' | 'running' | 'published' | 'held' | 'unchanged' | 'failed';

  @Field({ description: 'Bytes as a whole number, which may exceed Int. Always 0 for a load on the command line.' })
  bytesRead: string;

  @Field()
  bytesTotal: string;

  @Field(() => Int)
  rowsRead: number;

  @Field(() => Int)
  rowsLoaded: number;

  @Field(() => Int)
  rowsRejected: number;

  @Field(() => String, { nullable: true, description: 'Why the load failed, or a remark on its result; null if there is none.' })
  message: string | null;

  @Field(() => Int, { nullable: true, description: 'The release of the load, also if it failed; null before the first row.' })
  releaseId: number | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The email address of the operator who started the load, the id of a deleted account, `command line` or `nightly refresh`.',
  })
  startedBy: string | null;

  @Field()
  createdAt: Date;

  @Field(() => Date, { nullable: true, description: 'When the load ended; null until then.' })
  finishedAt: Date | null;

  @Field({ description: 'Whether `retryLoad` can repeat it: it failed, and was started in the console.' })
  isRetriable: boolean;
}

@ObjectType()
export class LoadJobPage {
  @Field(() => [LoadJob], { description: 'Newest first.' })
  jobs: LoadJob[];

  @Field(() => Int, { description: 'The number of loads on all pages.' })
  total: number;
}
