import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { projectFile } from '../../src/core/project-files.js';
import { startApp, type TestApp } from '../harness/app.js';
import { Authenticator } from '../harness/authenticator.js';
import { refusalOf } from '../harness/caller.js';
import { runCommand } from '../harness/command.js';
import { createTestDatabase } from '../harness/database.js';
import { eventually } from '../harness/eventually.js';
import { Mailbox } from '../harness/mailbox.js';
import { Person } from '../harness/person.js';
import { rawRequest } from '../harness/raw-request.js';
import { words } from '../harness/words.js';

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
const verify = async (visitor: Person): Promise<Person> => {
  await visitor.get((await mailbox.mailTo(visitor.email)).link);
  return visitor;
};
const verified = async (): Promise<Person> => verify(await somebody());
const userOf = async (visitor: Person) => (await visitor.get('/api/me')).json.user;
const tokenIn = (link: string): string => new URL(link).pathname.split('/').at(-1)!;
/** A link with the token that better-auth made, which the mail does not show. */
const unwrapped = async (visitor: Person): Promise<string> => {
  const token = await app.db.value('select auth_token from auth.mailed_link where user_id = $1', [visitor.id]);
  return `/api/auth/verify-email?token=${token}`;
};
/** The same link as others may write it. */
const spellingsOf = (link: string): string[] => {
  const { origin, pathname, searchParams } = new URL(link);
  const token = searchParams.get('token')!;
  const encoded = [...token].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('');
  return [token, encoded, encoded.toUpperCase(), `${token}%20`, `${token}=`, `${token}&token=${token}`, `x&token=${token}`].map(
    (spelled) => `${origin}${pathname}?token=${spelled}&callbackURL=/verify-email`,
  );
};
const addPasskey = async (visitor: Person, name: string, { config } = app): Promise<Authenticator> => {
  const device = new Authenticator(config.baseUrl);
  const response = device.register((await visitor.get('/api/auth/passkey/generate-register-options')).json);
  expect((await visitor.post('/api/auth/passkey/verify-registration', { body: { response, name } })).status).toBe(200);
  return device;
};
const signInBy = async (device: Authenticator, visitor: Person) => {
  const response = device.signIn((await visitor.get('/api/auth/passkey/generate-authenticate-options')).json);
  return visitor.post('/api/auth/passkey/verify-authentication', { body: { response } });
};
const isRevoked = async (token: string): Promise<boolean> => (await app.get('/api/usage', { token })).json.error === 'revoked';

