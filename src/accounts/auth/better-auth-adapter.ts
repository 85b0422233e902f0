import { randomBytes } from 'node:crypto';
import { type IncomingHttpHeaders, STATUS_CODES } from 'node:http';
import { getCookies, parseCookies } from 'better-auth/cookies';
import { fromNodeHeaders } from 'better-auth/node';
import type { Request as HttpRequest, Response as HttpResponse } from 'express';
import { addressOf } from '../../core/client-address.js';
import type { Principal } from '../../core/context.js';
import { AppError } from '../../core/errors.js';
import { type AuthSecrets, renewSignatures, signed, verifiedText } from '../auth-secret.js';
import type { SessionStore } from '../sessions/session.store.js';
import { authPath, type BetterAuth, clientAddressHeader, linkSeconds, sessionIdleSeconds } from './better-auth.js';

const dayMs = 24 * 60 * 60 * 1000;

/** better-auth's answer. The body has no session tokens and no internal fields. */
export interface Answer {
  status: number;
  headers: Headers;
  json: unknown;
  /** better-auth's error code. */
  code: string | null;
  /** Set if the answer opens a session. */
  signedInUserId: string | null;
}

/** Passes requests from Express to better-auth with trusted headers only, and returns its answers without session tokens. */
export class BetterAuthAdapter {
  private readonly cookieName: string;

  constructor(
    private readonly auth: BetterAuth,
    private readonly sessions: SessionStore,
    private readonly secrets: AuthSecrets,
  ) {
    this.cookieName = getCookies(auth.options).sessionToken.name;
  }

  /**
   * @param body the validated body, without unknown fields
   * @param path path and query to request by GET. Default: the request's method and path, with its query if there is no body
   * @throws AppError not_found for a path that better-auth would read differently than our routes
   */
  async ask(req: HttpRequest, body?: object, path?: string): Promise<Answer> {
    const url = new URL(this.auth.options.baseURL + authPath + (path ?? req.url));
    // URL resolves `..` and reads `\` as `/`, so the token in a link could become the name of an operation that we don't offer.
    if (url.pathname !== authPath + req.path) throw new AppError('not_found', 'There is nothing at this path.');
    // better-auth reads missing body fields from the query, and only the body was checked.
    if (body) url.search = '';
    const headers = this.headersOf(req.headers);
    headers.set(clientAddressHeader, addressOf(req));
    if (body) headers.set('content-type', 'application/json');
    const response = await this.auth.handler(
      new Request(url, {
        method: path !== undefined || req.method === 'HEAD' ? 'GET' : req.method,
        headers,
        ...(body && { body: JSON.stringify(req.path === '/revoke-session' ? await this.withRealToken(body as { token: string }) : body) }),
      }),
    );
    const text = await response.text();
    const json: unknown = text && response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : undefined;
    const { code, user } = (json ?? {}) as { code?: string; user?: { id?: string } };
    // better-auth's answers while the database is down. It also treats a session that it could not read as missing.
    const isAway = code === 'FAILED_TO_GET_SESSION' || code === 'INTERNAL_SERVER_ERROR';
    if (isAway || (code === 'UNAUTHORIZED' && (await this.sessionOf(req)))) throw databaseUnavailable();
    const opensSession = response.headers.getSetCookie().some((cookie) => /session_token=[^;]/.test(cookie));
    return {
      status: response.status,
      headers: response.headers,
      json: withoutSecrets(json),
      code: code ?? null,
      signedInUserId: (opensSession && user?.id) || null,
    };
  }

  send(res: HttpResponse, { status, headers, json, code }: Answer): void {
    res.status(status).set('cache-control', 'no-store');
    const location = headers.get('location');
    if (location) res.set('location', location);
    for (const cookie of headers.getSetCookie()) res.append('set-cookie', cookie);
    if (status >= 400) res.json(errorBody(status, code, json, res.getHeader('x-request-id')));
    else if (json === undefined) res.end();
    else res.json(json);
  }

  /** The token in the session's cookie, if we signed it. The session may have ended. */
  signedSessionOf({ headers }: HttpRequest): string | undefined {
    return verifiedText(parseCookies(headers.cookie ?? '').get(this.cookieName) ?? '', this.secrets);
  }

  /** The session of the request's cookie, or null. Prolongs it once a day. */
  async sessionOf({ headers, res }: HttpRequest) {
    if (!headers.cookie) return null;
    const found = await this.auth.api.getSession({ headers: this.headersOf(headers) });
    if (found && Date.now() - found.session.updatedAt.getTime() > dayMs) {
      const token = await this.sessions.prolong(found.session.id, sessionIdleSeconds);
      if (token) await this.setSessionCookie(res!, token);
    }
    return found;
  }

