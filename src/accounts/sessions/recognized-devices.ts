import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import { Column, type DataSource, Entity, PrimaryColumn } from 'typeorm';
import { addressOf } from '../../core/client-address.js';
import { Account } from '../account.js';
import type { BrowserCookie } from './browser-cookie.js';

/** A source from which a person has signed in: an address, or a browser (the hash of its cookie's id). */
@Entity('known_source', { schema: 'auth' })
export class RecognizedDevice {
  @PrimaryColumn('text', { name: 'user_id' })
  userId: string;

  @PrimaryColumn('text')
  source: string;

  @Column('timestamptz', { name: 'seen_at', default: () => 'service_now()' })
  seenAt: Date;
}

/**
 * The addresses and browsers from which each person has signed in. An attempt from one of them is very likely the owner's, so failures of
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
    const known = await this.dataSource
      .getRepository(RecognizedDevice)
      .createQueryBuilder('k')
      .innerJoin(Account, 'u', 'u.id = k.userId')
      .where('u.email = :email and k.source in (:...sources)', { email: email.toLowerCase(), sources })
      .getMany();
    return sources.find((source) => known.some((row) => row.source === source)) ?? null;
  }

  /** Called after a successful sign-in. */
  async remember(req: Request, res: Response, userId: string): Promise<void> {
    const sources = sourcesOf(this.browserCookie.readOrSet(req, res), req);
    await this.dataSource
      .getRepository(RecognizedDevice)
      .createQueryBuilder()
      .insert()
      .values(sources.map((source) => ({ userId, source })))
      .orUpdate(['seen_at'], ['user_id', 'source'])
      .execute();
  }
}

function sourcesOf(browser: string | undefined, req: Request): string[] {
  const address = `address ${addressOf(req)}`;
  return browser ? [`browser ${createHash('sha256').update(browser).digest('base64url')}`, address] : [address];
}
