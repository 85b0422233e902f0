import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Max, Min } from 'class-validator';
import { GraphQLJSON } from 'graphql-scalars';
import { ArgsType, Field, Int, ObjectType } from 'type-graphql';

@ArgsType()
export class RejectedRowsArgs {
  @Field(() => Int)
  releaseId: number;

  @Field(() => Int, { defaultValue: 50 })
  @Min(1, { message: 'must be 1 or more' })
  @Max(1000, { message: 'must be 1000 or less' })
  limit: number;
}

@ObjectType({ description: 'A row of a county file that was rejected.' })
export class RejectedRow {
  @Field(() => Int, { description: 'The number of the line or feature in the file.' })
  number: number;

  @Field(() => String, { nullable: true, description: "The file's name if several were loaded together; null for a single file." })
  file: string | null;

  @Field()
  reason: string;

  @Field(() => GraphQLJSON, { description: 'The row as it stands in the file.' })
  row: object;
}

/** The first lines of a rejects file. There is no file if nothing was rejected or another server loaded the county. */
export async function readRejects(path: string, limit: number): Promise<RejectedRow[]> {
  const rows: RejectedRow[] = [];
  const file = createReadStream(path);
  try {
    for await (const line of createInterface({ input: file })) {
      rows.push(JSON.parse(line));
      if (rows.length === limit) break;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  } finally {
    file.destroy();
  }
  return rows;
}
