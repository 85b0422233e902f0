import { GraphQLJSON } from 'graphql-scalars';
import type { Pool } from 'pg';
import { ArgsType, Field, Int, ObjectType } from 'type-graphql';
import { IsSearch, Limit } from '../../core/page.args.js';
import { rejectedLines } from '../../releases/catalogue/rejected-rows.js';

@ArgsType()
export class RejectedRowsArgs {
  @Field(() => Int)
  releaseId: number;

  @Limit(1000)
  limit: number;

  @Field(() => String, { nullable: true, description: 'Text to find in the reason, the file and the values. Null finds all.' })
  @IsSearch()
  search?: string | null;
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

/** The first rejected rows of a release. */
export async function readRejects(pool: Pool, { releaseId, limit, search }: RejectedRowsArgs): Promise<RejectedRow[]> {
  const sought = search?.toLowerCase() ?? '';
  const rows: RejectedRow[] = [];
  for await (const line of rejectedLines(pool, releaseId)) {
    const row: RejectedRow = JSON.parse(line);
    if (!textOf(row).includes(sought)) continue;
    rows.push(row);
    if (rows.length === limit) break;
  }
  return rows;
}

const textOf = ({ reason, file, row }: RejectedRow): string => [reason, file, JSON.stringify(row)].join('\n').toLowerCase();
