import { AccountChange } from '../../src/accounts/account.js';
import { addJob } from '../../src/jobs/task.js';
import { startApp, type TestApp } from '../harness/app.js';
import type { Json } from '../harness/caller.js';
import { runCommand } from '../harness/command.js';
import { eventually } from '../harness/eventually.js';
import { Person } from '../harness/person.js';

let app: TestApp;
let operator: Person;
beforeAll(async () => {
  app = await startApp();
  operator = await somebody();
  await cli('admin', 'grant', operator.email);
  await operator.signIn();
});

const somebody = () => app.signUp();
const withToken = async () => {
  const visitor = await somebody();
  const { raw_token: token } = (await visitor.post('/api/tokens/trial')).json;
  expect((await visitor.get('/api/usage', { token: token })).status).toBe(200);
  return { visitor, read: () => visitor.get('/api/parcels?limit=1', { token: token }) };
};
const cli = (...args: string[]) => runCommand(app, ...args);
const change = async (who: Person, what: string, id: string) =>
  (await who.ask(`mutation ($id: ID!) { changeAccount(id: $id, change: ${what}, reason: "a test") { id role banned } }`, { id }))
    .changeAccount;
const actionsOn = async (id: string) =>
  (
    await operator.ask(
      'query ($id: ID!) { adminActions(target: $id) { actor actorEmail action target targetEmail reason before after } }',
      { id },
    )
  ).adminActions;

/** Holds a row in another transaction until `count` requests of `begin` wait for it. @returns their answers */
async function whileHeld<T>(
  count: number,
  sql: string,
  values: unknown[],
  begin: () => Promise<T>,
  meanwhile: () => Promise<unknown> = async () => {},
): Promise<T> {
  const { release } = await app.db.hold(sql, values);
  const answers = begin();
  await eventually(`${count} wait`, async () => (await app.db.countWaiting()) === count);
  await meanwhile();
  await release();
  return answers;
}

