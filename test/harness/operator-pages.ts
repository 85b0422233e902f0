import { startApp, type TestApp } from './app.js';
import { openPages } from './browser.js';
import type { Person } from './person.js';
import { publishRecords } from './records.js';

export const middlesex = '25017';

export let app: TestApp;
export let operator: Person;

/** The pages of an operator, whose service knows Middlesex County by two releases, of 20 and of 30 records. */
export function openOperatorPages(settings: () => Promise<Record<string, string>> = async () => ({})): void {
  beforeAll(async () => {
    app = await startApp(await settings());
    operator = await app.signUpOperator();
    await publishRecords(app.db, middlesex, 20);
    await publishRecords(app.db, middlesex, 30);
  });
  openPages(() => app.config.baseUrl);
  beforeEach(async () => {
    // Corrections take a recent sign-in, and a busy machine needs longer than that for all tests.
    await app.db.query('update auth.session set "createdAt" = now() where "userId" = $1', [operator.id]);
  });
}

/** A release of Middlesex County that waits for a decision. */
export async function holdRelease(): Promise<number> {
  const [release] = await app.db.query<{ id: number }>(
    `insert into parcel_release (county_fips, state, source, format, read_count, loaded_count)
     values ($1, 'held', 'made up for a test', 'none', 10, 10) returning id`,
    [middlesex],
  );
  return release!.id;
}