describe('the mail to verify an address', () => {
  const unverified = async () => {
    const visitor = await somebody();
    return { visitor, link: (await mailbox.mailTo(visitor.email)).link };
  };

  it('is sent on sign-up as text and HTML, and its link verifies the address and leads on to a page', async () => {
    const visitor = await somebody();
    const mail = await mailbox.mailTo(visitor.email);
    expect(mail.subject).toBe('Confirm your email address');
    expect(mail.source).toMatch(/Content-Type: text\/plain/);
    expect(mail.source).toMatch(/Content-Type: text\/html/);
    expect(mail.source).toContain(`Hello ${visitor.name},`);
    expect(mail.link).toContain(`${app.config.baseUrl}/api/auth/verify-email?token=`);
    expect((await userOf(visitor)).email_verified).toBe(false);
    const reply = await visitor.get(mail.link);
    expect([reply.status, reply.headers.get('location')]).toEqual([302, '/console/verify-email?by=link']);
    expect((await userOf(visitor)).email_verified).toBe(true);
  });

  it('signs nobody in, not even when its link is opened again (better-auth#9479)', async () => {
    const { visitor, link } = await unverified();
    await visitor.post('/api/auth/sign-out', { body: {} });
    for (const finder of [visitor, stranger()]) {
      await finder.get(link);
      expect(await finder.isSignedIn()).toBe(false);
    }
  });

  it('verifies no other account, and not through a forged or unwrapped link', async () => {
    const [{ visitor, link }, other] = [await unverified(), await somebody()];
    for (const bad of [await unwrapped(visitor), `${link.split('?')[0]}?token=${'x'.repeat(32)}`, link.replace(/.&/, '&')]) {
      const reply = await other.get(bad);
      expect(reply.status === 401 || reply.headers.get('location')?.includes('error=')).toBe(true);
    }
    expect((await userOf(visitor)).email_verified).toBe(false);
    await visitor.get(link);
    expect((await userOf(other)).email_verified).toBe(false);
  });

  it('is valid for an hour', async () => {
    const { visitor, link } = await unverified();
    const isHour = `expires_at - service_now() between interval '59 minutes' and interval '60 minutes'`;
    expect(await app.db.value(`select ${isHour} from auth.mailed_link where user_id = $1`, [visitor.id])).toBe(true);
    await app.db.query(`update auth.mailed_link set expires_at = service_now() where user_id = $1`, [visitor.id]);
    expect((await visitor.get(link)).headers.get('location')).toContain('error=');
    expect((await userOf(visitor)).email_verified).toBe(false);
  });

  it('works once, however its link is spelled', async () => {
    const { visitor, link } = await unverified();
    await visitor.get(link);
    await app.db.query(`update auth."user" set "emailVerified" = false where id = $1`, [visitor.id]);
    for (const spelled of spellingsOf(link)) await stranger().get(spelled);
    expect((await userOf(visitor)).email_verified).toBe(false);
  });

  describe('opened without a session, for an account that already has passkeys, tokens or sessions,', () => {
    /** Somebody signs up with the address of another person, who opens the link. */
    const squatted = async () => {
      const squatter = await somebody();
      const [device, raw] = [await addPasskey(squatter, 'Not mine'), await squatter.trialToken()];
      const { link } = await mailbox.mailTo(squatter.email);
      const token = new URL(link).searchParams.get('token')!;
      const confirm = (choices: object) => stranger().post('/api/auth/verify-email', { body: { token, ...choices } });
      return { squatter, device, raw, link, token, confirm };
    };
    const none = { keepPasskeys: [], keepTokens: [], keepSessions: [] };

    it('asks first which of them to keep, and stays valid until that is answered', async () => {
      const { squatter, link, token, confirm } = await squatted();
      for (let click = 1; click <= 2; click++) {
        const { status, headers } = await stranger().get(link);
        expect([status, headers.get('location')]).toEqual([
          302,
          `/console/verify-email?token=${token}&return=${encodeURIComponent('/console/verify-email?by=link')}`,
        ]);
      }
      const { status, json } = await confirm({});
      expect([status, json]).toEqual([
        409,
        {
          error: 'choice_needed',
          code: 'CHOICE_NEEDED',
          message: expect.stringContaining('Name those to keep'),
          request_id: expect.any(String),
          email: squatter.email,
          mayReset: true,
          passkeys: [{ id: expect.any(String), name: 'Not mine', createdAt: expect.any(String) }],
          tokens: [{ id: expect.any(String), name: 'Trial', plan: 'trial', issuedAt: expect.any(String), lastUsedAt: null }],
          sessions: [
            { id: expect.any(String), ipAddress: expect.any(String), userAgent: expect.any(String), createdAt: expect.any(String) },
          ],
        },
      ]);
      expect((await userOf(squatter)).email_verified).toBe(false);
    });

    it('verifies the address and removes all that its owner does not keep', async () => {
      const { squatter, device, raw, confirm } = await squatted();
      expect(await confirm(none)).toMatchObject({ status: 200, json: { status: true } });
      expect(await squatter.isSignedIn()).toBe(false);
      expect((await signInBy(device, squatter.elsewhere())).status).toBe(401);
      expect(await isRevoked(raw)).toBe(true);
      await squatter.signIn();
      expect((await userOf(squatter)).email_verified).toBe(true);
    });

    it('keeps what its owner names', async () => {
      const { squatter, device, raw, confirm } = await squatted();
      const { passkeys, tokens, sessions } = (await confirm({})).json;
      const keep = (kept: { id: string }[]) => kept.map(({ id }) => id);
      await confirm({ keepPasskeys: keep(passkeys), keepTokens: keep(tokens), keepSessions: keep(sessions) });
      expect(await userOf(squatter)).toMatchObject({ email_verified: true });
      expect((await signInBy(device, squatter.elsewhere())).status).toBe(200);
      expect(await isRevoked(raw)).toBe(false);
    });

    it('does so for one of ten clicks at the same moment: a later one removes nothing', async () => {
      const { squatter, link, confirm } = await squatted();
      const answers = await Promise.all(Array.from({ length: 10 }, () => confirm(none)));
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(401)]);
      await squatter.signIn();
      const raw = await squatter.trialToken();
      expect((await stranger().get(link)).headers.get('location')).toBe('/console/verify-email?by=link&error=INVALID_TOKEN');
      expect((await confirm(none)).status).toBe(401);
      expect(await isRevoked(raw)).toBe(false);
      expect(await squatter.isSignedIn()).toBe(true);
    });

    it('lets an owner who did not sign up set a password of their own, which removes everything else', async () => {
      const { squatter, device, raw, confirm } = await squatted();
      const { resetToken: token } = (await confirm({ reset: true })).json;
      expect((await userOf(squatter)).email_verified).toBe(false);
      expect((await stranger().get(`/api/auth/reset-password/${token}`)).json.tokens).toHaveLength(1);
      expect((await stranger().post('/api/auth/reset-password', { body: { token, newPassword: 'the owner is here' } })).status).toBe(200);
      expect([await squatter.isSignedIn(), await isRevoked(raw)]).toEqual([false, true]);
      expect((await signInBy(device, squatter.elsewhere())).status).toBe(401);
      expect((await squatter.signIn()).status).toBe(401);
      const owner = squatter.elsewhere();
      await owner.signIn('the owner is here');
      expect((await userOf(owner)).email_verified).toBe(true);
      expect((await confirm({ reset: true })).status).toBe(401);
    });

    it('asks nothing when somebody signed in to the account opens it', async () => {
      const { squatter, device, link } = await squatted();
      expect((await squatter.get(link)).headers.get('location')).toBe('/console/verify-email?by=link');
      expect((await userOf(squatter)).email_verified).toBe(true);
      expect((await signInBy(device, squatter.elsewhere())).status).toBe(200);
    });
  });

  it('can be asked for again with a session, without one, or with the cookie of an ended one, which is removed', async () => {
    const visitor = await somebody();
    const first = await mailbox.mailTo(visitor.email);
    expect((await visitor.post('/api/auth/send-verification-email', { body: { email: visitor.email } })).status).toBe(200);
    expect((await mailbox.mailTo(visitor.email)).link).toContain(first.link.split('?')[0]);
    expect((await stranger().post('/api/auth/send-verification-email', { body: { email: visitor.email } })).status).toBe(200);
    await mailbox.mailTo(visitor.email);
    const tab = visitor.copy();
    await visitor.post('/api/auth/sign-out', { body: {} });
    const { status, headers } = await tab.post('/api/auth/send-verification-email', { body: { email: visitor.email } });
    expect([status, headers.getSetCookie()]).toEqual([200, expect.arrayContaining([expect.stringMatching(/^parcel\.session_token=;/)])]);
  });

  it.each(['<img src=x onerror=alert(1)>', 'Ada, you won: https://evil.example', 'www.evil.example', 'Ada '.repeat(20)])(
    'never greets anybody as %p',
    async (name) => {
      const visitor = stranger();
      visitor.name = name;
      await visitor.signUp();
      const { source } = await mailbox.mailTo(visitor.email);
      expect(source).toContain('Hello there,');
      expect(source).not.toContain(name);
      expect(source).not.toContain('evil.example');
    },
  );
});

