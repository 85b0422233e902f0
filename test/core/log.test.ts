import { randomUUID } from 'node:crypto';
import Stripe from 'stripe';
import { type Answer, Caller } from '../harness/caller.js';
import { createTestDatabase, type TestDatabase } from '../harness/database.js';
import { eventually } from '../harness/eventually.js';
import { Mailbox } from '../harness/mailbox.js';
import { Person } from '../harness/person.js';
import { runWithoutRoomForLog, ServiceProcess } from '../harness/process.js';

const webhookSecret = 'whsec_of_the_tests';
const inBody = `in the body ${randomUUID()}`;

let db: TestDatabase;
let mailbox: Mailbox;
let service: ServiceProcess;
let person: Person;
let resetToken: string;
let apiToken: string;
const [taken, unknown] = ['taken@private.test', 'unknown@private.test'];
const info = 30;
const foreign = { origin: 'https://elsewhere.example' };

beforeAll(async () => {
  db = await createTestDatabase();
  mailbox = await Mailbox.open();
  service = await ServiceProcess.start({
    DATABASE_URL: db.url,
    AUTH_SECRET: 'a secret of the tests, long enough',
    SMTP_URL: mailbox.url,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    LOG_LEVEL: 'trace',
  });
  person = await Person.signUp(service.url);
  await person.post('/api/auth/request-password-reset', { body: { email: person.email } });
  const { link } = await mailbox.mailTo(person.email, /password/);
  resetToken = new URL(link).pathname.split('/').at(-1)!;
});

type Line = Record<string, unknown>;

/** The line with this message, once it has come. */
async function logged(message: string, requestId: string | null = null): Promise<Line> {
  const find = () =>
    service.said
      .split('\n')
      .filter((line) => line.includes(`"msg":"${message}"`))
      .map((line): Line => JSON.parse(line))
      .find((line) => requestId === null || line.requestId === requestId);
  await eventually(`the log says: ${message}`, async () => find() !== undefined);
  return find()!;
}

const idOf = ({ headers }: Answer): string => headers.get('x-request-id')!;

/** Whose statements wait for us. */
const waiting = 'select pid from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))';

/** The answer where a table is locked for longer than anybody waits. */
async function whileLocked(table: string, work: () => Promise<Answer>): Promise<Answer> {
  await db.query('begin');
  await db.query(`lock table ${table} in access exclusive mode`);
  let answer: Answer | undefined;
  const working = work().then((given) => (answer = given));
  await eventually(`an answer without ${table}`, async () => {
    await db.query(`select pg_cancel_backend(pid) from (${waiting}) waiting`);
    return answer !== undefined;
  });
  await db.query('rollback');
  return working;
}

describe('the log', () => {
  it('tells of a sign-in that failed as the database was slow, and not of whom', async () => {
    const answer = await whileLocked('auth.known_source', () => person.signIn());
    expect(answer.status).toBe(503);
    expect(await logged('a request failed', idOf(answer))).toMatchObject({
      path: '/api/auth/sign-in/email',
      error: { type: 'QueryFailedError', code: '57014', message: expect.stringContaining('canceling'), stack: expect.any(String) },
    });
  });

  it('tells of a delivery that was not stored, and not what was in it', async () => {
    const event = {
      id: 'evt_1',
      object: 'event',
      type: 'customer.updated',
      livemode: false,
      created: 1,
      data: { object: { name: inBody } },
    };
    const payload = JSON.stringify(event);
    const headers = { 'stripe-signature': Stripe.webhooks.generateTestHeaderString({ payload, secret: webhookSecret }) };
    const answer = await whileLocked('stripe_event', () => person.post('/api/stripe/webhook', { body: payload, headers }));
    expect(answer.status).toBe(503);
    expect(await logged('a request failed', idOf(answer))).toMatchObject({ path: '/api/stripe/webhook', error: { code: '57014' } });
  });

  it('tells of an address that somebody else took in the same moment, and not which', async () => {
    await db.query('begin');
    await db.query(`insert into auth."user" (id, name, email, "emailVerified", "updatedAt") values ('ada', 'Ada', $1, false, now())`, [
      taken,
    ]);
    const signingUp = Object.assign(new Person(service.url), { email: taken }).signUp();
    await eventually('the sign-up waits', async () => (await db.query(waiting)).length > 0);
    await db.query('commit');
    expect(await signingUp).toMatchObject({ status: 422, json: { code: 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL' } });
    const { level, error } = await logged('better-auth: Failed to create user');
    expect([level, error]).toEqual([info, expect.objectContaining({ code: '23505', constraint: 'user_email_unique' })]);
  });

  it('names the operation of a mailed link without what makes it work', async () => {
    const path = `/api/auth/reset-password/${resetToken}`;
    const shown = '/api/auth/reset-password/[redacted]';
    const failed = await whileLocked('auth.verification', () => person.get(path));
    expect(failed.status).toBe(503);
    expect(await logged('a request failed', idOf(failed))).toMatchObject({ method: 'GET', path: shown });
    const refused = await person.post(path, { body: {}, headers: foreign });
    expect(refused.status).toBe(403);
    expect(await logged('refused', idOf(refused))).toMatchObject({ method: 'POST', path: shown, code: 'forbidden_origin' });
    expect(await logged('authentication', idOf(refused))).toMatchObject({ operation: '/reset-password/[redacted]', status: 403 });
    expect((await person.get(path)).status).toBe(200);
  });

  it('tells why a mail was not sent, and not to whom', async () => {
    mailbox.trouble = `<${unknown}>: recipient unknown`;
    await person.post('/api/auth/request-password-reset', { body: { email: person.email } });
    expect(await logged('a job failed')).toMatchObject({
      task: 'send-mail',
      error: { responseCode: 450, message: expect.stringContaining('<[address]>: recipient unknown') },
    });
  });

  it('holds no API token, even if a caller sent one as an id', async () => {
    apiToken = await person.trialToken();
    const answer = await person.post(`/api/tokens/${apiToken}/revoke`, { headers: foreign });
    expect(answer.status).toBe(403);
    expect(await logged('refused', idOf(answer))).toMatchObject({ path: '/api/tokens/[redacted]/revoke' });
  });

  it('has in all of that no address, password, token or body', () => {
    const secrets = [person.email, taken, unknown, person.password, resetToken, apiToken, inBody];
    expect(secrets.filter((secret) => service.said.includes(secret))).toEqual([]);
  });

  it('holds up no server where no room is left for it, whatever is to be said', async () => {
    const preload = `data:text/javascript,process.on('SIGUSR2',()=>{throw new Error('of a test')})`;
    const env = { DATABASE_URL: db.url, AUTH_SECRET: 'a secret of the tests, long enough', NODE_OPTIONS: `--import=${encodeURI(preload)}` };
    const mute = await ServiceProcess.start(env, runWithoutRoomForLog);
    const refused = await new Caller(mute.url).get('/api/usage', { token: 'unknown' });
    expect(refused.status).toBe(401);
    expect((await mute.end('SIGUSR2')).code).toBe(1);
  });
});
