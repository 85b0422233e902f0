import { GraphQLScalarType } from 'graphql';
import { Field, ObjectType } from 'type-graphql';
import { Metering } from '../ledger/metering.js';

/** Finished JSON text from the database. REST writes it unchanged; only GraphQL parses it. */
export class RecordsText {
  constructor(
    readonly text: Buffer,
    /** How many records. */
    readonly count: number,
  ) {}

  toJSON(): unknown {
    return JSON.parse(`[${this.text}]`);
  }
}

export const ParcelRecords = new GraphQLScalarType<RecordsText, RecordsText>({
  name: 'ParcelRecords',
  description: 'A list of parcel records, as GET /api/parcels returns them.',
  serialize: (records) => records as RecordsText,
});

@ObjectType({
  description: 'A page of parcel records in the order of county FIPS code and position in the county, with its metering.',
  simpleResolvers: true,
})
export class ParcelPage {
  @Field(() => ParcelRecords)
  records: RecordsText;

  @Field(() => String, { nullable: true, description: 'The cursor of the next page; null after the last record.' })
  nextCursor: string | null;

  @Field({ description: 'The entity tag (ETag) of these records.' })
  entityTag: string;

  @Field(() => String, {
    nullable: true,
    description:
      'A digest of the content of each record, in the order of the records, in base64url with commas between them; null for more than 100 records.',
  })
  recordDigests: string | null;

  @Field({ description: 'Whether the response has no body (304 or HEAD); nothing was read or charged.' })
  isBodyOmitted: boolean;

  @Field({ description: 'Whether this repeats an earlier read under the same Idempotency-Key, at no charge.' })
  isReplay: boolean;

  @Field(() => Metering, { nullable: true, description: 'Null if nothing was metered.' })
  metering: Metering | null;
}