describe('a forgotten password', () => {
  const reset = (token: string, newPassword = 'a better password', more: object = {}) =>
    stranger().post('/api/auth/reset-password', { body: { token, newPassword, ...more } });
  const ask = (visitor: Person, more: object = {}) =>
    visitor.post('/api/auth/request-password-reset', { body: { email: visitor.email, ...more } });
  const linkFor = async (visitor: Person) => {
    expect((await ask(visitor)).status).toBe(200);
    return (await mailbox.mailTo(visitor.email, /new password/)).link;
  };

  it('is replaced through the mailed link by one of ten tries at the same moment, and every session ends', async () => {
    const visitor = await somebody();
    const link = await linkFor(visitor);
    const page = await stranger().get(link);
    expect(page.headers.get('location')).toBe(`${app.config.baseUrl}/console/reset-password?token=${tokenIn(link)}`);
    const replies = await Promise.all(Array.from({ length: 10 }, () => reset(tokenIn(link))));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(400)]);
    expect(await visitor.isSignedIn()).toBe(false);
    expect((await visitor.signIn()).status).toBe(401);
    expect((await visitor.signIn('a better password')).status).toBe(200);
    expect((await reset(tokenIn(link), 'a third password')).status).toBe(400);
    expect((await stranger().get(link)).headers.get('location')).toContain('error=INVALID_TOKEN');
  });

  /** Does something of an account while its row, or another of its rows, is held, so that it has begun but is not done when the second thing is asked for. */
  async function whileUnderWay<T, U>(
    visitor: Person,
    first: () => Promise<T>,
    second: () => Promise<U>,
    rows = 'auth."user" where id',
  ): Promise<[T, U]> {
    const { release } = await app.db.hold(`select from ${rows} = $1 for update`, [visitor.id]);
    const begun = first();
    await eventually('the first waits', async () => (await app.db.countWaiting()) === 1);
    let isDone = false;
    const later = second().finally(() => (isDone = true));
    await eventually('the second is done, or waits, too', async () => isDone || (await app.db.countWaiting()) === 2);
    await release();
    return Promise.all([begun, later]);
  }

  it.each([
    ['replaced', (_visitor: Person, token: string, newPassword: string) => reset(token, newPassword)],
    [
      'changed',
      (visitor: Person, _token: string, newPassword: string) =>
        visitor.post('/api/auth/change-password', { body: { currentPassword: visitor.password, newPassword } }),
    ],
  ])('opens nothing once it is %s, not even through a sign-in that was under way', async (_, change) => {
    const visitor = await verified();
    const [token, late] = [tokenIn(await linkFor(visitor)), visitor.elsewhere()];
    const answers = await whileUnderWay(
      visitor,
      () => late.signIn(),
      () => change(visitor, token, 'a better password'),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await late.isSignedIn()).toBe(false);
    expect((await late.signIn('a better password')).status).toBe(200);
  });

  describe('once replaced leaves an intruder nothing, not even what was under way:', () => {
    /** Begins something in the account of `thief`, and replaces the password meanwhile. */
    async function replaceDuring<T>(thief: Person, begin: () => Promise<T>): Promise<T> {
      const token = tokenIn(await linkFor(thief));
      const [begun, replaced] = await whileUnderWay(thief, begin, () => reset(token, 'the owner is here'));
      expect(replaced.status).toBe(200);
      return begun;
    }

    it('a sign-in by passkey', async () => {
      const thief = await verified();
      const [device, late] = [await addPasskey(thief, 'Not mine'), thief.elsewhere()];
      await replaceDuring(thief, () => signInBy(device, late));
      expect(await late.isSignedIn()).toBe(false);
      expect((await signInBy(device, late)).status).toBe(401);
    });

    it('a new passkey', async () => {
      const thief = await verified();
      const device = new Authenticator(app.config.baseUrl);
      const response = device.register((await thief.get('/api/auth/passkey/generate-register-options')).json);
      await replaceDuring(thief, () => thief.post('/api/auth/passkey/verify-registration', { body: { response } }));
      expect((await signInBy(device, thief.elsewhere())).status).toBe(401);
    });

    it('a change of the address', async () => {
      const thief = await somebody();
      const theirs = `thief-${thief.email}`;
      await replaceDuring(thief, () => thief.post('/api/auth/change-email', { body: { newEmail: theirs } }));
      await stranger().get((await mailbox.mailTo(theirs)).link);
      const owner = thief.elsewhere();
      await owner.signIn('the owner is here');
      expect((await userOf(owner)).email).toBe(thief.email);
    });

    it('a new token', async () => {
      const thief = await verified();
      const { json } = await replaceDuring(thief, () => thief.post('/api/tokens/trial'));
      expect(await isRevoked(json.raw_token)).toBe(true);
    });

    it('a new token that is asked for while the old ones are revoked', async () => {
      const thief = await verified();
      await addPasskey(thief, 'Not mine');
      const token = tokenIn(await linkFor(thief));
      const issue = () => thief.post('/api/tokens/trial');
      const [replaced, issued] = await whileUnderWay(thief, () => reset(token), issue, 'auth.passkey where "userId"');
      expect([replaced.status, issued]).toMatchObject([200, { status: 401, json: { error: 'unauthenticated' } }]);
    });
  });

  it('of a banned account opens nothing once replaced, and revives no token that the ban revoked', async () => {
    const visitor = await verified();
    const [raw, link] = [await visitor.trialToken(), await linkFor(visitor)];
    const [{ id }] = (await visitor.get('/api/tokens')).json.tokens;
    const operator = await app.signUpOperator();
    const ban = () => operator.ask('mutation ($id: ID!) { changeAccount(id: $id, change: ban, reason: "why") { id } }', { id: visitor.id });
    const [, replaced] = await whileUnderWay(visitor, ban, () => reset(tokenIn(link), 'a better password', { keepTokens: [id] }));
    expect(replaced.status).toBe(200);
    expect((await visitor.signIn('a better password')).status).toBe(403);
    expect(await isRevoked(raw)).toBe(true);
  });

  it('cannot be replaced again through another open link, whoever asked for it', async () => {
    const visitor = await somebody();
    const [first, second] = [await linkFor(visitor), await linkFor(visitor)];
    expect((await reset(tokenIn(first))).status).toBe(200);
    expect((await reset(tokenIn(second))).status).toBe(400);

    const third = await linkFor(visitor);
    await visitor.signIn('a better password');
    const passwords = { currentPassword: 'a better password', newPassword: 'the best password' };
    expect((await visitor.post('/api/auth/change-password', { body: passwords })).status).toBe(200);
    expect((await reset(tokenIn(third))).status).toBe(400);
  });

  it('cannot be replaced by somebody who reads the database', async () => {
    const visitor = await somebody();
    const token = tokenIn(await linkFor(visitor));
    const rows = await app.db.query('select * from auth.verification where value = $1', [visitor.id]);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(token);
    const stored = (rows[0] as { identifier: string }).identifier;
    for (const guess of [stored, `reset-password:${stored}`]) expect((await reset(guess)).status).toBe(400);
  });

  /** An account with two passkeys and two tokens, and a link to a new password for it. */
  const furnished = async () => {
    const visitor = await verified();
    const devices = [await addPasskey(visitor, 'Mine'), await addPasskey(visitor, 'Not mine')] as const;
    const raws = [await visitor.trialToken(), await app.paidToken(visitor.id, 'Paid')];
    await app.get('/api/parcels?county_fips=25017&limit=1', { token: raws[0]! });
    const token = tokenIn(await linkFor(visitor));
    return { visitor, devices, raws, token, look: (await stranger().get(`/api/auth/reset-password/${token}`)).json };
  };

  it('is replaced together with all passkeys and tokens, which the link shows first and the answer names', async () => {
    const { visitor, devices, raws, token, look } = await furnished();
    const passkeys = ['Mine', 'Not mine'].map((name) => ({ id: expect.any(String), name, createdAt: expect.any(String) }));
    const tokens = ['paid', 'trial'].map((plan) => ({
      id: expect.any(String),
      name: plan === 'paid' ? 'Paid' : 'Trial',
      plan,
      issuedAt: expect.any(String),
      lastUsedAt: plan === 'paid' ? null : expect.any(String),
    }));
    expect(look).toEqual({ status: true, passkeys, tokens });
    expect((await reset(token)).json).toEqual({
      status: true,
      passkeys: [],
      tokens: [],
      removed: { passkeys: look.passkeys, tokens: look.tokens },
    });
    expect(await visitor.isSignedIn()).toBe(false);
    for (const device of devices) expect((await signInBy(device, visitor.elsewhere())).status).toBe(401);
    for (const raw of raws) expect(await isRevoked(raw)).toBe(true);
    expect((await stranger().get(`/api/auth/reset-password/${token}`)).status).toBe(404);
  });

  it('keeps the passkeys and tokens that its owner names, and none that were added after they looked', async () => {
    const { visitor, devices, raws, token, look } = await furnished();
    const late = await addPasskey(visitor, 'Late');
    const body = { keepPasskeys: [look.passkeys[0].id, 'none'], keepTokens: [look.tokens[0].id] };
    expect((await reset(token, 'a better password', body)).json).toMatchObject({ passkeys: [look.passkeys[0]], tokens: [look.tokens[0]] });
    expect(await visitor.isSignedIn()).toBe(false);
    expect((await signInBy(devices[0], visitor.elsewhere())).status).toBe(200);
    for (const device of [devices[1], late]) expect((await signInBy(device, visitor.elsewhere())).status).toBe(401);
    expect(await Promise.all(raws.map(isRevoked))).toEqual([true, false]);
  });

  it('stays, with passkeys and tokens, when the link is older than an hour, which then shows nothing', async () => {
    const { visitor, devices, token } = await furnished();
    await app.db.query(`update auth.verification set "expiresAt" = now() - interval '1 second' where value = $1`, [visitor.id]);
    expect((await stranger().get(`/api/auth/reset-password/${token}`)).status).toBe(404);
    expect((await reset(token)).status).toBe(400);
    expect((await signInBy(devices[0], visitor)).status).toBe(200);
    expect((await visitor.elsewhere().signIn()).status).toBe(200);
  });

  it('is replaced only by a token in the body, so that the choices beside it are never left out', async () => {
    const visitor = await verified();
    const token = tokenIn(await linkFor(visitor));
    const body = { token: '', newPassword: 'a better password', keepPasskeys: [] };
    expect((await stranger().post(`/api/auth/reset-password?token=${token}`, { body })).status).toBe(400);
    expect((await visitor.signIn()).status).toBe(200);
  });

  it('is asked for alike with and without an account, by a mail that warns of passkeys and tokens, and never for a page of another site', async () => {
    const visitor = await somebody();
    const known = await ask(visitor);
    const unknown = await ask(stranger());
    expect(unknown).toMatchObject({ status: known.status, json: known.json });
    expect((await mailbox.mailTo(visitor.email, /new password/)).source).toContain('revokes your API tokens');
    expect((await ask(visitor, { redirectTo: 'https://evil.example/' })).status).toBe(400);
  });
});

