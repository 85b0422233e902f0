import type { RecordFieldEntry } from './record-field-entry.js';

/** Which parcel it is, whose, and where. */
export const partyFields = [
  {
    name: 'parcel_id',
    type: 'id',
    schema: { type: 'string', format: 'uuid' },
    description:
      'Stable. Derived from county and parcel number, and for records that share a number also from what distinguishes them (unit, address, location, …), never from their order.',
    example: 'd8c5af8b-b073-5f5f-b830-0a128143c4f2',
  },
  {
    name: 'county_fips',
    type: 'constant',
    schema: { type: 'string', pattern: '^[0-9]{5}$' },
    description: 'Five-digit FIPS code of the county.',
    example: '48301',
  },
  {
    name: 'state',
    type: 'constant',
    schema: { type: 'string' },
    description: 'Two-letter postal code.',
    example: 'TX',
  },
  {
    name: 'county_name',
    type: 'constant',
    schema: { type: 'string' },
    description: "The county's name, as the Census writes it.",
    example: 'Loving County',
  },
  {
    name: 'apn',
    type: 'parcel number',
    description: "Assessor's parcel number. Not a key: it can occur on several parcels.",
    example: 'S-001-001',
    called: {
      certain: 'apn, parcel number, parcel id, property number, property id, folio',
      likely:
        'schedule number, parcel key, account number, tax id, map lot, account, tax number, serial number, assessor number|id, parcel',
    },
    beside: 'assessed assessor tax map number id account code property roll new total gis',
    lowers: 'key alternate state name',
  },
  {
    name: 'apn_normalized',
    type: 'derived',
    schema: { type: ['string', 'null'] },
    description: 'Letters and digits only. Different parcels can share it.',
    example: 'S001001',
  },
  {
    name: 'apn_sequence',
    type: 'derived',
    schema: { type: 'integer', minimum: 0 },
    description:
      'Numbers the records that share an APN, from 0, in the order of their contents. Not a key: it changes when such a record is added.',
    example: 0,
  },
  {
    name: 'owner_name',
    type: 'text',
    description: 'The owner on the tax roll.',
    example: 'EXAMPLE OWNER',
    called: { certain: 'owner name, owner, taxpayer name', likely: 'taxpayer, grantee, name, mail name, mail address name' },
    beside: 'tax deed record taxpayer legal',
    lowers: 'county description grantee',
  },
  {
    name: 'owner_name_2',
    type: 'text',
    description: 'A second owner, or what the county wrote after the first.',
    example: 'EXAMPLE SPOUSE',
    called: { certain: 'second owner, second owner name' },
    beside: 'tax deed',
    lowers: 'county',
  },
  {
    name: 'mail_address',
    type: 'text',
    description: 'Street or P.O. box of the mailing address.',
    example: '1 MAIN ST',
    called: {
      certain: 'mail address, owner address, taxpayer address, mail|owner street',
      likely: 'bill address, mail|owner line, owner mail, mail',
    },
    beside: 'property owner mail taxpayer tax street postal deed',
    lowers: 'name',
  },
  {
    name: 'mail_city',
    type: 'text',
    description: 'City of the mailing address.',
    example: 'MENTONE',
    called: { certain: 'mail city, owner city, taxpayer city', likely: 'bill city, mail|owner municipality' },
    beside: 'property owner mail taxpayer tax address name postal deed',
  },
  {
    name: 'mail_state',
    type: 'text',
    description: 'State of the mailing address, as the county wrote it.',
    example: 'TX',
    called: { certain: 'mail state, owner state, taxpayer state', likely: 'bill state' },
    beside: 'property owner mail taxpayer tax address code postal deed',
  },
  {
    name: 'mail_zip',
    type: 'zip',
    description: 'ZIP code of the mailing address.',
    example: '79754',
    called: { certain: 'mail zip, mail postal, owner zip, taxpayer zip', likely: 'bill zip' },
    beside: 'property owner mail taxpayer tax address code postal deed',
  },
  {
    name: 'situs_address',
    type: 'text',
    description: 'Street address of the parcel.',
    example: '1 MAIN ST',
    called: {
      certain:
        'situs address, property address, location address, parcel address, situs, situs|property|parcel location, situs|property|location street',
      likely: 'location, street',
    },
    beside: 'situs location street description long',
    lowers: 'name municipality',
  },
  {
    name: 'situs_city',
    type: 'text',
    description: 'City of the parcel.',
    example: 'MENTONE',
    called: {
      certain: 'situs city, property city, location city, parcel city, situs|property|location|parcel municipality|community',
      likely:
        'street city|community|municipality, postal city|community|municipality|place, municipality name, municipality, place name, zip city|community|municipality|name, postal office, msag, community, jurisdiction name',
    },
    beside: 'situs location address name postal place msag municipality description jurisdiction community',
    lowers: 'tax township',
  },
  {
    name: 'situs_zip',
    type: 'zip',
    description: 'ZIP code of the parcel.',
    example: '79754',
    called: { certain: 'situs zip, property zip, location zip, parcel zip', likely: 'street zip' },
    beside: 'situs location address code postal',
  },
] as const satisfies RecordFieldEntry[];
