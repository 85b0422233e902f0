import type { RecordFieldEntry } from './record-field-entry.js';

/** The building, the position on the plat, and the kind of the values. */
export const buildingFields = [
  {
    name: 'building_area',
    type: 'square feet',
    description: 'Area of the buildings, or of their living space, as recorded.',
    example: 1850,
    called: {
      certain:
        'building area|sqft|size, building gross area|sqft, building habitable area|sqft, habitable area|sqft, habitable floor area, above ground area|sqft',
      likely: 'primary area|sqft',
      possible: 'gross area|sqft',
    },
    beside: 'total gross residential commercial floor actual',
    lowers: 'effective',
  },
  {
    name: 'stories',
    type: 'number',
    description: 'Stories of the main building.',
    example: 1.5,
    called: { certain: 'building stories, stories, stories count|number, stories height' },
    beside: 'building residential total',
  },
  {
    name: 'units',
    type: 'count',
    description: 'Dwellings, or other units, on the parcel.',
    example: 1,
    called: { certain: 'units|unit count, units number, building units, units' },
    beside: 'unit habitable residential total',
  },
  {
    name: 'subdivision',
    type: 'text',
    description: 'Name of the subdivision or plat.',
    example: 'OAK HILLS ADDITION',
    called: { certain: 'subdivision name, subdivision description, subdivision' },
    beside: 'legal',
    lowers: 'code',
  },
  {
    name: 'block',
    type: 'code',
    description: 'Block of the subdivision or of the tax map.',
    example: '12',
    called: { certain: 'legal block, subdivision block, block number', likely: 'block' },
    beside: 'tax',
  },
  {
    name: 'lot',
    type: 'code',
    description: 'Lot within the block.',
    example: '7A',
    called: { certain: 'legal lot, subdivision lot, lot number', likely: 'lot' },
    beside: 'tax',
  },
  {
    name: 'neighborhood',
    type: 'code',
    description: "The assessor's neighborhood: its code, or its name where the county publishes no code.",
    example: 'N204',
    called: { certain: 'neighborhood code, neighborhood number, neighborhood, neighborhood name|description' },
    beside: 'assessed assessor code',
  },
  {
    name: 'value_type',
    type: 'value type',
    // Generators of types take no null in an `enum`.
    schema: {
      anyOf: [{ type: 'string', enum: ['market', 'appraised', 'just', 'assessed', 'actual', 'cash', 'taxable'] }, { type: 'null' }],
    },
    description: 'The kind of the three values, as the county names it. An assessed value may be a fraction of the market value.',
    example: 'appraised',
  },
] as const satisfies RecordFieldEntry[];
