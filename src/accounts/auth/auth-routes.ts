import { setTimeout as pause } from 'node:timers/promises';
import express, { type NextFunction, type Request, type Response, type Router } from 'express';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { checkBody } from '../../core/check-body.js';
import { addressOf } from '../../core/client-address.js';
import type { Config } from '../../core/config.js';
import { AppError } from '../../core/errors.js';
import { operationsOf, refuseMethod } from '../../core/refuse-method.js';
import { type Limiter, refuseIfLimited } from '../limits/limiter.js';
import { limits } from '../limits/limits.js';
import { VisitorLimits } from '../limits/visitor-limits.js';
import type { BrowserCookie } from '../sessions/browser-cookie.js';
import { RecognizedDevices } from '../sessions/recognized-devices.js';
import type { SessionStore } from '../sessions/session.store.js';
import * as body from './auth.args.js';
import { recentSeconds } from './better-auth.js';
import { type Answer, type BetterAuthAdapter, databaseUnavailable } from './better-auth-adapter.js';
import * as common from './common-passwords.js';
import { linkHandlers } from './link-handlers.js';
import type { MailedLinks } from './mailed-links.js';
import * as passkey from './passkey.args.js';
import { handleOf, type Passkeys } from './passkeys.js';
import { type HashRequest, PasswordHashQueue } from './password-hash-queue.js';
import { PasswordLock } from './password-lock.js';
import { refuseForeignRedirects, refuseOtherBodies, requireSameOrigin } from './same-origin.js';
import { SignInGuard } from './sign-in-guard.js';

const minDurationMs = 250;

interface AuthServices {
  dataSource: DataSource;
  config: Config;
  log: Logger;
  adapter: BetterAuthAdapter;
  browserCookie: BrowserCookie;
  limiter: Limiter;
  links: MailedLinks;
  passkeys: Passkeys;
  sessions: SessionStore;
}

/**
 * All operations of `/api/auth`. A request reaches better-auth only through a route listed here, after the checks of that route.
 */
