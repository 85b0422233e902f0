import { setTimeout as pause } from 'node:timers/promises';
import express, { type NextFunction, type Request, type Response, type Router } from 'express';
import type { Logger } from 'pino';
import { addressOf } from '../../core/client-address.js';
import type { Config } from '../../core/config.js';
import { AppError } from '../../core/errors.js';
import { refuseMethod } from '../../core/refuse-method.js';
import { emailKey } from '../identity/email-key.js';
import { type Limiter, refuseIfLimited } from '../limits/limiter.js';
import type { VisitorLimits } from '../limits/visitor-limits.js';
import type { PasskeyStore } from '../passkeys/passkey.store.js';
import type { BrowserCookie } from '../sessions/browser-cookie.js';
import type { KnownSources } from '../sessions/recognized-devices.js';
import type { SessionStore } from '../sessions/session.store.js';
import * as body from './auth.args.js';
import { isTakenAddress, recentSeconds } from './better-auth.js';
import { type Answer, type BetterAuthAdapter, databaseAway } from './better-auth-adapter.js';
import { isCommonPassword, isMadeOf } from './common-passwords.js';
import { type IsEnded, isAny, isNamed, isNone, isOther, isOwn } from './ended-sessions.js';
import { logOperation } from './log-operation.js';
import type { MailedLinks } from './mailed-links.js';
import { refuseForeignPages } from './own-page.js';
import { type Applicant, HashingLine } from './password-hash-queue.js';
import type { PasswordOrder } from './password-order.js';
import { requireSameOrigin } from './same-origin.js';
import type { SignInGuard } from './sign-in-guard.js';

const minute = 60;
const hour = 60 * minute;
const minDurationMs = 250;

interface AuthRouteParts {
  config: Config;
  log: Logger;
  adapter: BetterAuthAdapter;
  browserCookie: BrowserCookie;
  limiter: Limiter;
  visitors: VisitorLimits;
  guard: SignInGuard;
  knownSources: KnownSources;
  links: MailedLinks;
  passkeys: PasskeyStore;
  passwords: PasswordOrder;
  sessions: SessionStore;
}

/**
 * All of `/api/auth`, a line for each operation: nothing that is not listed here reaches better-auth, under no spelling of
 * its path, and everything that does has passed the checks of its line.
 */
