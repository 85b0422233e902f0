import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import type { DataSource } from 'typeorm';
import { addressOf } from '../../core/client-address.js';
import { UserEntity } from '../identity/user.entity.js';
import type { BrowserCookie } from './browser-cookie.js';
import { KnownSourceEntity } from './recognized-device.entity.js';

/**
 * Where each person has signed in from before: addresses, and browsers known by a cookie. An attempt from there is very likely the
 * owner's, so failures of others, at the same account or from the same address, do not limit it.
 */
export class KnownSources {
  constructor(
    private readonly dataSource: DataSource,
    private readonly browserCookie: BrowserCookie,
  ) {}

  /** The source of the request if the account was used from it before: the browser, else the address; null if from neither. */
  async find(req: Request, email: string): Promise<string | null> {
    const sources = sourcesOf(this.browserCookie.read(req), req);
    const known = await this.dataSource
      .getRepository(KnownSourceEntity)
      .createQueryBuilder('k')
      .innerJoin(UserEntity, 'u', 'u.id = k.userId')
      .where('u.email = :email and k.source in (:...sources)', { email: email.toLowerCase(), sources })
      .getMany();
    return sources.find((source) => known.some((row) => row.source === source)) ?? null;
  }

  /** Called after a successful sign-in. */
  async remember(req: Request, res: Response, userId: string): Promise<void> {
    const sources = sourcesOf(this.browserCookie.readOrSet(req, res), req);
    await this.dataSource
      .getRepository(KnownSourceEntity)
      .createQueryBuilder()
      .insert()
      .values(sources.map((source) => ({ userId, source })))
      .orUpdate(['seen_at'], ['user_id', 'source'])
      .execute();
  }

  async prune(): Promise<void> {
    await this.dataSource
      .getRepository(KnownSourceEntity)
      .createQueryBuilder()
      .delete()
      .where(`seen_at < service_now() - interval '1 year'`)
      .execute();
  }
}

function sourcesOf(browser: string | undefined, req: Request): string[] {
  const address = `address ${addressOf(req)}`;
  return browser ? [`browser ${createHash('sha256').update(browser).digest('base64url')}`, address] : [address];
}
