import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, stat } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { startApp, type TestApp } from '../harness/app.js';
import { createTestDatabase } from '../harness/database.js';
import { eventually } from '../harness/eventually.js';
import { Mailbox } from '../harness/mailbox.js';
import { Person } from '../harness/person.js';

const secret = 'a secret of the tests, long enough';
let app: TestApp;
let mailbox: Mailbox;
beforeAll(async () => {
  mailbox = await Mailbox.open();
  app = await startApp({ SMTP_URL: mailbox.url, TRUST_PROXY: 'loopback', AUTH_SECRET: secret });
});

/** Each from an address of their own, so that no limit meets them. */
let addresses = 0;
const stranger = (): Person => new Person(app.url, { 'x-forwarded-for': `198.51.100.${++addresses % 250}` });
const somebody = () => Person.signUp(app.url, stranger().headers);
const verified = async (): Promise<Person> => {
  const visitor = await somebody();
  await visitor.get((await mailbox.mailTo(visitor.email)).link);
  return visitor;
};
const userOf = async (visitor: Person) => (await visitor.get('/api/me')).json.user;
const tokenIn = (link: string): string => new URL(link).pathname.split('/').at(-1)!;
/** A link as the service makes them, made at another time. */
const linkOfAge = (ageSeconds: number, claims: object): string => {
  const issuedAt = Math.floor(Date.now() / 1000) - ageSeconds;
  const parts = [{ alg: 'HS256' }, { ...claims, iat: issuedAt, exp: issuedAt + 3600 }];
  const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `/api/auth/verify-email?token=${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
};

describe('the mail to verify an address', () => {
  it('comes with the sign-up, as text and HTML for people', async () => {
    const visitor = await somebody();
    const mail = await mailbox.mailTo(visitor.email);
    expect(mail.subject).toBe('Confirm your e-mail address');
    expect(mail.source).toMatch(/Content-Type: text\/plain/);
    expect(mail.source).toMatch(/Content-Type: text\/html/);
    expect(mail.source).toContain(`Hello ${visitor.name},`);
    expect(mail.link).toContain(`${app.config.baseUrl}/api/auth/verify-email?token=`);
  });

  it('verifies by its link, which leads on to a page', async () => {
    const visitor = await somebody();
    const { link } = await mailbox.mailTo(visitor.email);
    expect((await userOf(visitor)).email_verified).toBe(false);
    const reply = await stranger().get(link);
    expect([reply.status, reply.headers.get('location')]).toEqual([302, '/verify-email']);
    expect((await userOf(visitor)).email_verified).toBe(true);
  });

  it('signs nobody in, not even by its link opened again', async () => {
    const visitor = await somebody();
    const { link } = await mailbox.mailTo(visitor.email);
    for (const finder of [stranger(), stranger()]) {
      await finder.get(link);
      expect(await finder.isSignedIn()).toBe(false);
    }
  });

  it('verifies no other account, nor by a link that is forged, expired or of somebody else', async () => {
    const [visitor, other] = [await somebody(), await somebody()];
    const claims = { email: visitor.email, userId: visitor.id };
    const { link } = await mailbox.mailTo(visitor.email);
    for (const bad of [
      linkOfAge(3700, claims),
      linkOfAge(3700, { email: visitor.email }),
      `${link.split('?')[0]}?token=${'x'.repeat(40)}`,
      link.replace(/\.[^.&]*&/, '.x&'),
    ]) {
      const reply = await other.get(bad);
      expect(reply.status === 401 || reply.headers.get('location')?.includes('error=')).toBe(true);
    }
    expect((await userOf(visitor)).email_verified).toBe(false);
    await visitor.get(link);
    expect((await userOf(other)).email_verified).toBe(false);
  });

  it('is good for an hour', async () => {
    const visitor = await somebody();
    await visitor.get(linkOfAge(3500, { email: visitor.email, userId: visitor.id }));
    expect((await userOf(visitor)).email_verified).toBe(true);
  });

  it('can be asked for again, by the person or without a session', async () => {
    const visitor = await somebody();
    const first = await mailbox.mailTo(visitor.email);
    expect((await visitor.post('/api/auth/send-verification-email', { body: { email: visitor.email } })).status).toBe(200);
    expect((await mailbox.mailTo(visitor.email)).link).toContain(first.link.split('?')[0]);
    expect((await stranger().post('/api/auth/send-verification-email', { body: { email: visitor.email } })).status).toBe(200);
    await mailbox.mailTo(visitor.email);
  });

  it('leads to no page of another site', async () => {
    const visitor = await somebody();
    for (const callbackURL of ['https://evil.example/', '//evil.example/', '/\\evil.example', 'javascript:alert(1)']) {
      const reply = await visitor.post('/api/auth/send-verification-email', { body: { email: visitor.email, callbackURL } });
      expect(reply.status).toBe(403);
    }
  });

  it('greets nobody with markup', async () => {
    const visitor = stranger();
    visitor.name = '<img src=x onerror=alert(1)>';
    await visitor.signUp();
    const { source } = await mailbox.mailTo(visitor.email);
    const html = source.slice(source.indexOf('text/html'));
    expect(html).toContain('&lt;img');
    expect(html).not.toContain('<img');
  });
});

describe('a forgotten password', () => {
  const ask = (visitor: Person, more: object = {}) =>
    visitor.post('/api/auth/request-password-reset', { body: { email: visitor.email, ...more } });
  const linkFor = async (visitor: Person) => {
    expect((await ask(visitor)).status).toBe(200);
    return (await mailbox.mailTo(visitor.email, /new password/)).link;
  };

  it('is replaced by the link in the mail, once, and every session ends', async () => {
    const visitor = await somebody();
    const link = await linkFor(visitor);
    const page = await stranger().get(link);
    expect(page.headers.get('location')).toBe(`${app.config.baseUrl}/reset-password?token=${tokenIn(link)}`);
    const reset = { token: tokenIn(link), newPassword: 'a better password' };
    expect((await stranger().post('/api/auth/reset-password', { body: reset })).status).toBe(200);
    expect(await visitor.isSignedIn()).toBe(false);
    expect((await visitor.signIn()).status).toBe(401);
    expect((await visitor.signIn('a better password')).status).toBe(200);
    expect((await stranger().post('/api/auth/reset-password', { body: { ...reset, newPassword: 'a third password' } })).status).toBe(400);
    expect((await stranger().get(link)).headers.get('location')).toContain('error=INVALID_TOKEN');
  });

  it('is replaced once by a link that is used ten times at once', async () => {
    const visitor = await somebody();
    const token = tokenIn(await linkFor(visitor));
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        stranger().post('/api/auth/reset-password', { body: { token, newPassword: `password ${index}` } }),
      ),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('stays when the link is older than an hour', async () => {
    const visitor = await somebody();
    const token = tokenIn(await linkFor(visitor));
    await app.db.query(`update auth.verification set "expiresAt" = now() - interval '1 second' where identifier = $1`, [
      `reset-password:${token}`,
    ]);
    expect((await stranger().post('/api/auth/reset-password', { body: { token, newPassword: 'a better password' } })).status).toBe(400);
    expect((await visitor.signIn()).status).toBe(200);
  });

  it('is asked for alike with and without an account', async () => {
    const known = await ask(await somebody());
    const unknown = await ask(stranger());
    expect(unknown).toMatchObject({ status: known.status, json: known.json });
  });

  it('leads to no page of another site', async () => {
    expect((await ask(await somebody(), { redirectTo: 'https://evil.example/' })).status).toBe(403);
  });

  it('takes an account back from whoever signed up with the address of somebody else', async () => {
    const squatter = await somebody();
    await app.db.query(`update auth.account set "updatedAt" = now() - interval '1 hour' where "userId" = $1`, [squatter.id]);
    const wayBack = linkOfAge(60, {
      email: squatter.email,
      updateTo: `squatter-${squatter.email}`,
      requestType: 'change-email-verification',
      userId: squatter.id,
    });
    const trial = await squatter.post('/api/tokens/trial');
    const token = tokenIn(await linkFor(squatter));
    await stranger().post('/api/auth/reset-password', { body: { token, newPassword: 'the owner is here' } });
    expect(await squatter.isSignedIn()).toBe(false);
    expect((await squatter.get('/api/usage', { token: trial.json.raw_token })).json.error).toBe('revoked');
    await squatter.get(wayBack);
    const owner = squatter.elsewhere();
    expect((await owner.signIn('the owner is here')).status).toBe(200);
    expect(await userOf(owner)).toMatchObject({ email: squatter.email, email_verified: true });
  });
});

describe('a change of e-mail address', () => {
  const change = (visitor: Person, newEmail: string) => visitor.post('/api/auth/change-email', { body: { newEmail } });

  it('of an address never verified is made by the link sent to the new one, and ends other sessions', async () => {
    const visitor = await somebody();
    const phone = visitor.elsewhere();
    await phone.signIn();
    const newEmail = `new-${visitor.email}`;
    expect((await change(visitor, newEmail)).status).toBe(200);
    expect((await userOf(visitor)).email).toBe(visitor.email);
    await visitor.get((await mailbox.mailTo(newEmail)).link);
    expect(await userOf(visitor)).toMatchObject({ email: newEmail, email_verified: true });
    expect(await phone.isSignedIn()).toBe(false);
  });

  it('of a verified address is confirmed there first', async () => {
    const visitor = await verified();
    const newEmail = `new-${visitor.email}`;
    await change(visitor, newEmail);
    const confirmation = await mailbox.mailTo(visitor.email, /new e-mail/);
    expect(confirmation.source).toContain(newEmail);
    await visitor.get(confirmation.link);
    expect((await userOf(visitor)).email).toBe(visitor.email);
    await visitor.get((await mailbox.mailTo(newEmail)).link);
    expect(await userOf(visitor)).toMatchObject({ email: newEmail, email_verified: true });
  });

  it('is not used up by who only looks at its link', async () => {
    const visitor = await somebody();
    const newEmail = `new-${visitor.email}`;
    await change(visitor, newEmail);
    const { link } = await mailbox.mailTo(newEmail);
    expect((await stranger().call('HEAD', link)).status).toBe(404);
    await visitor.get(link);
    expect((await userOf(visitor)).email).toBe(newEmail);
  });

  it('is made once by its link, though the old address came back', async () => {
    const visitor = await somebody();
    const newEmail = `new-${visitor.email}`;
    await change(visitor, newEmail);
    const { link } = await mailbox.mailTo(newEmail);
    await visitor.get(link);
    await app.db.query(`update auth."user" set email = $2 where id = $1`, [visitor.id, visitor.email]);
    expect((await visitor.get(link)).headers.get('location')).toContain('error=INVALID_TOKEN');
    expect((await userOf(visitor)).email).toBe(visitor.email);
  });

  it('tells nothing of whether the new address is taken', async () => {
    const [visitor, other] = [await somebody(), await somebody()];
    const free = await change(visitor, `free-${visitor.email}`);
    const taken = await change(visitor, other.email);
    expect(taken).toMatchObject({ status: free.status, json: free.json });
    expect((await userOf(visitor)).email).toBe(visitor.email);
  });

  it('cannot be made to another account by its link', async () => {
    const [visitor, other] = [await somebody(), await somebody()];
    const newEmail = `new-${visitor.email}`;
    await change(visitor, newEmail);
    await other.get((await mailbox.mailTo(newEmail)).link);
    expect((await userOf(other)).email).toBe(other.email);
  });
});

describe('a mail server in trouble', () => {
  it('fails no sign-up, loses no mail, and the next try delivers it', async () => {
    mailbox.trouble = '451 try again later';
    const visitor = stranger();
    const before = mailbox.refusals;
    expect((await visitor.signUp()).status).toBe(200);
    await mailbox.until(() => mailbox.refusals > before);
    mailbox.trouble = null;
    // Another server takes over what is due, as the same one would after a restart.
    await app.db.query(`update graphile_worker._private_jobs set run_at = now() where locked_at is null`);
    const other = await startApp({ SMTP_URL: mailbox.url, AUTH_SECRET: secret }, app);
    const { link } = await mailbox.mailTo(visitor.email);
    await visitor.get(link);
    expect((await userOf(visitor)).email_verified).toBe(true);
    await other.close();
  });

  it('holds up no server that stops, and the mail waits for the next one', async () => {
    // It takes the connection, and says nothing.
    const silent = createServer().listen(0, '127.0.0.1');
    const asked = once(silent, 'connection');
    const db = await createTestDatabase();
    const url = `smtp://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const server = await startApp({ SMTP_URL: url }, { db } as TestApp);
    await server.signUp();
    const [connection] = (await asked) as [Socket];
    const isCut = once(connection.resume(), 'close');
    const before = performance.now();
    await server.close();
    expect(performance.now() - before).toBeLessThan(5_000);
    await isCut;
    const jobs = await db.query(`select attempts, locked_at from graphile_worker.jobs where task_identifier = 'send-mail'`);
    expect(jobs).toEqual([{ attempts: 0, locked_at: null }]);
    await db.drop();
    silent.close();
  });

  it('sends each mail once, however many servers there are', async () => {
    const others = await Promise.all([1, 2].map(() => startApp({ SMTP_URL: mailbox.url, AUTH_SECRET: secret }, app)));
    const people = await Promise.all(Array.from({ length: 20 }, somebody));
    await Promise.all(people.map(({ email }) => mailbox.mailTo(email)));
    await Promise.all(others.map((other) => other.close()));
    const toThem = mailbox.received.filter(({ to }) => people.some(({ email }) => email === to));
    expect(toThem).toHaveLength(20);
  });
});

