import { GraphQLScalarType } from 'graphql';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { Metering } from '../ledger/metering.js';

/** Finished JSON text from the database. REST writes it unchanged; only GraphQL parses it. */
export class RecordsText {
  /** The whole answer of REST in gzip, if its caller takes it. */
  compressed: Buffer | null = null;

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

@ObjectType({ description: 'The read that a key repeats.', simpleResolvers: true })
export class OriginalRead {
  @Field(() => ID, { description: 'Its ledger entry.' })
  ledgerEntryId: string;

  @Field(() => Int, { description: 'What it charged, in credits, overage records included.' })
  creditsCharged: number;
}

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

  @Field(() => OriginalRead, { nullable: true, description: 'What this repeats; null if it repeats nothing.' })
  original: OriginalRead | null;

  @Field({ description: 'Whether the credits or the cap of the token end this page before the wanted records do.' })
  isCut: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'Of a page without records, why the county has none: its status, or unknown. Null with records, and for all counties.',
  })
  countyStatus: string | null;

  @Field(() => Metering, {
    nullable: true,
    description: 'Null for an answer without a body (304 or HEAD), for which nothing was read or charged.',
  })
  metering: Metering | null;
}
