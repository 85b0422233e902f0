import { type IncomingHttpHeaders, STATUS_CODES } from 'node:http';
import { parseCookies } from 'better-auth/cookies';
import { fromNodeHeaders } from 'better-auth/node';
import type { Request as HttpRequest, Response as HttpResponse } from 'express';
import { addressOf } from '../../core/client-address.js';
import type { Principal } from '../../core/context.js';
import { AppError } from '../../core/errors.js';
import { renewSignatures, signed } from '../identity/secret-rotation.js';
import { toSessionUser } from '../identity/session-user.js';
import type { SessionStore } from '../sessions/session.store.js';
import { authPath, type BetterAuth, clientAddressHeader, sessionIdleSeconds } from './better-auth.js';

const dayMs = 24 * 60 * 60 * 1000;

/** What better-auth answered, without session tokens and what is for ourselves only in the body. */
export interface Answer {
  status: number;
  headers: Headers;
  json: unknown;
  /** better-auth's name of an error. */
  code: string | null;
  /** Set when the answer opens a session for somebody. */
  signedInUserId: string | null;
}

interface BetterAuthAdapterParts {
  auth: BetterAuth;
  sessions: SessionStore;
  /** Scheme, host and port of BASE_URL. */
  origin: string;
  secret: string;
  previousSecret: string | undefined;
}

/** Passes requests from Express to better-auth with trusted headers only, and its answers back without session tokens. */
export class BetterAuthAdapter {
  constructor(private readonly parts: BetterAuthAdapterParts) {}

  /**
   * @param body the validated body, without fields that are not ours
   * @param path with its query, to be asked by GET; unset: method and path of the request, and its query where there is no body
   * @throws AppError not_found for a path that better-auth would read otherwise than our routes did
   */
  async ask(req: HttpRequest, body?: object, path?: string): Promise<Answer> {
    const url = new URL(this.parts.origin + authPath + (path ?? req.url));
    // URL resolves `..` and takes `\` for `/`: the token of a link could so become the name of an operation that is not offered.
    if (url.pathname !== authPath + req.path) throw new AppError('not_found', 'There is nothing at this path.');
    // better-auth takes from the query what the body leaves empty, and only the body was checked.
    if (body) url.search = '';
    const headers = this.headersOf(req.headers);
    headers.set(clientAddressHeader, addressOf(req));
    if (body) headers.set('content-type', 'application/json');
    const response = await this.parts.auth.handler(
      new Request(url, {
        method: path !== undefined || req.method === 'HEAD' ? 'GET' : req.method,
        headers,
        ...(body && { body: JSON.stringify(req.path === '/revoke-session' ? await this.withRealToken(body as { token: string }) : body) }),
      }),
    );
    const text = await response.text();
    const json: unknown = text && response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : undefined;
    const { code, user } = (json ?? {}) as { code?: string; user?: { id?: string } };
    // What better-auth answers while the database is away: it also takes a session that it could not read for none.
    const isAway = code === 'FAILED_TO_GET_SESSION' || code === 'INTERNAL_SERVER_ERROR';
    if (isAway || (code === 'UNAUTHORIZED' && (await this.sessionOf(req)))) throw databaseAway();
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

  /** The session of the request's cookie; null: none. Use prolongs it, once a day. */
  async sessionOf({ headers, res }: HttpRequest) {
    if (!headers.cookie) return null;
    const found = await this.parts.auth.api.getSession({ headers: this.headersOf(headers) });
    if (found && Date.now() - found.session.updatedAt.getTime() > dayMs) {
      const token = await this.parts.sessions.prolong(found.session.id, sessionIdleSeconds);
      if (token) await this.setSessionCookie(res!, token);
    }
    return found;
  }

  /** Whose password a mailed link may change; null: it is no such link, or not any more. */
  async ownerOfResetLink(token: string): Promise<string | null> {
    const { internalAdapter } = await this.parts.auth.$context;
    return (await internalAdapter.findVerificationValue(`reset-password:${token}`))?.value ?? null;
  }

  /** Who sent the request, in two queries, once a day three; none without a cookie. A session that is due for a new token gets it with the answer. */
  async principalOf(req: HttpRequest): Promise<Principal> {
    const found = await this.sessionOf(req);
    if (!found) return { kind: 'anonymous' };
    if (found.session.renewalDue) {
      const token = await this.parts.sessions.renew(found.session.id);
      if (token) await this.setSessionCookie(req.res!, token);
    }
    return { kind: 'user', user: toSessionUser(found.user), sessionId: found.session.id };
  }

  private async setSessionCookie(res: HttpResponse, token: string): Promise<void> {
    const { sessionToken, dontRememberToken } = (await this.parts.auth.$context).authCookies;
    const { secure = false, maxAge = 0 } = sessionToken.attributes;
    // better-auth notes in a cookie of its own that the session is to end with the browser.
    const endsWithBrowser = parseCookies(res.req.headers.cookie ?? '').has(dontRememberToken.name);
    res.cookie(sessionToken.name, signed(token, this.parts.secret), {
      httpOnly: true,
      sameSite: 'lax',
      path: '/',
      secure,
      ...(!endsWithBrowser && { maxAge: maxAge * 1000 }),
    });
  }

  /** Express has interpreted the forwarding headers already (`req.ip`), so better-auth sees none of them. */
  private headersOf(sent: IncomingHttpHeaders): Headers {
    const headers = fromNodeHeaders(sent);
    for (const name of [...headers.keys()]) {
      if (name.startsWith('x-') || /^(forwarded|content-length|transfer-encoding|connection|expect)$/.test(name)) headers.delete(name);
    }
    const { secret, previousSecret } = this.parts;
    if (sent.cookie && previousSecret) headers.set('cookie', renewSignatures(sent.cookie, { current: secret, previous: previousSecret }));
    return headers;
  }

  private async withRealToken({ token: sessionId }: { token: string }): Promise<{ token: string }> {
    return { token: (await this.parts.sessions.tokenOf(sessionId)) ?? '' };
  }
}

export const databaseAway = () => new AppError('unavailable', 'The service is briefly unavailable.', { retryAfterSeconds: 2 });

/** Our error body with better-auth's `code` and message; some refusals have neither. Its `UNAUTHORIZED` is for want of a session. */
function errorBody(status: number, code: string | null, json: unknown, requestId: unknown): object {
  if (code === 'UNAUTHORIZED') return { error: 'unauthenticated', message: 'Sign in first.', code, request_id: requestId };
  const message = STATUS_CODES[status] ?? 'Refused';
  const name = code ?? message.toUpperCase().replaceAll(' ', '_');
  return { error: name.toLowerCase(), message, code: name, ...(json as object), request_id: requestId };
}

/**
 * A session's token gives access to the account, so it is in the cookie only, out of reach of scripts and logs. In bodies a session is
 * named by its id. The id stands under `token`, since better-auth's client sends the value of that field to end a session.
 */
function withoutSecrets(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(withoutSecrets);
  if (typeof json !== 'object' || json === null) return json;
  const { token, renewalDue, banned, deletedAt, ...rest } = json as Record<string, unknown>;
  const visible = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, withoutSecrets(value)]));
  if (token !== undefined && 'expiresAt' in visible && 'userId' in visible) visible.token = visible.id;
  return visible;
}