describe('a change of email address', () => {
  const change = (visitor: Person, newEmail: string) => visitor.post('/api/auth/change-email', { body: { newEmail } });
  /** Somebody who has asked for another address, and the link that was mailed there. */
  const changing = async () => {
    const visitor = await somebody();
    const newEmail = `new-${visitor.email}`;
    expect((await change(visitor, newEmail)).status).toBe(200);
    return { visitor, newEmail, link: (await mailbox.mailTo(newEmail)).link };
  };

  it('from an unverified address is made by the link sent to the new one, and ends other sessions', async () => {
    const { visitor, newEmail, link } = await changing();
    const phone = visitor.elsewhere();
    await phone.signIn();
    expect((await userOf(visitor)).email).toBe(visitor.email);
    await visitor.get(link);
    expect(await userOf(visitor)).toMatchObject({ email: newEmail, email_verified: true });
    expect(await phone.isSignedIn()).toBe(false);
  });

  it('from a verified address has to be confirmed there first', async () => {
    const visitor = await verified();
    const newEmail = `new-${visitor.email}`;
    await change(visitor, newEmail);
    const confirmation = await mailbox.mailTo(visitor.email, /new email/);
    expect(confirmation.source).toContain(newEmail);
    await visitor.get(confirmation.link);
    expect((await userOf(visitor)).email).toBe(visitor.email);
    await visitor.get((await mailbox.mailTo(newEmail)).link);
    expect(await userOf(visitor)).toMatchObject({ email: newEmail, email_verified: true });
  });

  it('opened without a session asks first which passkeys and tokens to keep, since whoever asked for it may own another address', async () => {
    const thief = await somebody();
    const [device, raw, newEmail] = [await addPasskey(thief, 'Not mine'), await thief.trialToken(), `new-${thief.email}`];
    await change(thief, newEmail);
    const { link } = await mailbox.mailTo(newEmail);
    expect((await stranger().get(link)).headers.get('location')).toMatch(/^\/console\/verify-email\?token=/);
    const confirm = (choices: object) =>
      stranger().post('/api/auth/verify-email', { body: { token: new URL(link).searchParams.get('token'), ...choices } });
    const { status, json } = await confirm({});
    expect([status, json]).toMatchObject([409, { email: newEmail, mayReset: false, passkeys: [{}], tokens: [{}], sessions: [] }]);
    expect((await confirm({ reset: true })).status).toBe(400);
    expect((await userOf(thief)).email).toBe(thief.email);
    expect((await confirm({ keepPasskeys: [], keepTokens: [] })).json.user.email).toBe(newEmail);
    expect([await thief.isSignedIn(), await isRevoked(raw)]).toEqual([false, true]);
    expect((await signInBy(device, thief)).status).toBe(401);
  });

  it('is not used up by only looking at its link', async () => {
    const { visitor, newEmail, link } = await changing();
    for (const looked of [link, `${link}x`, link.split('?')[0]!]) expect((await stranger().call('HEAD', looked)).status).toBe(200);
    await visitor.get(link);
    expect((await userOf(visitor)).email).toBe(newEmail);
  });

  it('is made only once by its link, even if the old address came back', async () => {
    const { visitor, link } = await changing();
    await visitor.get(link);
    await app.db.query(`update auth."user" set email = $2 where id = $1`, [visitor.id, visitor.email]);
    expect((await visitor.get(link)).headers.get('location')).toContain('error=INVALID_TOKEN');
    for (const spelled of spellingsOf(link)) await visitor.get(spelled);
    expect((await userOf(visitor)).email).toBe(visitor.email);
  });

  it.each([
    [
      'changed theirs to it',
      async (wanted: string) => {
        const other = await somebody();
        await change(other, wanted);
        await other.get((await mailbox.mailTo(wanted)).link);
        return other;
      },
    ],
    [
      'signed up with it',
      async (wanted: string) => {
        const other = Object.assign(stranger(), { email: wanted });
        await other.signUp();
        return other;
      },
    ],
  ])('is refused like any broken link when somebody else has %s', async (_how, take) => {
    const { visitor, newEmail: wanted, link } = await changing();
    expect((await userOf(await take(wanted))).email).toBe(wanted);
    const reply = await visitor.get(link);
    expect([reply.status, reply.headers.get('location')]).toEqual([302, '/console/verify-email?by=link&error=INVALID_TOKEN']);
    expect((await userOf(visitor)).email).toBe(visitor.email);
  });

  it('is not made by a link mailed before the password or the address changed', async () => {
    const { visitor, newEmail: theirs, link } = await changing();
    const mine = `mine-${visitor.email}`;
    const passwords = { currentPassword: visitor.password, newPassword: 'a better password' };
    await visitor.post('/api/auth/change-password', { body: passwords });
    await visitor.get(link);
    expect((await userOf(visitor)).email).toBe(visitor.email);

    await change(visitor, theirs);
    const later = (await mailbox.mailTo(theirs)).link;
    await change(visitor, mine);
    await visitor.get((await mailbox.mailTo(mine)).link);
    await visitor.get(later);
    expect((await userOf(visitor)).email).toBe(mine);
  });

  it('does not reveal whether the new address is taken', async () => {
    const [visitor, other] = [await somebody(), await somebody()];
    const free = await change(visitor, `free-${visitor.email}`);
    const taken = await change(visitor, other.email);
    expect(taken).toMatchObject({ status: free.status, json: free.json });
    expect((await userOf(visitor)).email).toBe(visitor.email);
  });

  it('cannot be made in another account by its link, which stays valid for its owner', async () => {
    const [{ visitor, newEmail, link }, other] = [await changing(), await somebody()];
    expect((await other.get(link)).headers.get('location')).toBe('/console/verify-email?by=link&error=INVALID_USER');
    const body = { token: new URL(link).searchParams.get('token') };
    expect(await refusalOf(other.post('/api/auth/verify-email', { body }))).toBe('401 invalid_user');
    expect((await userOf(other)).email).toBe(other.email);
    expect((await userOf(visitor)).email).toBe(visitor.email);
    await visitor.get(link);
    expect((await userOf(visitor)).email).toBe(newEmail);
  });
});