describe('the operator role', () => {
  /** Somebody whose session has got a new token, and a tab that still has the old one. */
  const promoted = async () => {
    const visitor = await somebody();
    const lateTab = visitor.copy();
    await cli('admin', 'grant', visitor.email);
    await visitor.get('/api/me');
    return { visitor, lateTab };
  };

  it('is granted and revoked on the command line, whatever the case of the address, and only to who has signed up', async () => {
    const { id, email } = await somebody();
    expect(await cli('admin', 'grant', email.toUpperCase())).toEqual({ id, email, role: 'admin' });
    expect(await cli('admin', 'revoke', email.toUpperCase())).toEqual({ id, email, role: 'user' });
    await expect(cli('admin', 'grant', 'nobody@example.com')).rejects.toThrow('Nobody has signed up with nobody@example.com');
  });

  it('holds for the next request, which brings the session a new token and ends all others', async () => {
    const visitor = await somebody();
    const phone = visitor.elsewhere();
    await phone.signIn();
    const before = visitor.copy();
    await cli('admin', 'grant', visitor.email);
    expect((await visitor.get('/api/me')).json.user.role).toBe('admin');
    expect(visitor.sessionToken).not.toBe(before.sessionToken);
    expect(await visitor.isSignedIn()).toBe(true);
    expect(await phone.isSignedIn()).toBe(false);
    await cli('admin', 'revoke', visitor.email);
    expect((await visitor.get('/admin')).status).toBe(403);
    expect((await visitor.get('/api/me')).json.user.role).toBe('user');
  });

  it('leaves a cookie that ends with the browser one that does', async () => {
    const visitor = await somebody();
    await visitor.post('/api/auth/sign-in/email', { body: { email: visitor.email, password: visitor.password, rememberMe: false } });
    await cli('admin', 'grant', visitor.email);
    const cookies = (await visitor.get('/api/me')).headers.getSetCookie();
    expect(cookies).toEqual([expect.stringMatching(/^parcel\.session_token=[^;]+; Path=\/; HttpOnly; SameSite=Lax$/)]);
  });

  it('leaves the old token half a minute, for what the browser has under way', async () => {
    const visitor = await somebody();
    await cli('admin', 'grant', visitor.email);
    const tabs = Array.from({ length: 8 }, () => visitor.copy());
    const replies = await Promise.all(tabs.map((tab) => tab.get('/api/me')));
    expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(replies.filter(({ headers }) => headers.getSetCookie().length > 0)).toHaveLength(1);
    expect((await visitor.copy().get('/api/auth/get-session')).json.user.id).toBe(visitor.id);
    const seconds = `select extract(epoch from min("expiresAt") - now())::float from auth.session where "userId" = $1`;
    expect(await app.db.value(seconds, [visitor.id])).toBeLessThanOrEqual(30);
  });

  it.each([
    ['sign-out', async () => ({})],
    ['revoke-session', async (visitor: Person) => ({ token: (await visitor.get('/api/auth/get-session')).json.session.id })],
  ])('ends the old token at once with the session that replaced it: %s', async (operation, bodyOf) => {
    const { visitor, lateTab } = await promoted();
    expect(await lateTab.copy().isSignedIn()).toBe(true);
    expect((await visitor.post(`/api/auth/${operation}`, { body: await bodyOf(visitor) })).status).toBe(200);
    expect(await lateTab.isSignedIn()).toBe(false);
  });

  it.each(['sign-out', 'sign-in/email'])('a tab that still sends the old token ends the new one as well: %s', async (operation) => {
    const { visitor, lateTab } = await promoted();
    expect(await visitor.isSignedIn()).toBe(true);
    const body = operation === 'sign-out' ? {} : { email: visitor.email, password: visitor.password };
    expect((await lateTab.post(`/api/auth/${operation}`, { body })).status).toBe(200);
    expect(await visitor.isSignedIn()).toBe(false);
  });

  it('a tab that asks by the old token after its half minute ends nothing', async () => {
    const { visitor, lateTab } = await promoted();
    await app.db.query(
      `update auth.session set "expiresAt" = now() - interval '1 second' where "userId" = $1 and "expiresAt" < now() + interval '31 seconds'`,
      [visitor.id],
    );
    for (const path of ['/api/auth/get-session', '/api/me']) await lateTab.get(path);
    expect(await lateTab.isSignedIn()).toBe(false);
    expect(await visitor.isSignedIn()).toBe(true);
  });

  it('knows two values', async () => {
    const visitor = await somebody();
    await expect(app.db.query(`update auth."user" set role = 'superuser' where id = $1`, [visitor.id])).rejects.toThrow('user_role_known');
  });
});