export function authRoutes(services: AuthServices): Router {
  const { dataSource, config, log, adapter, browserCookie, limiter, passkeys, sessions } = services;
  const guard = new SignInGuard(limiter);
  const visitors = new VisitorLimits(limiter, browserCookie);
  const recognizedDevices = new RecognizedDevices(dataSource, browserCookie);
  const passwordLock = new PasswordLock(dataSource);
  const hashQueue = new PasswordHashQueue();
  const link = linkHandlers({
    ...services,
    refuseCommonPassword,
    withPasswordLock: (req, accountId, work) => hashQueue.run(hashRequest(req, accountId), () => passwordLock.exclusive(accountId, work)),
  });

  const routes = express.Router({ caseSensitive: true, strict: true });
  routes.use(logOperation(log));
  routes.use(requireSameOrigin(config), express.json({ limit: '16kb' }), refuseOtherBodies, refuseForeignRedirects);

  routes.get('/get-session', async (req, res) => {
    browserCookie.readOrSet(req, res);
    await adapter.sessionOf(req); // prolongs the session, which better-auth is configured not to do
    adapter.send(res, await adapter.ask(req));
  });
  routes.get('/reset-password/:token', link.openReset);
  inSession('/sign-out', body.NoBody, (id, own) => id === own);
  inSession('/update-user', body.ProfileBody);
  inSession('/revoke-session', body.RevokeSessionBody, (id, _own, { token }) => id === token);
  inSession('/revoke-sessions', body.NoBody, () => true);
  inSession('/revoke-other-sessions', body.NoBody, (id, own) => id !== own);
  inSession('/passkey/update-passkey', passkey.RenamePasskeyBody);

  routes.get('/list-sessions', async (req, res) => {
    const own = await adapter.sessionOf(req);
    if (!own) throw new AppError('unauthenticated', 'Sign in first.');
    res.set('cache-control', 'no-store').json(await sessions.list(own.user.id));
  });
  routes.post('/sign-up/email', async (req, res) => {
    const input = checkBody(body.SignUpBody, req.body);
    refuseCommonPassword(input.password, input.email);
    await visitors.consume(req, limits.mailRequests);
    const named = { ...input, name: input.name ?? input.email.split('@')[0] };
    const answer = await hashQueue.run(hashRequest(req, input.email), async () => {
      const first = await adapter.ask(req, named);
      // A concurrent sign-up took the address. Asking again returns better-auth's answer for a taken address.
      return first.code === 'FAILED_TO_CREATE_USER' ? adapter.ask(req, named) : first;
    });
    await sendSignIn(req, res, answer);
  });
  routes.post('/sign-in/email', async (req, res) => {
    const input = checkBody(body.SignInBody, req.body);
    const known = await recognizedDevices.find(req, input.email);
    const ask = async () => withoutHint(await passwordLock.sharedByEmail(input.email, () => adapter.ask(req, input)));
    const answer = await hashQueue.run(hashRequest(req, input.email, known), () => guard.attempt(req, input.email, known, ask));
    await sendSignIn(req, res, answer);
  });
  byGetOrPost('/passkey/list-user-passkeys', async (req, res) => {
    checkBody(body.NoBody, inputOf(req, []));
    await adapter.sessionOf(req);
    adapter.send(res, await adapter.ask(req, undefined, req.path));
  });
  byGetOrPost('/passkey/generate-register-options', async (req, res) => {
    const { name, authenticatorAttachment } = checkBody(passkey.NewPasskey, inputOf(req, ['name', 'authenticatorAttachment']));
    const own = await adapter.sessionOf(req);
    if (own) await visitors.consume(req, limits.passkeyChallenges);
    const asked = { ...(name && { name }), ...(authenticatorAttachment && { authenticatorAttachment }) };
    const answer = await adapter.ask(req, undefined, `${req.path}?${new URLSearchParams(asked)}`);
    if (own && answer.status === 200) Object.assign((answer.json as { user: object }).user, { id: handleOf(own.user.id) });
    adapter.send(res, answer);
  });
  byGetOrPost('/passkey/generate-authenticate-options', async (req, res) => {
    checkBody(body.NoBody, inputOf(req, []));
    await visitors.consume(req, limits.passkeyChallenges);
    const answer = await adapter.ask(req, undefined, req.path);
    if (answer.status === 200) Object.assign(answer.json as object, { userVerification: 'required' });
    adapter.send(res, answer);
  });
  routes.post('/passkey/verify-registration', async (req, res) => {
    const input = checkBody(passkey.RegisterPasskeyBody, req.body);
    const answer = await sharingPasswordLock(req, (await adapter.sessionOf(req))?.user.id, () => adapter.ask(req, input));
    // better-auth answers 500 when it cannot verify what the device sent, but that is the caller's fault.
    adapter.send(res, answer.code === 'FAILED_TO_VERIFY_REGISTRATION' ? { ...answer, status: 400 } : answer);
  });
  routes.post('/passkey/delete-passkey', async (req, res) => {
    const input = checkBody(passkey.PasskeyBody, req.body);
    await requireRecentSignIn(req, res);
    adapter.send(res, asUnknown(res, await adapter.ask(req, input)));
  });
  routes.post('/passkey/verify-authentication', async (req, res) => {
    const input = checkBody(passkey.PasskeySignInBody, req.body);
    const owner = await passkeys.ownerOf(input.response.id);
    await sendSignIn(req, res, await sharingPasswordLock(req, owner, () => adapter.ask(req, input)));
  });

  routes.post('/change-password', async (req, res) => {
    const input = checkBody(body.ChangePasswordBody, req.body);
    refuseCommonPassword(input.newPassword);
    adapter.send(res, await withPasswordLimit(req, res, { ...input, revokeOtherSessions: true }));
  });
  routes.post('/delete-user', async (req, res) => {
    const { password } = checkBody(body.DeleteAccountBody, req.body);
    if (!password) await requireRecentSignIn(req, res);
    adapter.send(res, await withPasswordLimit(req, res, { password }));
  });
  routes.post('/reset-password', link.reset);
  routes.post('/request-password-reset', async (req, res) => {
    const input = checkBody(body.RequestResetBody, req.body);
    await visitors.consume(req, limits.mailRequests);
    adapter.send(res, await withMinimumDuration(adapter.ask(req, input)));
  });
  routes.post('/send-verification-email', async (req, res) => {
    const input = checkBody(body.SendVerificationBody, req.body);
    await visitors.consume(req, limits.mailRequests);
    adapter.send(res, await adapter.ask(req, input));
  });
  routes.post('/change-email', async (req, res) => {
    const input = checkBody(body.ChangeEmailBody, req.body);
    await requireRecentSignIn(req, res);
    await visitors.consume(req, limits.mailRequests);
    const work = sharingPasswordLock(req, res.locals.accountId, () => adapter.ask(req, input));
    adapter.send(res, await withMinimumDuration(work));
  });
  // Express would answer HEAD by the GET route, so a mail scanner's HEAD request would use up the link.
  routes.head('/verify-email', (_req, res) => res.set('cache-control', 'no-store').end());
  byGetOrPost('/verify-email', async (req, res) => {
    const Input = req.method === 'POST' ? body.ConfirmBody : body.OpenLink;
    await link.confirm(req, res, checkBody(Input, inputOf(req, ['token', 'callbackURL'])));
  });
  for (const { path, methods } of operationsOf(routes)) routes.all(path, refuseMethod(methods));
  return routes;

  /** The specification has POST for all operations. Links and browsers use GET for these. */
  function byGetOrPost(path: string, handler: (req: Request, res: Response) => Promise<void>): void {
    routes.get(path, handler);
    routes.post(path, handler);
  }

  /**
   * Reads the session first, which fails while the database is down. better-auth alone would answer that nobody is signed in, and it reports
   * success even if it could not read, and so did not end, a session.
   * @param isEnded whether the operation ends the session `id`, given that the request was sent in the session `own`
   */
  function inSession<Input extends object>(
    path: string,
    Body: new () => Input,
    isEnded = (_id: string, _own: string, _input: Input) => false,
  ) {
    routes.post(path, async (req, res) => {
      const input = checkBody(Body, req.body);
      const own = await adapter.sessionOf(req);
      res.locals.accountId = own?.user.id;
      const answer = await adapter.ask(req, input);
      if (own && (await sessions.list(own.user.id)).some(({ id }) => isEnded(id, own.session.id, input))) throw databaseUnavailable();
      adapter.send(res, asUnknown(res, answer));
    });
  }

  /** Runs work in the hash queue while nobody changes the account's password. */
  function sharingPasswordLock<T>(req: Request, accountId: string | null | undefined, work: () => Promise<T>): Promise<T> {
    return hashQueue.run(hashRequest(req, accountId), () => passwordLock.shared(accountId ?? null, work));
  }

  function hashRequest(req: Request, account?: string | null, source: string | null = null): HashRequest {
    return { account: (account ?? 'nobody').toLowerCase(), source: source ?? addressOf(req), hasLeft: () => req.socket.destroyed };
  }

  /** With `REQUIRE_VERIFIED_EMAIL`, a wrong password and an unverified address get the same answer, so neither tells if an account exists. */
  function withoutHint(answer: Answer): Answer {
    const isRefused = answer.code === 'EMAIL_NOT_VERIFIED' || answer.code === 'INVALID_EMAIL_OR_PASSWORD';
    if (!config.requireVerifiedEmail || !isRefused) return answer;
    const message = 'Wrong address or password, or the address is not verified yet. Open the link in our email, or choose a new password.';
    return { ...answer, status: 401, code: 'INVALID_EMAIL_OR_PASSWORD', json: { code: 'INVALID_EMAIL_OR_PASSWORD', message } };
  }

  /** Sends the answer to a sign-in. After a success the browser and the address are recognized devices of the person. */
  async function sendSignIn(req: Request, res: Response, answer: Answer): Promise<void> {
    if (answer.signedInUserId) await recognizedDevices.remember(req, res, answer.signedInUserId);
    res.locals.accountId = answer.signedInUserId ?? undefined;
    adapter.send(res, answer);
  }

  /** Limits wrong passwords in confirmations, so that a stolen session cannot be used to guess the password. */
  async function withPasswordLimit(req: Request, res: Response, input: object): Promise<Answer> {
    const session = (await adapter.sessionOf(req))?.session;
    res.locals.accountId = session?.userId;
    const limit = limits.wrongConfirmations(session?.id);
    return hashQueue.run(hashRequest(req, session?.userId), async () => {
      const begun = await limiter.tryBegin([limit.key], [limit]);
      refuseIfLimited(begun.wait);
      const ask = () => passwordLock.exclusive(session?.userId ?? null, () => adapter.ask(req, input));
      return limiter.end(begun, ask, ({ code }) => (code === 'INVALID_PASSWORD' ? [limit.key] : []));
    });
  }

  /** @throws AppError `forbidden` unless the session began within the last ten minutes, by password or passkey */
  async function requireRecentSignIn(req: Request, res: Response): Promise<void> {
    const own = await adapter.sessionOf(req);
    res.locals.accountId = own?.user.id;
    if (own && !(await sessions.isYoungerThan(own.session.id, recentSeconds))) {
      throw new AppError(
        'forbidden',
        'Sign in again, by password or passkey, to change this: your last sign-in was more than ten minutes ago.',
      );
    }
  }

  function refuseCommonPassword(password: string, email = ''): void {
    common.refuseCommonPassword(password, ['Parcel Records', new URL(config.baseUrl).hostname, email, email.split('@')[0]!]);
  }
}

