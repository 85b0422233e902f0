import { addJob } from '../../src/jobs/task.js';
import { startApp, type TestApp } from '../harness/app.js';
import type { Answer } from '../harness/caller.js';
import { eventually } from '../harness/eventually.js';
import { Person } from '../harness/person.js';
import { runCli, runService } from '../harness/process.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ TRUST_PROXY: 'loopback' });
  await app.db.stopClock(); // on a busy machine four passwords are not hashed in the ten seconds in which three are heard
});

let addresses = 0;
const newAddress = (): Record<string, string> => ({ 'x-forwarded-for': `203.0.${Math.floor(++addresses / 250)}.${addresses % 250}` });
const somebody = (headers = newAddress()) => Person.signUp(app.url, headers);
const guess = (visitor: Person) => visitor.signIn('wrong password');
/** Wrong tries, one after another, with pauses that only the service's clock sees. */
const guesses = async (visitor: Person, times: number, pause = '11 seconds'): Promise<number[]> => {
  const statuses: number[] = [];
  for (let tries = 0; tries < times; tries++) {
    if (tries > 0 && tries % 3 === 0) await app.db.moveClock(pause);
    statuses.push((await guess(visitor)).status);
  }
  return statuses;
};
const retryAfter = ({ headers }: Answer): number => Number(headers.get('retry-after'));

describe('wrong passwords', () => {
  it('are checked three times in ten seconds; then even the right password has to wait as long as Retry-After says', async () => {
    const thief = (await somebody()).elsewhere(newAddress());
    expect(await guesses(thief, 3)).toEqual([401, 401, 401]);
    const refused = await thief.signIn();
    expect(refused).toMatchObject({ status: 429, json: { error: 'too_many_requests' } });
    expect(retryAfter(refused)).toBeGreaterThan(0);
    expect(retryAfter(refused)).toBeLessThanOrEqual(10);
    await app.db.moveClock(`${retryAfter(refused)} seconds`);
    expect((await thief.signIn()).status).toBe(200);
  });

  it('are checked ten times in a quarter of an hour', async () => {
    const thief = (await somebody()).elsewhere(newAddress());
    expect(await guesses(thief, 10)).toEqual(Array(10).fill(401));
    await app.db.moveClock('11 seconds');
    const refused = await guess(thief);
    expect(refused.status).toBe(429);
    expect(retryAfter(refused)).toBeGreaterThan(800);
    expect(refused.json.message).toBe('Too many attempts. Try again in 15 minutes.');
    await app.db.moveClock(`${retryAfter(refused)} seconds`);
    expect((await guess(thief)).status).toBe(401);
  });

  it('are all counted when many reach several servers at once', async () => {
    const other = await startApp({ TRUST_PROXY: 'loopback' }, app);
    const thief = (await somebody()).elsewhere(newAddress());
    const there = thief.at(other.url);
    const replies = await Promise.all(Array.from({ length: 40 }, (_, index) => guess(index % 2 ? thief.elsewhere() : there.elsewhere())));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([...Array(3).fill(401), ...Array(37).fill(429)]);
    await other.close();
  });

  it('that are to confirm a change are checked five times in a quarter of an hour per session, however many come at once', async () => {
    const person = await somebody();
    const body = { currentPassword: 'wrong password', newPassword: 'another good one' };
    const tries = await Promise.all(Array.from({ length: 12 }, () => person.copy().post('/api/auth/change-password', { body })));
    expect(tries.map(({ status }) => status).toSorted()).toEqual([...Array(5).fill(400), ...Array(7).fill(429)]);
    expect(retryAfter(tries.find(({ status }) => status === 429)!)).toBeGreaterThan(800);
  });

  it('for many accounts from one address are checked fifty times in a quarter of an hour, which delays nobody who is known there', async () => {
    const office = newAddress();
    const colleague = await somebody(office);
    for (let tries = 0; tries < 50; tries++) expect((await guess(new Person(app.url, office))).status).toBe(401);
    expect((await guess(new Person(app.url, office))).status).toBe(429);
    expect((await guess(new Person(app.url, newAddress()))).status).toBe(401);
    expect((await colleague.elsewhere().signIn()).status).toBe(200);
    // Nor a neighbour who comes from there for the first time, with the right password.
    const neighbour = (await somebody()).elsewhere(office);
    expect((await neighbour.signIn()).status).toBe(200);
  });

  it('for an address without an account are counted in the same way', async () => {
    expect(await guesses(new Person(app.url, newAddress()), 4, '0 seconds')).toEqual([401, 401, 401, 429]);
  });
});

