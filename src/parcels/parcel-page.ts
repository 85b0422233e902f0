import { GraphQLScalarType } from 'graphql';
import { Field, ObjectType } from 'type-graphql';
import { Metering } from '../usage/metering.js';

/** Finished JSON text as it lies in the database: it goes out without being parsed or copied. */
export const RecordsText = new GraphQLScalarType<Buffer, Buffer>({
  name: 'RecordsText',
  description: 'Parcel records as finished JSON texts with commas between them. For the REST router, which passes it on as it is.',
  serialize: (value) => value as Buffer,
});

@ObjectType({ description: 'Parcel records, by county FIPS code and then by their place in the county, and what they cost.' })
export class ParcelPage {
  @Field(() => RecordsText)
  records: Buffer;

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