describe('operators', () => {
  it('find people by a part of address, name or id', async () => {
    const visitor = await somebody();
    for (const search of [visitor.email.slice(3, 20).toUpperCase(), visitor.id]) {
      const query = 'query ($search: String!) { accounts(search: $search) { total accounts { id email role banned } } }';
      expect((await operator.ask(query, { search })).accounts).toEqual({
        total: 1,
        accounts: [{ id: visitor.id, email: visitor.email, role: 'user', banned: false }],
      });
    }
    expect((await operator.ask('{ accounts(search: "%") { total } }')).accounts.total).toBe(0);
  });

  it('cannot ask for passwords or tokens, for there is no such field', async () => {
    const { __type } = await operator.ask('{ __type(name: "Account") { fields { name } } }');
    const names = __type.fields.map(({ name }: { name: string }) => name).toSorted();
    expect(names.join(' ')).toBe('banned createdAt deletedAt email emailVerified id name role trialLimitLifted use');
  });

  it('ban: sessions end, tokens are revoked and no sign-in is let in, all at once; after it is lifted, only the tokens stay revoked', async () => {
    const { visitor, read } = await withToken();
    expect(await change(operator, 'ban', visitor.id)).toMatchObject({ banned: true });
    expect(await visitor.isSignedIn()).toBe(false);
    expect(await read()).toMatchObject({ status: 403, json: { error: 'revoked' } });
    expect(await visitor.signIn()).toMatchObject({ status: 403, json: { error: 'account_closed' } });
    expect((await visitor.signIn('wrong password')).status).toBe(401);
    expect(await visitor.isSignedIn()).toBe(false);
    expect(await change(operator, 'unban', visitor.id)).toMatchObject({ banned: false });
    expect((await visitor.signIn()).status).toBe(200);
    expect((await read()).json.error).toBe('revoked');
  });

  it('ban: a sign-in and a trial that it overtakes are refused like later ones', async () => {
    const visitor = await somebody();
    const replies = await whileHeld(2, `update auth."user" set banned = true where id = $1`, [visitor.id], () =>
      Promise.all([visitor.elsewhere().signIn(), visitor.post('/api/tokens/trial')]),
    );
    const refused = { status: 403, json: { error: 'forbidden' } };
    expect(replies).toMatchObject([refused, refused]);
    const insert = `insert into auth.session (id, token, "userId", "expiresAt", "updatedAt") values ('x', 'x', $1, now(), now())`;
    await expect(app.db.query(insert, [visitor.id])).rejects.toThrow('the account is closed');
  });

  it('do nothing to their own account, nor to one that is not there', async () => {
    for (const what of Object.keys(AccountChange)) {
      await expect(change(operator, what, operator.id)).rejects.toMatchObject({ code: 'conflict' });
      await expect(change(operator, what, 'nobody')).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it('make a person an operator, and end all their sessions, so that they sign in again', async () => {
    const visitor = await somebody();
    expect((await change(operator, 'grantAdmin', visitor.id)).role).toBe('admin');
    expect((await change(operator, 'endSessions', visitor.id)).id).toBe(visitor.id);
    expect(await visitor.isSignedIn()).toBe(false);
    expect((await visitor.signIn()).status).toBe(200);
  });

  it('delete an account within five minutes of their sign-in, once, also a banned one', async () => {
    const [late, visitor] = [await app.signUpOperator(), await somebody()];
    await app.db.query(`update auth.session set "createdAt" = now() - interval '5 minutes' where "userId" = $1`, [late.id]);
    await expect(change(late, 'delete', visitor.id)).rejects.toThrow('Sign in again to delete an account');
    expect(await actionsOn(visitor.id)).toEqual([]);
    await late.signIn();
    await change(late, 'ban', visitor.id);
    const [first, again] = [await change(late, 'delete', visitor.id), await change(late, 'delete', visitor.id)];
    expect(again).toEqual(first);
    await expect(change(late, 'unban', visitor.id)).rejects.toMatchObject({ code: 'not_found' });
    const actions = (await actionsOn(visitor.id)).map(({ action, actor, targetEmail }: Json) => ({ action, actor, targetEmail }));
    const targetEmail = `deleted-${visitor.id.toLowerCase()}@invalid`;
    expect(actions).toEqual(['delete account', 'ban'].map((action) => ({ action, actor: late.id, targetEmail })));
    expect(JSON.stringify(await app.db.query('select * from admin_action where target = $1', [visitor.id]))).not.toContain(visitor.email);
  });
});

describe('two operators', () => {
  it.each([
    ['take the role of', 'revokeAdmin'],
    ['ban', 'ban'],
    ['delete', 'delete'],
  ])('who %s each other at once: one of them is left', async (_, what) => {
    const [ann, bob] = [await app.signUpOperator(), await app.signUpOperator()];
    // Both requests are let in before either is done.
    const replies = await whileHeld(2, 'select from auth."user" where id = any($1) for update', [[ann.id, bob.id]], () =>
      Promise.allSettled([change(ann, what, bob.id), change(bob, what, ann.id)]),
    );
    expect(replies.map((reply) => reply.status === 'rejected' && reply.reason.code).toSorted()).toEqual([false, 'forbidden']);
    const left = await app.db.query(`select from auth."user" where id = any($1) and role = 'admin' and not banned`, [[ann.id, bob.id]]);
    expect(left).toHaveLength(1);
  });

  it('of whom one takes the role of the other: what that one has under way is undone', async () => {
    const [former, { visitor, read }] = [await app.signUpOperator(), await withToken()];
    const [{ id }] = (await visitor.get('/api/tokens')).json.tokens;
    const reply = await whileHeld(
      1,
      'select from api_token where id = $1 for update',
      [id],
      () => former.ask('mutation ($id: ID!) { revokeToken(id: $id, reason: "a test") { id } }', { id }).catch(({ code }) => code),
      () => change(operator, 'revokeAdmin', former.id),
    );
    expect(reply).toBe('forbidden');
    expect((await read()).status).toBe(200);
    expect(await actionsOn(id)).toEqual([]);
  });
});

describe('a reason', () => {
  const mutations = [
    ['changeAccount', 'id', 'account', ', change: ban'],
    ['revokeToken', 'id', 'token', ''],
    ['adjustBalance', 'balanceId', 'balance', ', credits: -1'],
  ] as const;

  const targets = async () => {
    const { visitor } = await withToken();
    const [row] = await app.db.query<{ token: string; balance: string }>(
      'select id as token, balance_id as balance from api_token where account_id = $1',
      [visitor.id],
    );
    return { account: visitor.id, ...row! };
  };
  const act = (mutation: string, argument: string, target: string, more: string, reason: string) =>
    operator.ask(`mutation ($target: ID!, $reason: String!) { ${mutation}(${argument}: $target, reason: $reason${more}) { id } }`, {
      target,
      reason,
    });
  const written = async (target: string) => {
    const rows = await app.db.query<{ reason: string }>(
      `select reason from admin_action where target = $1
       union all select reason from ledger_entry where balance_id::text = $1 and kind = 'adjustment'`,
      [target],
    );
    return rows.map(({ reason }) => reason);
  };

  it.each(mutations)(
    'is no blank, nothing endless, and hides, turns around or forges no text; it is written down without the blanks around it: %s',
    async (mutation, argument, kind, more) => {
      const target = (await targets())[kind];
      for (const reason of ['', '   ', ' \u200b ', 'refund\u202e007', 'as \u2066agreed', 'as\u001b[2Jagreed', 'x'.repeat(501)]) {
        await expect(act(mutation, argument, target, more, reason)).rejects.toThrow(/^invalid_request: reason /);
      }
      expect(await written(target)).toEqual([]);
      await act(mutation, argument, target, more, ' \u00a0\n As agreed,\n  by mail \t');
      expect([...new Set(await written(target))]).toEqual(['As agreed,\n  by mail']);
    },
  );

  it('holds the same rules on the command line', async () => {
    const visitor = await somebody();
    for (const reason of ['', '  ', 'as\u202eagreed']) {
      await expect(cli('admin', 'grant', visitor.email, '--reason', reason)).rejects.toThrow('reason must say something');
    }
    expect(await actionsOn(visitor.id)).toEqual([]);
    await cli('admin', 'grant', visitor.email, '--reason', '  new colleague ');
    await cli('admin', 'revoke', visitor.email, '--reason', '\tleft\n');
    await cli('admin', 'grant', visitor.email);
    expect((await actionsOn(visitor.id)).map(({ reason }: { reason: string | null }) => reason)).toEqual([null, 'left', 'new colleague']);
  });
});

describe('the activity log', () => {
  it('has every action with who, to whom, why, before and after', async () => {
    const visitor = await somebody();
    await change(operator, 'ban', visitor.id);
    await change(operator, 'unban', visitor.id);
    await change(operator, 'liftTrialLimit', visitor.id);
    await cli('admin', 'grant', visitor.email, '--reason', 'new colleague');
    const whom = { target: visitor.id, targetEmail: visitor.email };
    const byOperator = { ...whom, actor: operator.id, actorEmail: operator.email, reason: 'a test' };
    const ordinary = { role: 'user', banned: false, trialLimitLifted: false };
    const [banned, lifted] = [
      { ...ordinary, banned: true },
      { ...ordinary, trialLimitLifted: true },
    ];
    expect(await actionsOn(visitor.id)).toEqual([
      {
        ...whom,
        actor: 'command line',
        actorEmail: null,
        reason: 'new colleague',
        action: 'grant admin',
        before: lifted,
        after: { ...lifted, role: 'admin' },
      },
      { ...byOperator, action: 'lift trial limit', before: ordinary, after: lifted },
      { ...byOperator, action: 'unban', before: banned, after: ordinary },
      { ...byOperator, action: 'ban', before: ordinary, after: banned },
    ]);
  });

  it('can be neither changed nor shortened', async () => {
    for (const statement of [`update admin_action set reason = 'none'`, 'delete from admin_action', 'truncate admin_action']) {
      await expect(app.db.query(statement)).rejects.toThrow('append-only');
    }
  });
});

describe('a deleted account', () => {
  const remove = (owner: Person, body: object = { password: owner.password }) => owner.post('/api/auth/delete-user', { body });
  it.each<[by: string, hasDeleted: (visitor: Person) => Promise<boolean>]>([
    ['its owner', async (visitor) => (await remove(visitor)).status === 200],
    ['an operator', async (visitor) => (await change(operator, 'delete', visitor.id)).id === visitor.id],
  ])(
    'by %s has no person in it any more, and no way in (GHSA-2vg6-77g8-24mp); its tokens are revoked, its ledger is whole, and a new one may have its address',
    async (_, hasDeleted) => {
      const { visitor, read } = await withToken();
      await read();
      const thief = visitor.copy();
      const ledgerOf = () =>
        app.db.query(
          `select kind, hash from ledger_entry e join credit_balance b on b.id = e.balance_id where b.account_id = $1 order by e.sequence`,
          [visitor.id],
        );
      const before = await ledgerOf();
      await app.db.query(
        `select from graphile_worker.add_job('send-mail', json_build_object('recipient', $1::text), run_at => now() + '1 day')`,
        [visitor.email],
      );
      expect(await hasDeleted(visitor)).toBe(true);
      expect(await thief.isSignedIn()).toBe(false);
      expect((await visitor.elsewhere().signIn()).status).toBe(401);
      expect((await read()).json.error).toBe('revoked');
      expect(await ledgerOf()).toEqual([...before, { kind: 'token', hash: expect.any(Buffer) }]);
      const { account } = await operator.ask('query ($id: ID!) { account(id: $id) { email name deletedAt } }', { id: visitor.id });
      expect(account).toEqual({
        email: expect.stringMatching(/^deleted-.*@invalid$/),
        name: 'Deleted account',
        deletedAt: expect.any(String),
      });
      const rest = await app.db.query(`select u::text as row from auth."user" u where u::text like '%' || $1 || '%'`, [visitor.email]);
      expect(rest).toEqual([]);
      const mails = await app.db.query(`select from graphile_worker._private_jobs where payload::text like '%' || $1 || '%'`, [
        visitor.email,
      ]);
      expect(mails).toEqual([]);
      const again = visitor.elsewhere();
      expect((await again.signUp()).status).toBe(200);
      expect((await again.get('/api/tokens')).json.tokens).toEqual([]);
    },
  );

  it('goes on paying for nothing: its owner first cancels the plan, an operator ends it', async () => {
    const people = await Promise.all([somebody(), somebody()]);
    for (const { id } of people) {
      await app.db.query(`insert into billing_customer (account_id, stripe_customer_id) values ($1, 'cus_' || $1)`, [id]);
      await app.db.query(
        `insert into subscription (id, account_id, stripe_customer_id, status, period_start, period_end, created_at)
         values ('sub_' || $1, $1, 'cus_' || $1, 'active', now(), now() + interval '1 month', now())`,
        [id],
      );
    }
    const [owner, other] = people;
    expect(await remove(owner)).toMatchObject({ status: 409, json: { error: 'plan_running' } });
    expect(await owner.isSignedIn()).toBe(true);
    await app.db.query(`update subscription set ends_at = period_end where account_id = $1`, [owner.id]);
    expect((await remove(owner)).status).toBe(200);
    await change(operator, 'delete', other.id);
    // This server has no Stripe key, so it cannot end what is there; operators see that.
    const keys = people.map(({ id }) => `end-subscriptions ${id}`);
    const told = () =>
      app.db.query(`select from graphile_worker.jobs where key = any($1) and last_error like '%STRIPE_SECRET_KEY%'`, [keys]);
    await eventually('billing was told of both', async () => (await told()).length === 2);
  });

  it('is also one that never verified its address and is in no use for 30 days: without a session, an open token or a paid plan', async () => {
    const [unused, verified, signedIn, reading, paying] = await Promise.all([somebody(), somebody(), somebody(), somebody(), somebody()]);
    await reading.trialToken();
    await app.paidToken(paying.id);
    const all = [unused, verified, signedIn, reading, paying].map(({ id }) => id);
    await app.db.query(`update auth."user" set "createdAt" = now() - interval '31 days' where id = any($1)`, [all]);
    await app.db.query(`update auth."user" set "emailVerified" = true where id = $1`, [verified.id]);
    await app.db.query('delete from auth.session where "userId" = any($1) and "userId" <> $2', [all, signedIn.id]);
    const closed = async () => app.db.query('select id from auth."user" where id = any($1) and "deletedAt" is not null', [all]);
    await addJob(app.database.pool, 'prune-accounts', {});
    await eventually('the unused account is deleted', async () => (await closed()).length > 0);
    expect(await closed()).toEqual([{ id: unused.id }]);
    expect((await unused.elsewhere().signUp()).status).toBe(200);
  });

  it('is deleted as a whole, or not at all', async () => {
    const { visitor, read } = await withToken();
    await app.db.query(`create function refuse() returns trigger language plpgsql as $$ begin raise 'not now'; end $$`);
    await app.db.query('create trigger refuse before delete on auth.known_source for each statement execute function refuse()');
    expect((await remove(visitor)).status).toBe(500);
    await app.db.query('drop function refuse cascade');
    expect(await visitor.isSignedIn()).toBe(true);
    expect((await visitor.elsewhere().signIn()).status).toBe(200);
    expect((await read()).status).toBe(200);
    expect((await remove(visitor)).status).toBe(200);
  });

  it('cannot be kept from being deleted by another one, whatever address that has', async () => {
    const visitor = await somebody();
    for (const domain of ['invalid', 'deleted.invalid']) {
      const other = Object.assign(new Person(app.url), { email: `deleted-${visitor.id.toLowerCase()}@${domain}` });
      await other.signUp();
    }
    expect((await remove(visitor)).status).toBe(200);
  });

  it('is deleted by its owner, with the mails to it: with the password, or freshly signed in', async () => {
    const visitor = await somebody();
    const mails = async () => (await app.db.query('select from unsent_mail where recipient = $1', [visitor.email])).length;
    await eventually('a mail is kept', async () => (await mails()) === 1);
    expect((await remove(visitor, { password: 'wrong password' })).status).toBe(400);
    expect((await remove(new Person(app.url), { password: visitor.password })).status).toBe(401);
    await app.db.query(`update auth.session set "createdAt" = now() - interval '10 minutes' where "userId" = $1`, [visitor.id]);
    for (const body of [{}, { password: '' }]) expect((await remove(visitor, body)).status).toBe(403);
    expect(await visitor.isSignedIn()).toBe(true);
    await visitor.signIn();
    expect((await remove(visitor, {})).status).toBe(200);
    expect(await mails()).toBe(0);
  });
});