describe('nobody can lock somebody else out', () => {
  it('from another address', async () => {
    const owner = await somebody();
    await guesses(owner.elsewhere(newAddress()), 12);
    expect((await owner.elsewhere().signIn()).status).toBe(200);
    expect((await owner.elsewhere(newAddress()).signIn()).status).toBe(200);
  });

  it('from many addresses at once, each of which gets one try', async () => {
    const owner = await somebody();
    for (let thieves = 0; thieves < 20; thieves++) expect((await guess(owner.elsewhere(newAddress()))).status).toBe(401);
    const late = owner.elsewhere(newAddress());
    expect((await guess(late)).status).toBe(429);
    const again = await late.signIn();
    expect(again.status).toBe(429);
    expect(retryAfter(again)).toBeGreaterThan(800);
    // The owner gets in from a recognized device, and from any other with the first correct password.
    expect((await owner.elsewhere().signIn()).status).toBe(200);
    expect((await owner.elsewhere(newAddress()).signIn()).status).toBe(200);
  });

  it('from behind the same address, in a browser that was signed in before', async () => {
    const owner = await somebody();
    await owner.post('/api/auth/sign-out', { body: {} });
    await guesses(owner.elsewhere(), 12);
    expect((await owner.elsewhere().signIn()).status).toBe(429);
    expect((await owner.signIn()).status).toBe(200);
  });
});

describe('right passwords', () => {
  it('are accepted 60 times a minute', async () => {
    const [person, other] = [await somebody(), await somebody()];
    expect((await person.elsewhere().signIn()).status).toBe(200);
    // Fifty-eight more of the same.
    await app.db.query(
      `insert into auth.rate_limit_event (key, at)
       select key, at from (select key, at from auth.rate_limit_event where key like 'sign-in to %' order by id desc limit 1) e,
              generate_series(1, 58)`,
    );
    expect((await person.elsewhere(newAddress()).signIn()).status).toBe(200);
    const refused = await person.elsewhere().signIn();
    expect(refused.status).toBe(429);
    expect((await other.elsewhere().signIn()).status).toBe(200);
    await app.db.moveClock(`${retryAfter(refused)} seconds`);
    expect((await person.elsewhere().signIn()).status).toBe(200);
  });

  it('open at most a hundred sessions', async () => {
    const person = await somebody();
    await app.db.query(
      `insert into auth.session (id, token, "userId", "expiresAt", "updatedAt")
       select gen_random_uuid(), gen_random_uuid(), $1, now() + interval '1 day', now() - n * interval '1 minute' from generate_series(1, 120) n`,
      [person.id],
    );
    await person.elsewhere().signIn();
    expect(await app.db.value('select count(*)::integer from auth.session where "userId" = $1', [person.id])).toBe(100);
    expect(await person.isSignedIn()).toBe(true);
  });

  it('do not stall other requests', async () => {
    const person = await somebody();
    const burst = Promise.all(Array.from({ length: 30 }, () => person.elsewhere().signIn()));
    let [answered, isOver] = [0, false];
    void burst.finally(() => (isOver = true));
    for (; !isOver; answered++) expect((await person.get('/health')).status).toBe(200);
    expect((await burst).every(({ status }) => status === 200)).toBe(true);
    // Better-auth alone kept every one waiting for a second.
    expect(answered).toBeGreaterThan(30);
  });
});

