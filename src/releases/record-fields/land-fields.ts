import type { RecordFieldEntry } from './record-field-entry.js';

const shapes = ['Polygon', 'MultiPolygon'].map((name) => ({ $ref: `#/components/schemas/${name}` }));

/** The latest sale, the land with its shape, and where the record is from. */
export const landFields = [
  {
    name: 'sale_price',
    type: 'dollars',
    description: 'Price of the latest sale on the tax roll.',
    example: 95000,
    called: {
      certain: 'sale price, sale amount, sale value, sale consideration, transfer|purchase|conveyance price|amount|value|consideration',
      likely: 'consideration, deed price|amount|consideration, price',
    },
    beside: 'total last sale market deed value amount transfer actual gross conveyance net',
  },
  {
    name: 'sale_date',
    type: 'day',
    description: 'Date of that sale.',
    example: '2019-05-14',
    called: { certain: 'sale date, transfer|conveyance|purchase date', likely: 'deed date, record date, instrument date' },
    beside: 'total last deed transfer sale record conveyance instrument time market',
  },
  {
    name: 'year_built',
    type: 'year',
    description: 'Year in which the main building was built.',
    example: 1962,
    called: { certain: 'year built, year building|improvement', likely: 'built', possible: 'effective year, effective year built' },
    beside: 'actual building residential improvement house original first year living',
    lowers: 'date commercial',
  },
  {
    name: 'acres',
    type: 'acres',
    description: 'Area as recorded.',
    example: 0.23,
    called: {
      certain: 'acres, land|lot|parcel|property sqft, record area',
      likely: 'lot size, land|lot|parcel size, land|lot|parcel area, deed|deeded|legal area, area sqft',
      possible: 'sqft',
    },
    beside:
      'land lot deed deeded legal total calculated area size assessed tax roll map record net gross assessor amount actual count number',
    lowers: 'gis sqft taxable',
  },
  {
    name: 'gis_acres',
    type: 'derived',
    schema: { type: ['number', 'null'] },
    description: 'Area computed from the geometry.',
    unit: 'acres',
    example: 0.2338,
  },
  {
    name: 'legal_description',
    type: 'text',
    description: 'The legal description from the deed.',
    example: 'OAK HILLS ADDITION BLOCK 12 LOT 7A',
    called: { certain: 'legal description, legal, property description', likely: 'parcel description, tax description, brief description' },
    beside: 'brief long property tax land deed assessor',
    lowers: 'name',
  },
  {
    name: 'latitude',
    type: 'degrees',
    description: 'Latitude of a point on the parcel (WGS84).',
    example: 31.70675,
    called: { certain: 'latitude, y coordinate|centroid', likely: 'y' },
    beside: 'coordinate centroid degrees y address situs location',
  },
  {
    name: 'longitude',
    type: 'degrees',
    description: 'Longitude of the same point (WGS84).',
    example: -103.60015,
    called: { certain: 'longitude, x coordinate|centroid', likely: 'x' },
    beside: 'coordinate centroid degrees x address situs location',
  },
  {
    name: 'geometry',
    type: 'shape',
    schema: { oneOf: [{ type: 'null' }, ...shapes] },
    description: 'The boundary as a GeoJSON Polygon or MultiPolygon, longitude before latitude (WGS84, RFC 7946).',
    unit: 'degrees',
    example: {
      type: 'Polygon',
      coordinates: [
        [
          [-103.6003, 31.7066],
          [-103.6, 31.7066],
          [-103.6, 31.7069],
          [-103.6003, 31.7069],
          [-103.6003, 31.7066],
        ],
      ],
    },
    called: { certain: 'geometry' },
    beside: 'shape',
  },
  {
    name: 'source',
    type: 'constant',
    schema: { type: 'string' },
    description: 'The publisher of the source data.',
    example: 'Loving County Appraisal District',
  },
  {
    name: 'source_date',
    type: 'constant',
    schema: { type: ['string', 'null'], format: 'date' },
    description: 'The date of the source data.',
    example: '2026-01-01',
  },
  {
    name: 'release_id',
    type: 'constant',
    schema: { type: 'integer' },
    description: 'The release that the record belongs to.',
    example: 1,
  },
] as const satisfies RecordFieldEntry[];
