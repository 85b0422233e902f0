import { factsOf, type MappableField } from '../fields.js';

/** What a part of a name beyond the phrase takes from our sureness, whatever the field. Each field says what else may stand beside it. */
const besideAll: Record<string, number> = {
  full: 0,
  true: 0,
  primary: 0,
  current: 0,
  public: 0.01,
  all: 0.01,
  local: 0.02,
  text: 0.01,
  gis: 0.02,
  formatted: 0.01,
  recent: 0,
  line: 0,
  parcel: 0.01,
  property: 0.01,
  prior: 0.22,
  preceding: 0.22,
  estimated: 0.04,
  dor: 0.05,
  county: 0.07,
};

const otherThingCost = 0.4;

export const costBeside = (field: MappableField, concept: string): number =>
  factsOf[field].beside?.[concept] ?? besideAll[concept] ?? otherThingCost;