describe('mails', () => {
  const ask = (person: Person) => person.post('/api/auth/request-password-reset', { body: { email: person.email } });
  const statusesOf = (answers: Answer[]) => answers.map(({ status }) => status).toSorted();
  const signUps = (people: Person[]) => Promise.all(people.map((person) => person.signUp()));
  const newcomers = (times: number, headers: Record<string, string>, url = app.url) =>
    Array.from({ length: times }, () => new Person(url, headers));

  it('share one budget per address, sign-ups included: 30 an hour, and as many again for known browsers there, a sixth each', async () => {
    const office = newAddress();
    const [neighbour, other] = newcomers(2, office) as [Person, Person];
    for (const visitor of [neighbour, other]) await visitor.get('/api/auth/get-session');
    expect(statusesOf(await signUps(newcomers(20, office)))).toEqual(Array(20).fill(200));
    const asked = await Promise.all(newcomers(11, office).map(ask));
    expect(statusesOf(asked)).toEqual([...Array(10).fill(200), 429]);
    expect(Math.max(...asked.map(retryAfter))).toBeLessThanOrEqual(3600);

    // A browser that was here before is not held up by a neighbor who has used up what the address may do.
    const own = await signUps(Array.from({ length: 6 }, () => Object.assign(neighbour.copy(), { email: new Person('').email })));
    expect(statusesOf(own)).toEqual([...Array(5).fill(200), 429]);
    expect((await other.signUp()).status).toBe(200);
    // One that a program makes up is none.
    const program = new Person(app.url, office);
    program.cookies.set('parcel.browser', `made-up.${'A'.repeat(43)}=`);
    expect((await program.signUp()).status).toBe(429);
    expect(statusesOf(await signUps(newcomers(1, newAddress())))).toEqual([200]);
    await app.db.moveClock('1 hour');
    expect(statusesOf(await signUps(newcomers(1, office)))).toEqual([200]);
  });

  it('are not limited on the machine of the service itself unless a header says that the caller is elsewhere', async () => {
    const direct = await startApp({}, app);
    expect(statusesOf(await signUps(newcomers(40, {}, direct.url)))).toEqual(Array(40).fill(200));
    const forwarded = await signUps(newcomers(31, { 'x-forwarded-for': '203.0.113.9' }, direct.url));
    expect(statusesOf(forwarded)).toEqual([...Array(30).fill(200), 429]);
    await direct.close();
  });

  it('are sent to one person at most twenty times an hour, however many addresses ask for them', async () => {
    const person = await somebody();
    const sent = async () =>
      (await app.db.query(`select from auth.rate_limit_event where key like 'mail to %' and at > service_now() - interval '1 hour'`))
        .length;
    const before = await sent();
    for (let times = 0; times < 22; times++) expect((await ask(person.elsewhere(newAddress()))).status).toBe(200);
    expect((await sent()) - before).toBe(19); // the sign-up sent one
  });
});

describe('challenges of passkeys', () => {
  it.each(['register', 'authenticate'])(
    'are given 60 times a minute to an address, and ten more to a known browser there: to %s',
    async (what) => {
      const visitor = await somebody();
      const ask = () => visitor.get(`/api/auth/passkey/generate-${what}-options`);
      const startedAt = performance.now();
      const statuses = (await Promise.all(Array.from({ length: 75 }, ask))).map(({ status }) => status);
      // More become free while a slow machine is still asking.
      const freed = Math.ceil(((performance.now() - startedAt) / 60_000) * 70);
      const [given, refused] = [200, 429].map((one) => statuses.filter((status) => status === one).length) as [number, number];
      expect(given).toBeGreaterThanOrEqual(70);
      expect(given).toBeLessThanOrEqual(70 + freed);
      expect(given + refused).toBe(75);
    },
  );
});