describe('without a mail server', () => {
  it('mails are files that only their owner can read', async () => {
    const alone = await startApp();
    const outbox = join(alone.config.dataDir, 'outbox');
    const visitor = new Person(alone.url);
    await visitor.signUp();
    const mails = async () => (await readdir(outbox).catch(() => [])).filter((name) => name.endsWith('.eml'));
    await eventually('the mail is written', async () => (await mails()).length > 0);
    const file = join(outbox, (await mails())[0]!);
    expect(await readFile(file, 'utf8')).toContain(`To: ${visitor.email}`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await alone.close();
  });
});

describe('with REQUIRE_VERIFIED_EMAIL', () => {
  let strict: TestApp;
  beforeAll(async () => {
    strict = await startApp({ SMTP_URL: mailbox.url, REQUIRE_VERIFIED_EMAIL: 'true' });
  });

  it('a trial needs a verified address', async () => {
    const visitor = new Person(strict.url);
    await visitor.signUp();
    expect((await visitor.signIn()).status).toBe(200);
    expect(await visitor.post('/api/tokens/trial')).toMatchObject({ status: 403, json: { error: 'email_unverified' } });
    await visitor.get((await mailbox.mailTo(visitor.email)).link);
    expect((await visitor.post('/api/tokens/trial')).status).toBe(201);
  });

  it('a sign-up tells nothing of whether the address is taken; its owner is told', async () => {
    const owner = new Person(strict.url);
    const first = await owner.signUp();
    const again = await owner.elsewhere().signUp();
    const shape = ({ status, json, headers }: typeof first) => ({
      status,
      keys: Object.keys(json.user).sort(),
      email: json.user.email,
      cookies: headers.getSetCookie().map((cookie) => cookie.split('=')[0]),
    });
    expect(shape(again)).toEqual(shape(first));
    expect((await mailbox.mailTo(owner.email, /already/)).source).toContain('You already have an account');
  });
});