/** In a session, better-auth's 401 says that an id is another account's. It is answered like one that nobody has. */
function asUnknown(res: Response, answer: Answer): Answer {
  if (answer.status !== 401 || res.locals.accountId === undefined || !res.req.path.startsWith('/passkey/')) return answer;
  return { ...answer, status: 404, code: 'PASSKEY_NOT_FOUND', json: { code: 'PASSKEY_NOT_FOUND', message: 'Passkey not found' } };
}

/** The input of a request: the body of a POST, or the named query parameters of a GET. */
function inputOf({ method, query, body }: Request, names: string[]): unknown {
  if (method === 'POST') return body;
  return Object.fromEntries(names.filter((name) => query[name] !== undefined).map((name) => [name, query[name]]));
}

/** Takes equally long whether or not the account exists. For verification mails better-auth does so itself. */
async function withMinimumDuration(work: Promise<Answer>): Promise<Answer> {
  const [answer] = await Promise.all([work, pause(minDurationMs)]);
  return answer;
}

/** Logs each operation that may change access, whether it succeeded or not. Email addresses are not logged. */
function logOperation(log: Logger) {
  return (req: Request, res: Response, next: NextFunction) => {
    const operation = req.path;
    res.once('finish', () => {
      if (req.method !== 'POST' && operation !== '/verify-email') return;
      const { requestId, accountId: account } = res.locals;
      log.info({ requestId, operation, status: res.statusCode, account, address: addressOf(req) }, 'authentication');
    });
    next();
  };
}
