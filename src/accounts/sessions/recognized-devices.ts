import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import type { DataSource } from 'typeorm';
import { addressOf } from '../../core/client-address.js';
import type { BrowserCookie } from './browser-cookie.js';

/**
 * The addresses, and browsers by the hash of their cookie's id, from which each person has signed in. An attempt from one of them is very likely the owner's, so failures of
 * others, at the same account or from the same address, do not limit it.
 */
export class RecognizedDevices {
  constructor(
    private readonly dataSource: DataSource,
    private readonly browserCookie: BrowserCookie,
  ) {}

  /** The request's browser if the account was used from it before, otherwise its address if so, otherwise null. */
  async find(req: Request, email: string): Promise<string | null> {
    const sources = sourcesOf(this.browserCookie.read(req), req);
    const known = await this.dataSource.query<{ source: string }[]>(
      `select k.source from auth.known_source k join auth."user" u on u.id = k.user_id where u.email = $1 and k.source = any($2)`,
      [email.toLowerCase(), sources],
    );
    return sources.find((source) => known.some((row) => row.source === source)) ?? null;
  }

  /** Called after a successful sign-in. */
  async remember(req: Request, res: Response, userId: string): Promise<void> {
    const sources = sourcesOf(this.browserCookie.readOrSet(req, res), req);
    await this.dataSource.query(
      `insert into auth.known_source (user_id, source) select $1, unnest($2::text[])
       on conflict (user_id, source) do update set seen_at = excluded.seen_at`,
      [userId, sources],
    );
  }
}

function sourcesOf(browser: string | undefined, req: Request): string[] {
  const address = `address ${addressOf(req)}`;
  return browser ? [`browser ${createHash('sha256').update(browser).digest('base64url')}`, address] : [address];
}
