import type { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { call, newAgent, type Patience } from './call.js';
import { countyCodes } from './counties.js';
import { type Attempt, attemptFrom } from './delivery.js';
import { patiently } from './patiently.js';
import type { Purses, Token } from './purse.js';
import type { Random } from './random.js';

/** A read under one key: tried again until something is said that stands. */
export interface KeyedRead {
  token: Token;
  key: string;
  query: string;
  isSettled: boolean;
  /** Whether what was said was the records. A refusal may have overtaken a try that its caller had given up. */
  isDelivered: boolean;
}

interface Surroundings {
  servers: { name: string; url: string }[];
  purses: Purses;
  /** The tokens that clients share; a client that lost an answer without a key takes a token nobody else has. */
  paid: Token[];
  random: Random;
  log: Attempt[];
  keyed: KeyedRead[];
}

const retriesOfAKey = 6;
const retryMs = 100;

/** One customer's program: reads again and again, in all the ways in which programs misbehave. */
export class Client {
  private readonly random: Random;
  private readonly agent: Agent = newAgent();
  private token: Token | null = null;
  private next: { query: string; token: Token } | null = null;
  private keysMade = 0;

  constructor(
    private readonly name: string,
    private readonly around: Surroundings,
  ) {
    this.random = around.random.fork(name);
  }

  async run(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      this.token ??= await patiently(() => this.newToken());
      const isKeyed = this.random.chance(0.5);
      await (isKeyed ? this.readWithKey(this.token, isOver) : this.readOnce(this.token));
    }
    this.agent.destroy();
  }

  /** Without a key every lost answer is final, and its token is used no more: so whatever it was charged belongs to that answer. */
  private async readOnce(token: Token): Promise<void> {
    const attempt = await this.attempt(token, null, this.query(token), this.patience());
    const isLost = attempt.end !== 'whole' || attempt.status! >= 500;
    if (isLost || isRefused(attempt)) this.token = null;
  }

  private async readWithKey(token: Token, isOver: () => boolean): Promise<void> {
    const key = `${this.name}-${++this.keysMade}`;
    const read: KeyedRead = { token, key, query: this.query(token), isSettled: false, isDelivered: false };
    this.around.keyed.push(read);
    // The very pair that once gave records away: the first is given up, and its twin is already under way.
    if (this.random.chance(0.2)) {
      const twins = [this.patience(), this.patience()].map((patience) => this.attempt(token, read.key, read.query, patience));
      for (const attempt of await Promise.all(twins)) settle(read, attempt);
    }
    for (let tries = 0; tries < retriesOfAKey && !read.isSettled && !isOver(); tries++) {
      const attempt = await this.attempt(token, read.key, read.query, this.patience());
      settle(read, attempt);
      if (isRefused(attempt)) this.token = null;
      if (!read.isSettled) await pause(this.random.between(5, 80));
      if (this.random.chance(0.06)) break; // gives up, and comes back for it when everything is over
    }
    // Delivered, and asked for again all the same: the retry of a client that lost its notes.
    if (read.isSettled && this.random.chance(0.15)) await this.attempt(token, read.key, read.query, {});
  }

  private async attempt(token: Token, key: string | null, query: string, patience: Patience): Promise<Attempt> {
    const server = this.random.pick(this.around.servers);
    const attempt = await readAt(server, token, key, query, this.agent, patience);
    this.around.log.push(attempt.attempt);
    if (attempt.attempt.end === 'never connected') await pause(this.random.between(50, 150));
    this.next = attempt.next === null || !this.random.chance(0.7) ? null : { query: attempt.next, token };
    return attempt.attempt;
  }

  private query(token: Token): string {
    if (this.next && this.next.token === token) return this.next.query;
    const limit = this.random.chance(0.7) ? this.random.between(1, 10) : this.random.between(20, 200);
    const county = this.random.chance(0.6) ? `&county_fips=${this.random.pick(countyCodes)}` : '';
    return `limit=${limit}${county}`;
  }

  private patience(): Patience {
    switch (this.random.weighted({ patient: 70, 'leaves soon': 12, 'leaves in the middle': 10, 'times out': 8 })) {
      case 'patient':
        return {};
      case 'leaves soon':
        return { leavesAfterMs: this.random.between(0, 30) };
      case 'leaves in the middle':
        return { leavesAfterBytes: this.random.between(1, 3_000) };
      case 'times out':
        return { leavesAfterMs: this.random.between(200, 2_000) };
    }
  }

  private async newToken(): Promise<Token> {
    if (this.random.chance(0.25)) return this.around.purses.open('trial');
    return this.around.purses.open('paid', this.random.pick(this.around.paid).accountId);
  }
}

/** One try at one server; the place of the page after it is told beside. */
async function readAt(
  server: { name: string; url: string },
  token: Token,
  key: string | null,
  query: string,
  agent: Agent,
  patience: Patience,
): Promise<{ attempt: Attempt; next: string | null }> {
  const headers = { authorization: `Bearer ${token.raw}`, ...(key !== null && { 'idempotency-key': key }) };
  const heard = await call(`${server.url}/api/parcels?${query}`, headers, agent, patience);
  const attempt = attemptFrom(heard, { tokenId: token.id, key, query, server: server.name });
  const link = /<([^>]+)>; rel="next"/.exec(heard.link ?? '')?.[1];
  return { attempt, next: link ? new URL(link).search.slice(1) : null };
}

/** Asks at one server after the other until something is said that stands, or it is over. */
export async function askUntilSettled(
  read: KeyedRead,
  servers: { name: string; url: string }[],
  agent: Agent,
  log: Attempt[],
  patience: Patience,
  isOver: () => boolean,
): Promise<void> {
  for (let turn = 0; !read.isSettled && !isOver(); turn++) {
    const server = servers[turn % servers.length]!;
    const { attempt } = await readAt(server, read.token, read.key, read.query, agent, patience);
    log.push(attempt);
    settle(read, attempt);
    if (!read.isSettled) await pause(retryMs);
  }
}

/** Settles a read by a final answer: the records, or that they cannot be had. */
function settle(read: KeyedRead, attempt: Attempt): void {
  if (attempt.end === 'whole' && attempt.status! < 500 && attempt.status !== 409 && attempt.status !== 429) read.isSettled = true;
  if (attempt.end === 'whole' && attempt.status === 200) read.isDelivered = true;
}

const isRefused = (attempt: Attempt): boolean => attempt.end === 'whole' && attempt.status! >= 400 && attempt.status! < 500;
