import { startApp, type TestApp } from '../harness/app.js';
import { Authenticator } from '../harness/authenticator.js';
import { contract } from '../harness/contract.js';
import { Person } from '../harness/person.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

const somebody = () => app.signUp();
const device = () => new Authenticator(app.config.baseUrl);
const registerOptions = async (visitor: Person) => (await visitor.get('/api/auth/passkey/generate-register-options')).json;
const signInOptions = async (visitor: Person) => (await visitor.get('/api/auth/passkey/generate-authenticate-options')).json;
const register = async (visitor: Person, authenticator: Authenticator, name = 'My phone') =>
  visitor.post('/api/auth/passkey/verify-registration', {
    body: { response: authenticator.register(await registerOptions(visitor)), name },
  });
/** An account with a passkey, and the same person at another device. */
const withPasskey = async () => {
  const [visitor, authenticator] = [await somebody(), device()];
  await register(visitor, authenticator);
  return { visitor, authenticator, later: visitor.elsewhere() };
};
const present = (visitor: Person, response: object) => visitor.post('/api/auth/passkey/verify-authentication', { body: { response } });
const signInBy = async (authenticator: Authenticator, visitor: Person, twist = {}) =>
  present(visitor, authenticator.signIn(await signInOptions(visitor), twist));
const listOf = async (visitor: Person) => (await visitor.get('/api/auth/passkey/list-user-passkeys')).json;

describe('a passkey', () => {
  it('is registered with a session, and signs its owner in without a password, which ends the session that came along', async () => {
    const [visitor, authenticator] = [await somebody(), device()];
    expect((await new Person(app.url).get('/api/auth/passkey/generate-register-options')).status).toBe(401);
    expect(await register(visitor, authenticator)).toMatchObject({ status: 200, json: { name: 'My phone', userId: visitor.id } });
    const later = visitor.elsewhere();
    const reply = await signInBy(authenticator, later);
    expect(reply).toMatchObject({ status: 200, json: { user: { id: visitor.id } } });
    expect((await later.get('/api/me')).json.user.id).toBe(visitor.id);
    expect(JSON.stringify(reply.json)).not.toContain(later.sessionToken);
    const before = later.copy();
    await signInBy(authenticator, later);
    expect([await later.isSignedIn(), await before.isSignedIn()]).toEqual([true, false]);
  });

  it('is renamed and removed by its owner, and is worth nothing then', async () => {
    const [visitor, authenticator] = [await somebody(), device()];
    const { id } = (await register(visitor, authenticator)).json;
    expect((await visitor.post('/api/auth/passkey/update-passkey', { body: { id, name: 'Old phone' } })).status).toBe(200);
    expect(await listOf(visitor)).toMatchObject([{ id, name: 'Old phone' }]);
    expect((await visitor.post('/api/auth/passkey/delete-passkey', { body: { id } })).status).toBe(200);
    expect(await listOf(visitor)).toEqual([]);
    const later = visitor.elsewhere();
    expect((await signInBy(authenticator, later)).status).toBe(401);
  });

  it('of somebody else can be neither renamed nor removed nor listed (GHSA-4vcf-q4xf-f48m)', async () => {
    const [owner, stranger] = [await somebody(), await somebody()];
    const { id } = (await register(owner, device())).json;
    for (const [operation, more] of [
      ['update-passkey', { name: 'Mine' }],
      ['delete-passkey', {}],
    ] as const) {
      const ask = (id: string) => stranger.post(`/api/auth/passkey/${operation}`, { body: { id, ...more } });
      const [foreign, unknown] = [await ask(id), await ask('nobody has this')];
      const { request_id: _, ...body } = unknown.json;
      expect([unknown.status, foreign.status, foreign.json]).toEqual([404, 404, expect.objectContaining(body)]);
    }
    expect(await listOf(stranger)).toEqual([]);
    expect(await listOf(owner)).toMatchObject([{ id, name: 'My phone' }]);
  });

  it.each([
    ['renamed', 'update-passkey', { name: 'Mine' }],
    ['removed', 'delete-passkey', {}],
  ])('that does not exist cannot be %s', async (_, operation, fields) => {
    const visitor = await somebody();
    const answer = await visitor.post(`/api/auth/passkey/${operation}`, { body: { id: 'nowhere', ...fields } });
    expect(answer).toMatchObject({ status: 404, json: { error: 'passkey_not_found' } });
  });

  it('opens one account only', async () => {
    const [owner, thief, authenticator] = [await somebody(), await somebody(), device()];
    await register(owner, authenticator);
    expect((await register(thief, authenticator)).status).toBe(400);
    expect(await listOf(thief)).toEqual([]);
  });
});

const twists: [string, object][] = [
  ['made on another site', { origin: 'https://evil.example' }],
  ['made for another site', { rpId: 'evil.example' }],
  ['whose user the device did not verify', { isVerified: false }],
  ['of another challenge', { challenge: Buffer.from('another challenge').toString('base64url') }],
];