export function authRoutes(parts: AuthRouteParts): Router {
  const { config, log, adapter, browserCookie, limiter, visitors, guard, knownSources, links, passkeys, sessions } = parts;
  const line = new HashingLine();
  const countChallenge = (req: Request) => visitors.consume(req, 'passkey challenge', 60, minute);

  const routes = express.Router({ caseSensitive: true, strict: true });
  routes.use(logOperation(log));
  routes.use(requireSameOrigin(config), express.json({ limit: '16kb' }), refuseOtherBodies, refuseForeignPages);

  routes.get('/get-session', async (req, res) => {
    browserCookie.readOrSet(req, res);
    await adapter.sessionOf(req); // who looks uses it, and better-auth prolongs none
    adapter.send(res, await adapter.ask(req));
  });
  routes.get('/reset-password/:token', async (req, res) => {
    if (req.query.callbackURL !== undefined) return adapter.send(res, await adapter.ask(req));
    if (!(await adapter.ownerOfResetLink(req.params.token))) throw new AppError('not_found', 'This link does not work any more.');
    res.set('cache-control', 'no-store').json({ status: true });
  });
  routes.post('/sign-out', ending(body.NoBody, isOwn));
  routes.post('/update-user', inSession(body.ProfileBody));
  routes.post('/revoke-session', ending(body.RevokeSessionBody, isNamed));
  routes.post('/revoke-sessions', ending(body.NoBody, isAny));
  routes.post('/revoke-other-sessions', ending(body.NoBody, isOther));
  routes.post('/passkey/update-passkey', inSession(body.RenamePasskeyBody));

  routes.get('/list-sessions', async (req, res) => {
    const own = await adapter.sessionOf(req);
    if (!own) throw new AppError('unauthenticated', 'Sign in first.');
    res.set('cache-control', 'no-store').json(await sessions.list(own.user.id));
  });
  routes.post('/sign-up/email', async (req, res) => {
    const input = body.checkBody(body.SignUpBody, req.body);
    refuseCommonPassword(input.password, input.email);
    await visitors.consume(req, 'sign-up', config.signUpsPerMinute, minute);
    const named = { ...input, name: input.name ?? input.email.split('@')[0] };
    const answer = await line.run(applicant(req, input.email), async () => {
      const first = await adapter.ask(req, named);
      // Somebody else took the address in the same moment: asked again, better-auth says what it says a moment later.
      return first.code === 'FAILED_TO_CREATE_USER' ? adapter.ask(req, named) : first;
    });
    await sendSignIn(req, res, answer);
  });
  routes.post('/sign-in/email', async (req, res) => {
    const input = body.checkBody(body.SignInBody, req.body);
    const known = await guard.knownSource(req, input.email);
    const ask = async () => withoutHint(await parts.passwords.signIn(input.email, () => adapter.ask(req, input)));
    const answer = await line.run(applicant(req, input.email, known), () => guard.hear(req, input.email, known, ask));
    await sendSignIn(req, res, answer);
  });
  byGetOrPost('/passkey/list-user-passkeys', async (req, res) => {
    body.checkBody(body.NoBody, inputOf(req, []));
    await adapter.sessionOf(req);
    adapter.send(res, await adapter.ask(req, undefined, req.path));
  });
  byGetOrPost('/passkey/generate-register-options', async (req, res) => {
    const { name, authenticatorAttachment } = body.checkBody(body.NewPasskey, inputOf(req, ['name', 'authenticatorAttachment']));
    if (await adapter.sessionOf(req)) await countChallenge(req);
    const query = new URLSearchParams({ ...(name && { name }), ...(authenticatorAttachment && { authenticatorAttachment }) });
    adapter.send(res, await adapter.ask(req, undefined, `${req.path}?${query}`));
  });
  byGetOrPost('/passkey/generate-authenticate-options', async (req, res) => {
    body.checkBody(body.NoBody, inputOf(req, []));
    await countChallenge(req);
    adapter.send(res, await adapter.ask(req, undefined, req.path));
  });
  routes.post('/passkey/verify-registration', async (req, res) => {
    const answer = await adapter.ask(req, body.checkBody(body.RegisterPasskeyBody, req.body));
    // better-auth answers 500 when what the device sent cannot be verified, but that is the caller's fault.
    adapter.send(res, answer.code === 'FAILED_TO_VERIFY_REGISTRATION' ? { ...answer, status: 400 } : answer);
  });
  routes.post('/passkey/delete-passkey', async (req, res) => {
    const input = body.checkBody(body.PasskeyBody, req.body);
    await requireRecentSignIn(req, res);
    adapter.send(res, await adapter.ask(req, input));
  });
  routes.post('/passkey/verify-authentication', async (req, res) => {
    await sendSignIn(req, res, await adapter.ask(req, body.checkBody(body.PasskeySignInBody, req.body)));
  });

  routes.post('/change-password', async (req, res) => {
    const input = body.checkBody(body.ChangePasswordBody, req.body);
    refuseCommonPassword(input.newPassword);
    adapter.send(res, await withPasswordLimit(req, res, { ...input, revokeOtherSessions: true }));
  });
  routes.post('/delete-user', async (req, res) => {
    const { password } = body.checkBody(body.DeleteAccountBody, req.body);
    if (!password) await requireRecentSignIn(req, res);
    adapter.send(res, await withPasswordLimit(req, res, { password }));
  });
  routes.post('/reset-password', async (req, res) => {
    const input = body.checkBody(body.ResetPasswordBody, req.body);
    refuseCommonPassword(input.newPassword);
    const { removePasskeys, ...reset } = input;
    const userId = await adapter.ownerOfResetLink(reset.token);
    res.locals.accountId = userId ?? undefined;
    const ask = () => parts.passwords.change(userId, () => adapter.ask(req, reset));
    const answer = await line.run(applicant(req, userId ?? 'nobody'), ask);
    if (!userId || answer.status !== 200) return adapter.send(res, answer);
    if (removePasskeys) await passkeys.removeAll(userId);
    adapter.send(res, { ...answer, json: { status: true, passkeys: await passkeys.list(userId) } });
  });
  routes.post('/request-password-reset', async (req, res) => {
    const input = body.checkBody(body.RequestResetBody, req.body);
    await countMail(req, input.email);
    adapter.send(res, await withMinimumDuration(adapter.ask(req, input)));
  });
  routes.post('/send-verification-email', async (req, res) => {
    const input = body.checkBody(body.SendVerificationBody, req.body);
    await countMail(req, input.email);
    adapter.send(res, await adapter.ask(req, input));
  });
  routes.post('/change-email', async (req, res) => {
    const input = body.checkBody(body.ChangeEmailBody, req.body);
    await requireRecentSignIn(req, res);
    await countMail(req, input.newEmail);
    adapter.send(res, await withMinimumDuration(adapter.ask(req, input)));
  });
  // Express answers HEAD by the GET route, so a mail scanner that only looks at the link would use it up.
  routes.head('/verify-email', (_req, res) => res.set('cache-control', 'no-store').end());
  byGetOrPost('/verify-email', async (req, res) => {
    const { token, callbackURL } = body.checkBody(body.OpenLink, inputOf(req, ['token', 'callbackURL']));
    const open = (authToken: string) => {
      const query = new URLSearchParams({ token: authToken, ...(callbackURL && { callbackURL }) });
      return adapter.ask(req, undefined, `${req.path}?${query}`);
    };
    const signedIn = await adapter.sessionOf(req);
    const answer = open((await links.use(token, signedIn?.user.id)) ?? 'used');
    // Somebody else may have got the address after the link to it was mailed.
    adapter.send(res, await answer.catch((error) => (isTakenAddress(error) ? open('used') : Promise.reject(error))));
  });
  for (const { path, methods } of operationsOf(routes)) routes.all(path, refuseMethod(methods));
  return routes;

  /** The specification has all operations by POST; links and browsers use GET for these. */
  function byGetOrPost(path: string, handler: (req: Request, res: Response) => Promise<void>): void {
    routes.get(path, handler);
    routes.post(path, handler);
  }

  /** Reads the session first, which fails while the database is away. better-auth by itself would answer that nobody is signed in. */
  function inSession(Body: new () => object) {
    return ending(Body, isNone);
  }

  /** The same for what ends sessions: better-auth says that it is done also where it could not read a session, which then goes on. */
  function ending<Input extends object>(Body: new () => Input, isEnded: IsEnded<Input>) {
    return async (req: Request, res: Response) => {
      const input = body.checkBody(Body, req.body);
      const own = await adapter.sessionOf(req);
      res.locals.accountId = own?.user.id;
      const answer = await adapter.ask(req, input);
      if (own && (await sessions.list(own.user.id)).some(({ id }) => isEnded(id, own.session.id, input))) throw databaseAway();
      adapter.send(res, answer);
    };
  }

  function applicant(req: Request, account: string, source: string | null = null): Applicant {
    return { account: account.toLowerCase(), source: source ?? addressOf(req), hasLeft: () => req.socket.destroyed };
  }

  /** Where addresses must be verified, a wrong password and a new address are answered alike: a sign-up says no more either. */
  function withoutHint(answer: Answer): Answer {
    const isRefused = answer.code === 'EMAIL_NOT_VERIFIED' || answer.code === 'INVALID_EMAIL_OR_PASSWORD';
    if (!config.requireVerifiedEmail || !isRefused) return answer;
    const message = 'Wrong address or password, or the address is not verified yet: open the link in our mail, or choose a new password.';
    return { ...answer, status: 401, code: 'INVALID_EMAIL_OR_PASSWORD', json: { code: 'INVALID_EMAIL_OR_PASSWORD', message } };
  }

  /** Sends the answer to a sign-in. After a success the browser and the address count as known sources of the person. */
  async function sendSignIn(req: Request, res: Response, answer: Answer): Promise<void> {
    if (answer.signedInUserId) await knownSources.remember(req, res, answer.signedInUserId);
    res.locals.accountId = answer.signedInUserId ?? undefined;
    adapter.send(res, answer);
  }

  /** Limits wrong passwords where a signed-in person confirms something, so that a stolen session cannot be used to guess it. */
  async function withPasswordLimit(req: Request, res: Response, input: object): Promise<Answer> {
    const session = (await adapter.sessionOf(req))?.session;
    res.locals.accountId = session?.userId;
    const limit = { key: `wrong password in session ${session?.id}`, max: 5, withinSeconds: 15 * minute };
    return line.run(applicant(req, session?.userId ?? 'nobody'), async () => {
      const begun = await limiter.tryBegin([limit.key], [limit]);
      refuseIfLimited(begun.wait);
      const ask = () => parts.passwords.change(session?.userId ?? null, () => adapter.ask(req, input));
      return limiter.end(begun, ask, ({ code }) => (code === 'INVALID_PASSWORD' ? [limit.key] : []));
    });
  }

  /** @throws AppError `forbidden` unless somebody signed in with this session a moment ago, by password or passkey */
  async function requireRecentSignIn(req: Request, res: Response): Promise<void> {
    const own = await adapter.sessionOf(req);
    res.locals.accountId = own?.user.id;
    if (own && !(await sessions.isYoungerThan(own.session.id, recentSeconds))) {
      throw new AppError(
        'forbidden',
        'Sign in once more, by password or passkey, to change this: your last sign-in is more than ten minutes ago.',
      );
    }
  }

  /** Counts before the account is looked up, so that the limit does not tell whether there is one. */
  async function countMail(req: Request, email: string): Promise<void> {
    const toOne = { key: `mail to ${emailKey(email)} by ${addressOf(req)}`, max: 5, withinSeconds: 15 * minute };
    refuseIfLimited(await limiter.tryConsume(toOne));
    await visitors.consume(req, 'mail', 60, hour);
  }

  function refuseCommonPassword(password: string, email = ''): void {
    const ownWords = ['Parcel Records', new URL(config.baseUrl).hostname, email, email.split('@')[0]!];
    if (config.nodeEnv === 'production' && (isCommonPassword(password) || isMadeOf(password, ownWords))) {
      const message = 'This is one of the passwords that are tried first. Choose another.';
      throw new AppError('invalid_request', message, { details: [{ parameter: 'password', message }] });
    }
  }
}

