import { readFileSync } from 'node:fs';
import { projectFile } from '../../src/core/project-files.js';
import { plans } from '../../src/ledger/plans.js';
import { plainId } from '../../src/loader/records/disambiguate-ids.js';
import { wgs84 } from '../../src/loader/records/geometry/crs.js';
import { locationOf } from '../../src/loader/records/geometry/geometry.js';
import { plainParcelNumber } from '../../src/releases/record-fields/search-keys.js';
import type { Json } from '../harness/caller.js';
import { contract } from '../harness/contract.js';

// All examples tell one story: of a county, of a record in it, and of the trial token that read it.

const exampleOf = (path: string, status = '200', method = 'get'): Json =>
  contract.paths[path]![method]!.responses[status]!.content!['application/json']!.example;
const sumOf = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0);
const dayMs = 24 * 60 * 60 * 1000;

const usage = exampleOf('/api/usage');
const page = exampleOf('/api/parcels');
const [record] = page.parcels;
const county = exampleOf('/api/counties/{fips}');

/** Every value of the contract that stands under a key, however deep. */
function valuesOf(key: string, within: Json = contract): Json[] {
  if (within === null || typeof within !== 'object') return [];
  return Object.entries(within).flatMap(([name, value]) => (name === key ? [value] : valuesOf(key, value)));
}

describe('the examples of schema/openapi.yaml', () => {
  it('have a ledger that comes to the balance, line by line', () => {
    const oldestFirst = usage.ledger.toReversed();
    const credits = oldestFirst.map((entry: Json) => entry.credits);
    expect(oldestFirst[0]).toMatchObject({ kind: 'grant', credits: usage.balance.included_records, token_id: null, request_id: null });
    expect(oldestFirst.map((entry: Json) => entry.balance_after)).toEqual(
      credits.map((_: number, i: number) => sumOf(credits.slice(0, i + 1))),
    );
    for (const { credits_remaining } of [usage.token, usage.balance, usage.metering, page.metering]) {
      expect(credits_remaining).toBe(usage.ledger[0].balance_after);
    }
  });

  it('name the read that the token did last by one id, time, county and number of records', () => {
    const [read] = usage.ledger;
    expect(read).toMatchObject({ kind: 'read', records: page.parcels.length, credits: -page.metering.credits_charged });
    expect([read.id, read.at, read.token_id]).toEqual([page.metering.ledger_entry_id, usage.token.last_used_at, usage.token.id]);
    expect([read.county_fips, record.county_fips]).toEqual([county.fips, county.fips]);
  });

  it('have trials of the size and time of the plan, in tokens and balances alike', () => {
    const tokens = [
      usage.token,
      exampleOf('/api/tokens/trial', '201', 'post').token,
      ...exampleOf('/api/tokens').tokens,
      exampleOf('/api/tokens/{id}/revoke', '200', 'post').token,
    ];
    for (const { issued_at, expires_at, plan, last_used_at, credits_remaining } of tokens) {
      expect([plan, (Date.parse(expires_at) - Date.parse(issued_at)) / dayMs]).toEqual(['trial', plans.trial.lifetimeDays]);
      expect(last_used_at === null).toBe(credits_remaining === plans.trial.records);
    }
    const { issued_at, expires_at } = usage.token;
    const { included_records, period_start, period_end, ends_at } = usage.balance;
    expect([included_records, period_start, period_end, ends_at]).toEqual([plans.trial.records, issued_at, expires_at, expires_at]);
  });

  it('have coverage that adds up, of all counties that there are', () => {
    const { totals, states } = exampleOf('/api/coverage');
    const catalogued = readFileSync(projectFile('src/counties/county-catalogue.csv'), 'utf8').trim().split('\n').slice(1);
    expect(totals.counties).toBe(catalogued.length);
    for (const { counties, by_status } of [totals, ...states]) expect(sumOf(Object.values(by_status))).toBe(counties);
    for (const { state, counties } of states) expect(catalogued.filter((line) => line.endsWith(`,${state}`))).toHaveLength(counties);
    expect(totals.parcels).toBe(sumOf(states.map(({ parcels }: Json) => parcels)));
    expect(totals.by_status.loaded).toBe(sumOf(states.map(({ by_status }: Json) => by_status.loaded)));
  });

  it('have one loaded county, which the list, its state and its record agree on', () => {
    const { counties, total } = exampleOf('/api/counties');
    expect([counties, total]).toEqual([[county], 1]);
    const { states } = exampleOf('/api/coverage');
    expect(states).toEqual([expect.objectContaining({ state: county.state, parcels: county.parcel_count })]);
    expect(record).toMatchObject({ county_name: county.name, state: county.state, source_date: county.source_date });
    const asked = [...contract.paths['/api/counties']!.parameters!, ...contract.paths['/api/counties/{fips}']!.parameters!];
    expect(Object.fromEntries(asked.filter(({ example }) => example !== undefined).map(({ name, example }) => [name, example]))).toEqual({
      status: county.status,
      state: county.state,
      fips: county.fips,
    });
  });

  it('have a record as the loader makes it: id, number, area and point are those of its county, number and shape', () => {
    const { longitude, latitude, gisAcres } = locationOf(record.geometry, wgs84.toWgs84)!;
    expect([record.longitude, record.latitude, record.gis_acres]).toEqual([longitude, latitude, gisAcres]);
    expect(record.parcel_id).toBe(plainId({ countyFips: record.county_fips, part: null }, record.apn, null));
    expect([record.apn_normalized, record.apn_sequence]).toEqual([plainParcelNumber(record.apn), 0]);
    expect(record.legal_description).toBe(`${record.subdivision} BLOCK ${record.block} LOT ${record.lot}`);
    expect(record.total_value).toBe(record.land_value + record.improvement_value);
  });

  it('have fields that are described by the same record, where it knows them', () => {
    const { properties } = contract.components.schemas.Parcel!;
    const described = Object.entries(properties).map(([name, { examples = [] }]) => [name, examples[0]] as const);
    for (const [name, example] of described)
      if (record[name] !== null && name !== 'source') expect([name, example]).toEqual([name, record[name]]);
  });

  it('answer what they were asked, of the same person', () => {
    const [signUp, rename] = ['/api/auth/sign-up/email', '/api/auth/passkey/update-passkey'];
    const sentTo = (path: string): Json => contract.paths[path]!.post!.requestBody!.content['application/json'].example;
    const { user } = exampleOf(signUp, '200', 'post');
    expect({ ...user, ...sentTo(signUp), password: undefined }).toEqual(user);
    expect(exampleOf(rename, '200', 'post').passkey).toMatchObject(sentTo(rename));
    const { id, email, name, emailVerified: email_verified, role, createdAt: created_at } = exampleOf('/api/auth/get-session').user;
    expect(exampleOf('/api/me').user).toEqual({ id, email, name, email_verified, role, created_at });
  });

  it('name requests and entries by ids that begin with their time', () => {
    const requests = valuesOf('request_id').filter((id) => typeof id === 'string');
    for (const id of requests) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const timeOf = (id: string) => new Date(Number.parseInt(id.slice(0, 13).replace('-', ''), 16)).toISOString();
    for (const { id, at, request_id } of usage.ledger) {
      expect(timeOf(id)).toBe(at);
      if (request_id !== null) expect([0, 1]).toContain(Math.ceil((Date.parse(at) - Date.parse(timeOf(request_id))) / 1000));
    }
  });
});
