import type { IncomingHttpHeaders } from 'node:http';
import { fromNodeHeaders } from 'better-auth/node';
import type { Request as HttpRequest, Response as HttpResponse } from 'express';
import type { Principal } from '../context.js';
import { AppError } from '../errors.js';
import { authPath, type BetterAuth, clientAddressHeader } from './better-auth.js';
import { addressOf } from './client-address.js';
import { renewSignatures, signed } from './secret-rotation.js';
import type { SessionStore } from './session.store.js';
import { toSessionUser } from './session-user.js';

/** What better-auth answered, without what must not leave. */
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

/** Between Express and better-auth: hands requests over with headers that can be believed, and answers back without secrets. */
export class BetterAuthAdapter {
  constructor(private readonly parts: BetterAuthAdapterParts) {}

  /** @param body what was checked, not what was sent */
  async ask(req: HttpRequest, body?: object): Promise<Answer> {
    const url = new URL(req.url, this.parts.origin);
    const headers = this.headersOf(req.headers);
    headers.set(clientAddressHeader, addressOf(req));
    if (body) headers.set('content-type', 'application/json');
    const response = await this.parts.auth.handler(
      new Request(this.parts.origin + authPath + url.pathname + url.search, {
        method: req.method,
        headers,
        ...(body && { body: JSON.stringify(req.path === '/revoke-session' ? await this.withRealToken(body as { token: string }) : body) }),
      }),
    );
    const text = await response.text();
    const json: unknown = text && response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : undefined;
    const { code, user } = (json ?? {}) as { code?: string; user?: { id?: string } };
    // better-auth's word for a store that cannot be read.
    if (code === 'FAILED_TO_GET_SESSION')
      throw new AppError('unavailable', 'The service is briefly unavailable.', { retryAfterSeconds: 2 });
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
    if (json === undefined) res.end();
    else if (code) res.json({ error: code.toLowerCase(), ...(json as object), request_id: res.getHeader('x-request-id') });
    else res.json(json);
  }

  /** The session that a request's cookie opens; null: none. Does not prolong it. */
  async sessionOf(headers: IncomingHttpHeaders) {
    if (!headers.cookie) return null;
    return this.parts.auth.api.getSession({ headers: this.headersOf(headers), query: { disableRefresh: true } });
  }

  /** Whose request it is, in two queries; none without a cookie. A session that is due for another token gets it with the answer. */
  async principalOf(req: HttpRequest): Promise<Principal> {
    const found = await this.sessionOf(req.headers);
    if (!found) return { kind: 'anonymous' };
    if (found.session.renewalDue) {
      const token = await this.parts.sessions.renew(found.session.id);
      if (token) await this.giveCookie(req.res!, token);
    }
    return { kind: 'user', user: toSessionUser(found.user), sessionId: found.session.id };
  }

  private async giveCookie(res: HttpResponse, token: string): Promise<void> {
    const { name, attributes } = (await this.parts.auth.$context).authCookies.sessionToken;
    const { secure = false, maxAge = 0 } = attributes;
    res.cookie(name, signed(token, this.parts.secret), { httpOnly: true, sameSite: 'lax', path: '/', secure, maxAge: maxAge * 1000 });
  }

  /** Forwarding headers are Express' to interpret, in `req.ip`: better-auth sees none of them. */
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

/**
 * A session's token opens the account, so it travels in the cookie only, out of reach of scripts and logs. In bodies a session goes
 * by its id: under `token`, where better-auth's client looks for what it then sends to end one.
 */
function withoutSecrets(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(withoutSecrets);
  if (typeof json !== 'object' || json === null) return json;
  const { token, renewalDue: _, ...rest } = json as Record<string, unknown>;
  const open = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, withoutSecrets(value)]));
  if (token !== undefined && 'expiresAt' in open && 'userId' in open) open.token = open.id;
  return open;
}