/** The paths of a router, and the methods of each; `all` is none of them. */
export function operationsOf(router: Router): { path: string; methods: string[] }[] {
  const methodsOf = new Map<string, Set<string>>();
  for (const { route } of router.stack) {
    if (!route) continue;
    const methods = route.stack.map(({ method }) => method).filter((method) => method && method !== 'head');
    methodsOf.set(route.path, new Set([...(methodsOf.get(route.path) ?? []), ...methods]));
  }
  return [...methodsOf].map(([path, methods]) => ({ path, methods: [...methods] }));
}

/** What a request says in its body, or by GET in its query, where other parameters are ignored. */
function inputOf({ method, query, body }: Request, names: string[]): unknown {
  if (method === 'POST') return body;
  return Object.fromEntries(names.filter((name) => query[name] !== undefined).map((name) => [name, query[name]]));
}

/** An HTML form of another site can send text and form bodies without a CORS preflight, but not JSON. */
function refuseOtherBodies(req: Request, _res: Response, next: NextFunction): void {
  const hasBody = Number(req.headers['content-length'] ?? 0) > 0 || req.headers['transfer-encoding'] !== undefined;
  const isObject = typeof req.body === 'object' && !Array.isArray(req.body);
  if (hasBody && !isObject) throw new AppError('invalid_request', 'The body must be a JSON object.');
  next();
}

/** Takes equally long whether or not there is an account to write to. better-auth does so by itself for verifications. */
async function withMinimumDuration(work: Promise<Answer>): Promise<Answer> {
  const [answer] = await Promise.all([work, pause(minDurationMs)]);
  return answer;
}