describe('a mail server in trouble', () => {
  it('neither fails a sign-up nor loses a mail, which the next try delivers', async () => {
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

  it('does not keep a server from stopping, and the mail waits for the next one', async () => {
    // It takes the connection, and says nothing.
    const silent = createServer().listen(0, '127.0.0.1');
    const asked = once(silent, 'connection');
    const db = await createTestDatabase();
    const url = `smtp://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const server = await startApp({ SMTP_URL: url }, { db } as TestApp);
    await server.signUp();
    const [connection] = (await asked) as [Socket];
    const isCut = once(connection.resume(), 'close');
    await server.close();
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

it('writes mails to files that only their owner can read when there is no mail server', async () => {
  const alone = await startApp();
  const outbox = join(alone.config.dataDir, 'outbox');
  const visitor = new Person(alone.url);
  await visitor.signUp();
  const mails = async () => (await readdir(outbox).catch(() => [])).filter((name) => name.endsWith('.eml'));
  await eventually('the mail is written', async () => (await mails()).length > 0);
  const file = join(outbox, (await mails())[0]!);
  expect(await readFile(file, 'utf8')).toContain(`To: ${visitor.email}`);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  // With several servers it may be on the disk of any of them.
  const shown = await runCommand(alone, 'mails', '--to', visitor.email);
  expect(shown).toMatchObject([{ recipient: visitor.email, source: expect.stringContaining(visitor.email) }]);
  await alone.close();
});

describe('with REQUIRE_VERIFIED_EMAIL', () => {
  let strict: TestApp;
  beforeAll(async () => {
    strict = await startApp({ SMTP_URL: mailbox.url, REQUIRE_VERIFIED_EMAIL: 'true' });
  });
  const signedIn = async () => {
    const visitor = new Person(strict.url);
    await visitor.signUp();
    expect((await visitor.signIn()).status).toBe(401);
    await verify(visitor);
    expect((await visitor.signIn()).status).toBe(200);
    return visitor;
  };
  const unverify = ({ email }: Person) => strict.db.query(`update auth."user" set "emailVerified" = false where email = $1`, [email]);

  it('a sign-in by passkey needs a verified address, even with a passkey from before the setting', async () => {
    const visitor = await signedIn();
    const device = await addPasskey(visitor, 'Mine', strict);
    const signIn = async () => {
      const later = visitor.elsewhere();
      const { status, json } = await signInBy(device, later);
      return [status, json.error, await later.isSignedIn()];
    };
    expect(await signIn()).toEqual([200, undefined, true]);
    await unverify(visitor);
    expect(await signIn()).toEqual([403, 'email_unverified', false]);
  });

  it('a sign-up does not reveal that somebody else took the address in the same moment, and its owner hears of it', async () => {
    const [one, other] = [new Person(strict.url), new Person(strict.url)];
    other.email = one.email;
    const answers = await Promise.all([one.signUp(), other.signUp()]);
    expect(answers.map(({ status, json }) => [status, Object.keys(json)])).toEqual(Array(2).fill([200, ['user']]));
    expect((await mailbox.mailTo(one.email, /already/)).source).toContain('You already have an account');
  });

  it('a sign-in needs a verified address, and so does a trial of somebody who signed up before the setting, unless one is active', async () => {
    const visitor = await signedIn();
    const { token } = (await visitor.post('/api/tokens/trial')).json;
    await unverify(visitor);
    expect(await visitor.post('/api/tokens/trial')).toMatchObject({ status: 409, json: { error: 'trial_active' } });
    await visitor.post(`/api/tokens/${token.id}/revoke`);
    expect(await visitor.post('/api/tokens/trial')).toMatchObject({ status: 403, json: { error: 'email_unverified' } });
  });

  it('a sign-in with the password of a sign-up does not reveal whether the address was taken', async () => {
    const [owner, newcomer] = [new Person(strict.url), new Person(strict.url)];
    for (const person of [owner, newcomer]) await person.signUp();
    const probe = Object.assign(owner.elsewhere(), { password: 'the password of a stranger' });
    await probe.signUp();
    const [taken, free] = [await probe.signIn(), await newcomer.elsewhere().signIn()];
    const told = ({ status, json }: typeof taken) => ({ status, ...json, request_id: null });
    expect(told(taken)).toEqual(told(free));
  });

  it('a sign-up does not reveal whether the address is taken; its owner is told', async () => {
    const owner = new Person(strict.url);
    const [first, again] = [await owner.signUp(), await owner.elsewhere().signUp()];
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

// Every published advisory of better-auth (its GitHub advisories and CVEs, state of November 2026), each answered by a test: of
// the attack itself, or that the part it is about is not there. Those whose attack other tests make anyway are named in their titles:
// GHSA-p6v2 in auth-limits, GHSA-x732 and GHSA-4vcf in auth, #9479 above, GHSA-2vg6 in test/accounts.

describe('advisories about parts of better-auth that are not used here', () => {
  it.each([
    ['GHSA-99h5-pjcv-gr6v / CVE-2025-61928: API keys of others; our tokens are our own', '/api-key/create'],
    [
      'GHSA-xg6x-h9c9-2m83: a session before the second factor; there is no second factor, and no session in a cookie',
      '/two-factor/verify-totp',
    ],
    ['GHSA-g38m-r43w-p2q7 / CVE-2026-53516: linking of unverified OAuth accounts', '/link-social'],
    ['GHSA-wxw3-q3m9-c3jr: OAuth state that does not match', '/sign-in/social'],
    ['CVE-2026-110862, CVE-2026-110864: forgery through the OAuth proxy', '/oauth-proxy-callback'],
    ['GHSA-qq9h-g4jm-xgf3: accounts prepared for a magic link', '/sign-in/magic-link'],
    ['GHSA-hc7v-rggr-4hvx, GHSA-hc7v-x88r-fmh4: magic links used twice', '/magic-link/verify'],
    ['GHSA-qq9h-g4jm-xgf3: accounts prepared for a one-time password', '/sign-in/email-otp'],
    ['GHSA-fmh4-wcc4-5jm3: invitations to organizations', '/organization/accept-invitation'],
    ['GHSA-h3rm-78g3-j7cp, GHSA-737v-mqg7-c878: the Stripe plugin; billing/ has its own', '/subscription/upgrade'],
    ['GHSA-cq3f-vc6p-68fh / CVE-2026-45337: approval of device codes', '/device/approve'],
    ['GHSA-pw9m-5jxm-xr6h: refresh tokens of the OIDC and MCP plugins', '/mcp/token'],
    ['GHSA-86j7-9j95-vpqj / CVE-2026-67333: redirects of the OIDC and MCP plugins', '/mcp/register'],
    ['GHSA-9h47-pqcx-hjr4 / CVE-2026-67336: defaults of the OIDC and MCP plugins', '/oauth2/authorize'],
    ['GHSA-392p-2q2v-4372 / CVE-2026-53517: refresh tokens of the OAuth provider', '/oauth2/token'],
    ['GHSA-xr8f-h2gw-9xh6 / CVE-2026-41427, GHSA-jmcv-4jfc-6qqj: clients of the OAuth provider', '/oauth2/create-client'],
    ['GHSA-7w99-5wm4-3g79, GHSA-p2fr-6hmx-4528: codes and resources of the OAuth provider', '/oauth2/consent'],
    ['GHSA-5rr4-8452-hf4v, GHSA-gv74-j8m3-fg5f, GHSA-phx7-w8x2-3xgf, GHSA-8c5h-wx78-2cfg: single sign-on', '/sso/register'],
    ['GHSA-j8v8-g9cx-5qf4, GHSA-2g28-66mv-wghh: SCIM', '/scim/generate-token'],
    ['sessions of others ended by forged cookies of the multi-session plugin', '/multi-session/revoke'],
    ['CVE-2026-121802: links of the Expo plugin', '/expo-authorization-proxy'],
    ["the admin plugin, and with it anybody's password and impersonation", '/admin/set-user-password'],
  ])('%s', async (_, path) => {
    const visitor = await somebody();
    expect((await visitor.post(`/api/auth${path}`)).status).toBe(404);
    expect((await visitor.get(`/api/auth${path}`)).status).toBe(404);
  });

  it('passkeys are the only plugin, and no session is kept in a cookie', async () => {
    const source = readFileSync(projectFile('src/accounts/auth/better-auth.ts'), 'utf8');
    expect(source).not.toMatch(/from 'better-auth\/plugins/);
    expect((await somebody()).cookies.has('parcel.session_data')).toBe(false);
  });
});

describe('the versions with every fix', () => {
  const { packages } = JSON.parse(readFileSync(projectFile('package-lock.json'), 'utf8'));

  it.each([
    ['better-auth', '1.7.16'],
    ['@better-auth/core', '1.7.16'],
    ['@better-auth/passkey', '1.6.11'],
  ])('%s is %s or later', (name, least) => {
    const installed: string = packages[`node_modules/${name}`].version;
    expect(installed.localeCompare(least, 'en', { numeric: true })).toBeGreaterThanOrEqual(0);
  });
});

describe('advisories about parts that are used', () => {
  it('GHSA-569q-mpph-wgww / CVE-2025-71401, the first request sets the base address: whatever host a request names, routes stay and mailed links lead to BASE_URL', async () => {
    const fresh = await startApp({ SMTP_URL: mailbox.url });
    const visitor = new Person(fresh.url);
    const body = JSON.stringify({ name: 'A', email: visitor.email, password: visitor.password });
    const headers = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      'content-type': 'application/json',
    };
    expect((await rawRequest(fresh.url, 'POST', '/api/auth/sign-up/email', { headers, body })).status).toBe(200);
    expect((await mailbox.mailTo(visitor.email)).link.startsWith(`${fresh.config.baseUrl}/api/auth/`)).toBe(true);
    expect((await visitor.signIn()).status).toBe(200);
    await fresh.close();
  });

  it('GHSA-965c-763c-88jm, one kind of verification row taken for another: a passkey challenge is no password reset, and a password reset no passkey challenge', async () => {
    const visitor = await somebody();
    await visitor.get('/api/auth/passkey/generate-register-options');
    const challenge = decodeURIComponent(visitor.cookies.get('parcel.passkey_challenge')!).split('.')[0]!;
    for (const token of [challenge, `../${challenge}`, '']) {
      const reply = await stranger().post('/api/auth/reset-password', { body: { token, newPassword: 'a better password' } });
      expect(reply.status).toBe(400);
    }
    expect((await visitor.copy().signIn()).status).toBe(200);
  });

  it('version 1.7.16, mailed links that work for another account: the link that verifies an address is worth nothing for who has that address later', async () => {
    const first = await somebody();
    const { link } = await mailbox.mailTo(first.email);
    await first.post('/api/auth/delete-user', { body: { password: first.password } });
    const second = first.elsewhere();
    await second.signUp();
    expect((await stranger().get(link)).headers.get('location')).toContain('error=');
    expect((await userOf(second)).email_verified).toBe(false);
  });

  it.each([
    ...words`
    https://evil.example //evil.example /\evil.example /%5cevil.example javascript:alert(1) http:evil.example
    https:/evil.example /..//evil.example /.//evil.example /%2e%2e//evil.example /a/..//evil.example
  `,
    '/\t/evil.example',
  ])('GHSA-8jhw-6pjj-8723 / CVE-2024-56734 and its successors, open redirects: no link leads to %p', async (page) => {
    const visitor = await somebody();
    const token = new URL((await mailbox.mailTo(visitor.email)).link).searchParams.get('token')!;
    for (const path of [
      `/api/auth/verify-email?token=${token}&callbackURL=`,
      '/api/auth/verify-email?token=none&callbackURL=',
      '/api/auth/reset-password/none?callbackURL=',
    ]) {
      const reply = await stranger().get(path + encodeURIComponent(page));
      const location = reply.headers.get('location');
      expect(location === null || new URL(location, app.config.baseUrl).origin === app.config.baseUrl).toBe(true);
    }
  });

  it('GHSA-7rqj-j65f-68wh (Auth.js, now of the same house), addresses that change when they are normalised: two people never share one by Unicode', async () => {
    const visitor = await somebody();
    const lookalike = visitor.email.replace('example', 'exam\u200bple');
    expect((await stranger().post('/api/auth/sign-in/email', { body: { email: lookalike, password: visitor.password } })).status).not.toBe(
      200,
    );
  });
});
