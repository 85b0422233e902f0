import { GraphQLScalarType } from 'graphql';
import { Field, ObjectType } from 'type-graphql';
import { Metering } from '../ledger/spending/metering.js';

/** Finished JSON text as it lies in the database. The REST router passes it on as it is; only who writes it as JSON has it parsed. */
export class RecordsText {
  constructor(readonly text: Buffer) {}

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
  description: 'Parcel records, by county FIPS code and then by their place in the county, and what they cost.',
  simpleResolvers: true,
})
export class ParcelPage {
  @Field(() => ParcelRecords)
  records: RecordsText;

  @Field(() => String, { nullable: true, description: 'Continues behind the last record; null at the end.' })
  nextCursor: string | null;

  @Field({ description: 'Tag of the same records whenever they are returned again.' })
  entityTag: string;

  @Field({ description: 'Whether the caller has these records already, or asked for the head only: nothing was read or charged.' })
  isBodyOmitted: boolean;

  @Field({ description: 'Whether these are the records that the same Idempotency-Key bought before, at no further charge.' })
  isReplay: boolean;

  @Field(() => Metering, { nullable: true })
  metering: Metering | null;
}