  /** The account whose password a reset link may change; null if the link is unknown or no longer works. */
  async ownerOfResetLink(token: string): Promise<string | null> {
    const { internalAdapter } = await this.auth.$context;
    const link = await internalAdapter.findVerificationValue(`reset-password:${token}`);
    return link && link.expiresAt > new Date() ? link.value : null;
  }

  /** @returns the token of a password reset link, for a person who has just proved to own the account's address */
  async createResetLink(accountId: string): Promise<string> {
    const token = randomBytes(24).toString('base64url');
    const { internalAdapter } = await this.auth.$context;
    const expiresAt = new Date(Date.now() + linkSeconds * 1000);
    await internalAdapter.createVerificationValue({ identifier: `reset-password:${token}`, value: accountId, expiresAt });
    return token;
  }

  /** Who sent the request. Two queries, three once a day, none without a cookie. A session with `renewalDue` gets its new token with the answer. */
  async principalOf(req: HttpRequest): Promise<Principal> {
    const found = await this.sessionOf(req);
    if (!found) return { kind: 'anonymous' };
    if (found.session.renewalDue) {
      const token = await this.sessions.renew(found.session.id);
      if (token) await this.setSessionCookie(req.res!, token);
    }
    // Public fields only. An unknown role counts as `user`.
    const { id, email, name, emailVerified, createdAt, role } = found.user;
    const user = { id, email, name, emailVerified, createdAt, role: role === 'admin' ? ('admin' as const) : ('user' as const) };
    return { kind: 'user', user, sessionId: found.session.id };
  }

  private async setSessionCookie(res: HttpResponse, token: string): Promise<void> {
    const { sessionToken, dontRememberToken } = (await this.auth.$context).authCookies;
    const { secure = false, maxAge = 0 } = sessionToken.attributes;
    // better-auth notes in a separate cookie that the session ends with the browser.
    const endsWithBrowser = parseCookies(res.req.headers.cookie ?? '').has(dontRememberToken.name);
    res.cookie(sessionToken.name, signed(token, this.secrets), {
      httpOnly: true,
      sameSite: 'lax',
      path: '/',
      secure,
      ...(!endsWithBrowser && { maxAge: maxAge * 1000 }),
    });
  }

  /** Removes the forwarding headers: Express has interpreted them already (`req.ip`). */
  private headersOf(sent: IncomingHttpHeaders): Headers {
    const headers = fromNodeHeaders(sent);
    for (const name of [...headers.keys()]) {
      if (name.startsWith('x-') || /^(forwarded|content-length|transfer-encoding|connection|expect)$/.test(name)) headers.delete(name);
    }
    if (sent.cookie && this.secrets.length > 1) headers.set('cookie', renewSignatures(sent.cookie, this.secrets));
    return headers;
  }

  private async withRealToken({ token: sessionId }: { token: string }): Promise<{ token: string }> {
    return { token: (await this.sessions.tokenOf(sessionId)) ?? '' };
  }
}

export const databaseUnavailable = () => new AppError('unavailable', 'The service is briefly unavailable.', { retryAfterSeconds: 2 });

/** Our error body with better-auth's `code` and message, which some refusals lack. Its `UNAUTHORIZED` means that there is no session. */
function errorBody(status: number, code: string | null, json: unknown, requestId: unknown): object {
  if (code === 'UNAUTHORIZED') return { error: 'unauthenticated', message: 'Sign in first.', code, request_id: requestId };
  const message = STATUS_CODES[status] ?? 'Refused';
  const name = code ?? message.toUpperCase().replaceAll(' ', '_');
  return { error: name.toLowerCase(), message, code: name, ...(json as object), request_id: requestId };
}

/**
 * A session's token gives access to the account, so it is only in the cookie, out of reach of scripts and logs. Bodies identify a session
 * by its id. The id is also returned as `token`, because better-auth's client sends that field to end a session.
 */
function withoutSecrets(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(withoutSecrets);
  if (typeof json !== 'object' || json === null) return json;
  const { token, renewalDue, banned, deletedAt, ...rest } = json as Record<string, unknown>;
  const visible = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, withoutSecrets(value)]));
  if (token !== undefined && 'expiresAt' in visible && 'userId' in visible) visible.token = visible.id;
  return visible;
}