describe('a registration', () => {
  it.each(twists)('%s is refused', async (_, twist) => {
    const visitor = await somebody();
    const response = device().register(await registerOptions(visitor), twist);
    expect((await visitor.post('/api/auth/passkey/verify-registration', { body: { response } })).status).toBe(400);
    expect(await listOf(visitor)).toEqual([]);
  });

  it('is taken once', async () => {
    const visitor = await somebody();
    const response = device().register(await registerOptions(visitor));
    const cookies = new Map(visitor.cookies);
    expect((await visitor.post('/api/auth/passkey/verify-registration', { body: { response } })).status).toBe(200);
    for (const [name, value] of cookies) visitor.cookies.set(name, value);
    expect((await visitor.post('/api/auth/passkey/verify-registration', { body: { response } })).status).toBe(400);
  });

  it('for one person is not taken for another', async () => {
    const [visitor, other] = [await somebody(), await somebody()];
    const response = device().register(await registerOptions(visitor));
    other.cookies.set('parcel.passkey_challenge', visitor.cookies.get('parcel.passkey_challenge')!);
    expect((await other.post('/api/auth/passkey/verify-registration', { body: { response } })).status).toBe(401);
    expect(await listOf(other)).toEqual([]);
  });
});

describe('a sign-in', () => {
  it.each([...twists, ['with a credential that nobody has', { credentialId: Buffer.from('nobody has this').toString('base64url') }]])(
    '%s is refused',
    async (_, twist) => {
      const { authenticator, later } = await withPasskey();
      const reply = await signInBy(authenticator, later, twist);
      expect([400, 401]).toContain(reply.status);
      expect(await later.isSignedIn()).toBe(false);
    },
  );

  it.each([
    ['of somebody else', (other: Person) => other.id],
    ['of nobody', () => 'nobody'],
    ['cut short', (_: Person, own: Person) => own.id.slice(0, -1)],
  ])('with the user handle %s is refused like one with a wrong signature, and the same with its own is not', async (_, handleOf) => {
    const [visitor, other, authenticator] = [await somebody(), await somebody(), device()];
    await register(visitor, authenticator);
    const later = visitor.elsewhere();
    const userHandle = Buffer.from(handleOf(other, visitor)).toString('base64url');
    const refused = await signInBy(authenticator, later, { userHandle });
    const unsigned = await present(later, device().signIn(await signInOptions(later), { credentialId: authenticator.credentialId }));
    expect(await later.isSignedIn()).toBe(false);
    expect([refused.status, refused.json.error]).toEqual([401, 'authentication_failed']);
    expect([unsigned.status, unsigned.json.error]).toEqual([refused.status, refused.json.error]);
    expect((await signInBy(authenticator, later)).status).toBe(200);
  });

  it('without a user handle is taken, as of devices that keep none', async () => {
    const { authenticator, later } = await withPasskey();
    const { response, ...answer } = authenticator.signIn(await signInOptions(later));
    expect((await present(later, { ...answer, response: { ...response, userHandle: undefined } })).status).toBe(200);
  });

  it("signed by one's own device opens no other account", async () => {
    const [owner, thief, theirs, own] = [await somebody(), await somebody(), device(), device()];
    await register(owner, theirs);
    await register(thief, own);
    const later = thief.elsewhere();
    const reply = await signInBy(own, later, { credentialId: theirs.credentialId });
    expect([400, 401]).toContain(reply.status);
  });

  it('is taken once', async () => {
    const { authenticator, later } = await withPasskey();
    const response = authenticator.signIn(await signInOptions(later));
    const cookies = new Map(later.cookies);
    expect((await present(later, response)).status).toBe(200);
    const thief = Object.assign(new Person(app.url), { cookies });
    expect((await present(thief, response)).status).toBe(400);
  });

  it('is in time for five minutes after its challenge, as the contract says', async () => {
    const { visitor, authenticator } = await withPasskey();
    const answerLater = async (seconds: number) => {
      const later = visitor.elsewhere();
      const { headers, json } = await later.get('/api/auth/passkey/generate-authenticate-options');
      expect(headers.getSetCookie()).toEqual([expect.stringMatching(/^parcel\.passkey_challenge=[^;]+; Max-Age=300;/)]);
      await app.db.query(`update auth.verification set "expiresAt" = "expiresAt" - make_interval(secs => $1)`, [seconds]);
      return (await present(later, authenticator.signIn(json))).status;
    };
    expect([await answerLater(240), await answerLater(300)]).toEqual([200, 400]);
    const { responses } = contract.paths['/api/auth/passkey/generate-authenticate-options']!.get!;
    expect(responses['200']).toMatchObject({ description: expect.stringContaining('five minutes') });
  });

  it('is no registration, and a registration no sign-in', async () => {
    const { visitor, authenticator } = await withPasskey();
    const options = await registerOptions(visitor);
    const reply = await present(visitor, authenticator.signIn({ ...options, rpId: options.rp.id }));
    expect(reply.status).toBe(400);
  });

  it('by a device whose counter went back, as a copy does, is refused', async () => {
    const { visitor, authenticator, later } = await withPasskey();
    await signInBy(authenticator, later);
    await app.db.query(`update auth.passkey set counter = 10 where "userId" = $1`, [visitor.id]);
    expect((await signInBy(authenticator, later)).status).toBe(400);
  });

  it('to a banned account is refused', async () => {
    const { visitor, authenticator, later } = await withPasskey();
    await app.db.query(`update auth."user" set banned = true where id = $1`, [visitor.id]);
    expect((await signInBy(authenticator, later)).status).toBe(403);
    expect(await later.isSignedIn()).toBe(false);
  });
});
