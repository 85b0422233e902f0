import { ArrayMaxSize, IsBoolean, IsOptional, Length, Matches, Max, MaxLength, Min, ValidateBy } from 'class-validator';
import { Field, Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { isSourceDay, isSourceName, isSourceUrl, sourceDayRule, sourceNameRule, sourceUrlRule } from '../../loader/plan/load-options.js';
import { partPattern, partRule } from '../../releases/catalogue/parts.js';

const maxRules = 100;

@InputType('LoadOptions', { description: 'How a file is to be read; everything but the county has a sensible default.' })
export class LoadOptionsInput {
  @Field()
  @Matches(/^[0-9]{5}$/, { message: 'must be five digits' })
  countyFips: string;

  @Field(() => [String], { nullable: true, description: 'field=COLUMN, field=COLUMN+COLUMN, acres=COLUMN:sqft; field= for none.' })
  @IsOptional()
  @ArrayMaxSize(maxRules)
  @MaxLength(500, { each: true })
  map?: string[] | null;

  @Field(() => [String], { nullable: true, description: 'COLUMN=VALUE: only rows for which each holds.' })
  @IsOptional()
  @ArrayMaxSize(maxRules)
  @MaxLength(500, { each: true })
  where?: string[] | null;

  @Field(() => String, { nullable: true, description: 'As EPSG:2249, when the file states none or a wrong one.' })
  @IsOptional()
  @MaxLength(50)
  crs?: string | null;

  @Field(() => String, { nullable: true, description: 'Which layer, sheet or file of an archive, where the file has several.' })
  @IsOptional()
  @Length(1, 200)
  layer?: string | null;

  @Field(() => Float, { nullable: true, description: 'Nothing is published when more rows than this percentage are rejected; null: 5.' })
  @IsOptional()
  @Min(0)
  @Max(100)
  maxRejectsPercent?: number | null;

  @Field(() => String, { nullable: true, description: 'The day the data is of, as YYYY-MM-DD.' })
  @IsOptional()
  @ValidateBy({ name: 'isSourceDay', validator: { validate: isSourceDay } }, { message: sourceDayRule })
  sourceDate?: string | null;

  @Field(() => String, { nullable: true, description: "Whose data it is; null: the file's name." })
  @IsOptional()
  @ValidateBy({ name: 'isSourceName', validator: { validate: isSourceName } }, { message: sourceNameRule })
  sourceName?: string | null;

  @Field(() => String, { nullable: true, description: 'Where it came from.' })
  @IsOptional()
  @ValidateBy({ name: 'isSourceUrl', validator: { validate: isSourceUrl } }, { message: sourceUrlRule })
  sourceUrl?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The part of the county that the file is of, as a town: only its records are replaced. Null: all of it.',
  })
  @IsOptional()
  @Matches(partPattern, { message: partRule })
  part?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether what is mapped to no field is kept beside the records; null: it is.' })
  @IsOptional()
  @IsBoolean()
  attributes?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: 'Loads although the data seems to lie elsewhere.' })
  @IsOptional()
  @IsBoolean()
  force?: boolean | null;

  @Field(() => [String], { nullable: true, description: 'Findings of the report in spite of which it is published.' })
  @IsOptional()
  @ArrayMaxSize(maxRules)
  @MaxLength(100, { each: true })
  accept?: string[] | null;

  @Field(() => ID, { nullable: true, description: 'The upload of a tax roll beside the shapes.' })
  @IsOptional()
  @MaxLength(100)
  joinUploadId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The column that both have, or SHAPECOLUMN=ROLLCOLUMN; null: the one that ties most rows.',
  })
  @IsOptional()
  @MaxLength(200)
  joinOn?: string | null;

  @Field(() => String, { nullable: true, description: "Which layer, sheet or file of the tax roll's file, where it has several." })
  @IsOptional()
  @Length(1, 200)
  joinLayer?: string | null;
}

@ObjectType({ description: 'A load that runs in a server.' })
export class LoadJob {
  @Field(() => ID)
  id: string;

  @Field()
  countyFips: string;

  @Field()
  fileName: string;

  @Field(() => String, { description: 'waiting, running, published, held (its release waits for a decision) or failed.' })
  state: 'waiting' | 'running' | 'published' | 'held' | 'failed';

  @Field({ description: 'A whole number, which may be beyond what Int holds.' })
  bytesRead: string;

  @Field()
  bytesTotal: string;

  @Field(() => Int)
  rowsRead: number;

  @Field(() => Int)
  rowsLoaded: number;

  @Field(() => Int)
  rowsRejected: number;

  @Field(() => String, { nullable: true, description: 'Why it failed, or what is worth knowing of the result.' })
  message: string | null;

  @Field(() => Int, { nullable: true, description: 'The release that it made.' })
  releaseId: number | null;

  @Field(() => String, { nullable: true, description: 'The e-mail address of the operator who started it.' })
  startedBy: string | null;

  @Field()
  createdAt: Date;

  @Field(() => Date, { nullable: true })
  finishedAt: Date | null;
}

@ObjectType()
export class LoadJobPage {
  @Field(() => [LoadJob], { description: 'Newest first.' })
  jobs: LoadJob[];

  @Field(() => Int, { description: 'How many there are in all.' })
  total: number;
}
