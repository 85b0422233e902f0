import type { RecordFieldEntry } from './record-field-entry.js';

/** The use of the land, and its value. */
export const valueFields = [
  {
    name: 'use_code',
    type: 'code',
    description: "The county's own land use code.",
    example: 'A1',
    called: {
      certain: 'land use code, use code, property class code, class code, property class, dor code',
      likely: 'land use, class, category, property type, property category, land code, use, category code, state land, use type',
    },
    beside: 'land dor state tax assessed assessor actual category type property class brief',
    lowers: 'id number',
  },
  {
    name: 'use_description',
    type: 'text',
    description: "The land use in the county's words.",
    example: 'SINGLE FAMILY RESIDENCE',
    called: {
      certain: 'use description, property class description, class description, property type description, use name, dor description',
      likely:
        'category description, use type, land use, property use, land description, use class, property class, property type, class, use',
    },
    beside: 'land dor state tax assessed assessor code property class type name brief long',
  },
  {
    name: 'zoning',
    type: 'text',
    description: 'The zoning district, as the county or city names it.',
    example: 'R-1',
    called: { certain: 'zoning code, zoning class, zoning, zoning district, zoning type, zoning description' },
    beside: 'actual land municipality city code description name base township village district general label',
    lowers: 'use place',
  },
  {
    name: 'land_value',
    type: 'dollars',
    description: 'Value of the land on the tax roll; `value_type` names its kind.',
    example: 12000,
    called: {
      certain: 'land value, land assessed|appraised|market|just|cash|actual|fair, land amount',
      likely: 'land total, land taxable, land',
    },
    beside: 'year value amount appraised market just assessed actual fair cash true net gross tax roll assessor total',
    lowers: 'preceding taxable limited',
  },
  {
    name: 'improvement_value',
    type: 'dollars',
    description: 'Value of the improvements, of the same kind.',
    example: 88000,
    called: {
      certain:
        'improvement value, improvement assessed|appraised|market|just|cash|actual|fair, building value, building assessed|appraised|market|just|cash|actual|fair, improvement amount',
      likely: 'building amount, improvement|building total, improvement|building taxable, improvement, building',
    },
    beside: 'year value amount appraised market just assessed actual fair cash true net gross tax roll assessor total improvement building',
    lowers: 'preceding taxable limited',
  },
  {
    name: 'total_value',
    type: 'dollars',
    description: 'Value of both, of the same kind.',
    example: 100000,
    called: {
      certain:
        'total value, total assessed|appraised|market|just|cash|actual|fair, parcel value, property value, market|appraised|just|cash|actual value, assessed value',
      likely:
        'market appraised|assessed, net value, tax value, taxable value, full value, total taxable, appraised, market, assessed, assessed amount, total, value',
    },
    beside: 'year value amount appraised market just assessed actual fair cash true net gross roll assessor total',
    lowers: 'preceding taxable limited tax',
  },
  {
    name: 'tax_year',
    type: 'year',
    description: 'The year of the values and of the tax.',
    example: 2025,
    called: { certain: 'tax year, assessed|appraised year, roll year, value year, fiscal year', likely: 'fiscal, year' },
    beside: 'assessed roll tax bill certified',
  },
  {
    name: 'tax_amount',
    type: 'dollars and cents',
    description: 'Tax of that year, as a decimal string.',
    example: '1534.20',
    called: {
      certain: 'tax amount, total tax, net tax, annual tax, tax due, tax bill',
      likely: 'gross tax, current tax, property tax, tax, tax paid',
    },
    beside: 'total net gross annual due bill amount year roll',
    lowers: 'season preceding',
  },
] as const satisfies RecordFieldEntry[];