describe('the address that is counted', () => {
  const threeFrom = async (url: string, headersOf: (index: number) => Record<string, string>) => {
    const victim = (await somebody()).email;
    const statuses = [];
    for (let index = 0; index < 5; index++) {
      const visitor = Object.assign(new Person(url, headersOf(index)), { email: victim });
      statuses.push((await guess(visitor)).status);
    }
    return statuses;
  };
  const all = [401, 401, 401, 429, 429];

  const inOtherHeaders = ['x-real-ip', 'x-client-address', 'x-client-ip', 'cf-connecting-ip'];
  const network = ['2001:db8:1:2::1', '2001:0db8:0001:0002:ffff::9', '2001:db8:1:2:3:4:5:6', '2001:DB8:1:2::', '2001:db8:1:2::ffff'];
  const asIpv6 = ['192.0.2.79', '::ffff:192.0.2.79', '::ffff:c000:24f', '::FFFF:C000:024F', '0:0:0:0:0:ffff:c000:24f'];

  it.each<[what: string, headersOf: (index: number) => Record<string, string>]>([
    ['the one that the trusted proxy saw, whatever is before it', (index) => ({ 'x-forwarded-for': `10.9.8.${index}, 192.0.2.77` })],
    [
      'the one that the trusted proxy saw, whatever other headers say',
      (index) => ({
        ...Object.fromEntries(inOtherHeaders.map((name) => [name, `10.9.8.${index}`])),
        forwarded: `for=10.9.8.${index}`,
        'x-forwarded-for': '192.0.2.78',
      }),
    ],
    ['one for a whole IPv6 network, however it is written (GHSA-p6v2-xcpg-h6xw)', (index) => ({ 'x-forwarded-for': network[index]! })],
    ['the IPv4 address even when it is written as IPv6', (index) => ({ 'x-forwarded-for': asIpv6[index]! })],
  ])('is %s', async (_, headersOf) => {
    expect(await threeFrom(app.url, headersOf)).toEqual(all);
  });

  it('counts towards the larger IPv6 network around it, which is allowed eight times as much', async () => {
    const bounded = await startApp({ TRIALS_PER_ADDRESS: '1', TRUST_PROXY: 'loopback' }, app);
    const statusesOf = (answers: Answer[]) => answers.map(({ status }) => status).toSorted();
    const people = await Promise.all(Array.from({ length: 10 }, () => somebody()));
    const askForTrial = ({ cookie }: Person, index: number) =>
      bounded.post('/api/tokens/trial', { cookie, headers: { 'x-forwarded-for': `2001:db8:4:${index + 100}::1` } });
    expect(statusesOf(await Promise.all(people.map(askForTrial)))).toEqual([...Array(8).fill(201), 429, 429]);
    await app.db.query(`insert into auth.rate_limit_event (key) select 'mail by 2001:db8:5::/48' from generate_series(1, 8 * 30 - 1)`);
    const neighbours = await Promise.all([1, 2].map((net) => new Person(app.url, { 'x-forwarded-for': `2001:db8:5:${net}::1` }).signUp()));
    expect(statusesOf(neighbours)).toEqual([200, 429]);
    await bounded.close();
  });

  it('does not count towards the larger network with correct passwords', async () => {
    const person = await somebody();
    for (let tries = 0; tries < 30; tries++) {
      expect((await person.elsewhere({ 'x-forwarded-for': `2001:db8:3:${tries + 1}::1` }).signIn()).status).toBe(200);
    }
  });

  it.each([
    ['IPv4', (host: number, port: number) => `198.51.100.${host}:${port}`],
    ['IPv6', (host: number, port: number) => `[2001:db8:9:${host}::1]:${port}`],
    ['IPv4, through two proxies', (host: number, port: number) => `198.51.101.${host}:${port}, 10.9.8.7:${port}`],
  ])('leaves out the port that some proxies append: %s', async (_kind, written) => {
    const proxied = await startApp({ TRUST_PROXY: 'loopback,10.0.0.0/8' }, app);
    expect(await threeFrom(proxied.url, (index) => ({ 'x-forwarded-for': written(1, 4711 + index) }))).toEqual(all);
    expect(await threeFrom(proxied.url, (index) => ({ 'x-forwarded-for': written(2 + index, 4711) }))).toEqual(Array(5).fill(401));
    await proxied.close();
  });

  it('is the peer itself where no proxy is trusted', async () => {
    const direct = await startApp({}, app);
    expect(await threeFrom(direct.url, (index) => ({ 'x-forwarded-for': `10.9.8.${index}`, 'x-real-ip': `10.9.8.${index}` }))).toEqual(all);
    await direct.close();
  });
});

it('makes cookies Secure, and says so in their names, with NODE_ENV=production and https', async () => {
  const production = await startApp({ NODE_ENV: 'production', MAIL_TO_OUTBOX: 'yes', BASE_URL: 'https://records.example' });
  const { headers } = await new Person(production.url).signUp();
  const cookies = headers.getSetCookie();
  expect(cookies.length).toBeGreaterThan(0);
  for (const cookie of cookies)
    expect(cookie).toMatch(/^__Host-parcel\.(?!.*; Domain)(?=.*; Secure).*; Path=\/;.*HttpOnly;.* SameSite=Lax/);
});

describe('a new AUTH_SECRET', () => {
  const [old, current] = ['an old secret of thirty-two letters', 'a new secret of thirty-two letters!'];

  it('signs nobody out while the previous one is known, and everybody once it is forgotten', async () => {
    const before = await startApp({ AUTH_SECRET: old });
    const visitor = await before.signUp();
    const rotated = await startApp({ AUTH_SECRET: current, AUTH_SECRET_PREVIOUS: old }, before);
    await before.close();
    await addJob(rotated.database.pool, 'sign-checkpoint', {});
    const keys = async () => (await before.db.query(`select from log_place where subject like 'key %'`)).length;
    await eventually('the new secret has signed', async () => (await keys()) === 2);
    const forgotten = await startApp({ AUTH_SECRET: current }, before);
    expect(await visitor.at(rotated.url).isSignedIn()).toBe(true);
    expect(await visitor.at(forgotten.url).isSignedIn()).toBe(false);

    // A day later use renews the cookie, under the new secret.
    await before.db.query(`update auth.session set "updatedAt" = now() - interval '25 hours' where "userId" = $1`, [visitor.id]);
    const renewed = visitor.at(rotated.url);
    await renewed.get('/api/me');
    expect(await renewed.at(forgotten.url).isSignedIn()).toBe(true);
    await Promise.all([rotated, forgotten].map((server) => server.close()));
  });

  it('is refused at the start unless the database was used with it or the previous one; a new log accepts one after the old one is lost', async () => {
    const first = await startApp({ AUTH_SECRET: old });
    const env = { DATABASE_URL: first.db.url, AUTH_SECRET: current, DATA_DIR: first.config.dataDir };
    const refused = await runService(env);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/cannot start: AUTH_SECRET is not .* checkpoint new-origin/) });
    expect(refused.stderr).not.toContain(current);
    const rolling = await startApp({ AUTH_SECRET: current, AUTH_SECRET_PREVIOUS: old }, first);
    const second = await startApp({ AUTH_SECRET: old }, first);
    await Promise.all([first, rolling, second].map((server) => server.close()));

    const { code, stderr } = await runCli(['checkpoint', 'new-origin', '--reason', 'the secret was lost'], env);
    expect([code, stderr]).toEqual([0, '']);
    await (await startApp({ AUTH_SECRET: current }, first)).close();
    await expect(startApp({ AUTH_SECRET: old, DATA_DIR: first.config.dataDir }, first)).rejects.toThrow('AUTH_SECRET is not');
  });
});
