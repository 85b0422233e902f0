import { randomUUID } from 'node:crypto';
import { type Answer, Caller, type CallOptions, type Json } from './caller.js';

/** The cookie of a session, where it is not sent over https. */
export const sessionCookie = 'parcel.session_token';

/** The answer to a read. */
export interface ReadAnswer {
  status: number;
  error?: string;
  records: number;
  metering?: { credits_charged: number; credits_remaining: number; overage_records: number; overage_usd: string };
}

interface Shown {
  id: string;
  status: string;
  isLive: boolean;
  creditsRemaining: number;
  overageUsd: string;
  overageCap: number | null;
}

/** Somebody at a browser: keeps cookies, signs up and in, and asks GraphQL as the console does. */
export class Person extends Caller {
  readonly cookies = new Map<string, string>();
  email = `${randomUUID()}@example.com`;
  password = 'correct horse battery';
  name = 'Ada Example';
  id = '';

  static async signUp(url: string, headers?: Record<string, string>): Promise<Person> {
    const person = new Person(url, headers);
    const { status, text } = await person.signUp();
    if (status !== 200) throw new Error(`sign-up answered ${status}: ${text}`);
    return person;
  }

  /** The secret within the session's cookie, without its signature. */
  get sessionToken(): string {
    const value = this.cookies.get(sessionCookie);
    if (value === undefined) throw new Error(`no session: the cookies are ${[...this.cookies.keys()]}`);
    return decodeURIComponent(value).split('.')[0]!;
  }

  /** The cookies as a browser would send them back. */
  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  override async call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const answer = await super.call(method, path, { cookie: this.cookie, ...options });
    for (const set of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!;
      if (value === '') this.cookies.delete(name!);
      else this.cookies.set(name!, value!);
    }
    return answer;
  }

  async signUp(more: object = {}): Promise<Answer> {
    const { name, email, password } = this;
    const answer = await this.post('/api/auth/sign-up/email', { body: { name, email, password, ...more } });
    this.id = answer.json?.user?.id ?? '';
    return answer;
  }

  signIn(password = this.password): Promise<Answer> {
    return this.post('/api/auth/sign-in/email', { body: { email: this.email, password } });
  }

  /** The same person with the same cookies, whatever is then done to the ones here. */
  copy(headers = this.headers, url = this.url): Person {
    const { name, email, password, id } = this;
    const copy = Object.assign(new Person(url, headers), { name, email, password, id });
    for (const [cookie, value] of this.cookies) copy.cookies.set(cookie, value);
    return copy;
  }

  /** The same person at another device, or after all cookies were deleted. */
  elsewhere(headers = this.headers): Person {
    const other = this.copy(headers);
    other.cookies.clear();
    return other;
  }

  /** The same person before another server. */
  at(url: string): Person {
    return this.copy(this.headers, url);
  }

  async isSignedIn(): Promise<boolean> {
    return (await this.get('/api/me')).status === 200;
  }

  /** @returns the operation's data; throws the first fault with its `code`, which its message begins with, too */
  async ask<T = Json>(query: string, variables: object = {}): Promise<T> {
    const { status, json } = await this.post('/graphql', { body: { query, variables } });
    if (json?.data && !json.errors) return json.data;
    if (!json?.errors) throw new Error(`${status} ${JSON.stringify(json)}`);
    const { code } = json.errors[0].extensions;
    throw Object.assign(new Error(`${code}: ${json.errors[0].message}`), { code });
  }

  /** Takes the trial, and answers with the raw token. */
  async trialToken(): Promise<string> {
    return (await this.post('/api/tokens/trial')).json.raw_token;
  }

  /**
   * @param overageCap left out: that of the last subscription
   * @returns the id of the checkout session that the page belongs to
   */
  async startCheckout(overageCap?: number | null): Promise<string> {
    const mutation = 'mutation ($overageCap: Int) { startCheckout(overageCap: $overageCap) }';
    const { startCheckout } = await this.ask<{ startCheckout: string }>(mutation, { overageCap });
    return startCheckout.split('/').at(-1)!;
  }

  /** The subscription, as the console shows it. */
  async subscription(): Promise<Shown | null> {
    const fields = 'id status isLive creditsRemaining overageRecords overageUsd overageCap endsAt periodStart periodEnd';
    return (await this.ask<{ subscription: Shown | null }>(`{ subscription { ${fields} } }`)).subscription;
  }

  async issuePaidToken(name = 'main'): Promise<string> {
    return (await this.ask('mutation ($name: String!) { issuePaidToken(name: $name) { rawToken } }', { name })).issuePaidToken.rawToken;
  }

  async setOverageCap(records: number | null): Promise<void> {
    await this.ask('mutation ($records: Int) { setOverageCap(records: $records) }', { records });
  }

  async read(token: string, records: number): Promise<ReadAnswer> {
    const { status, json } = await this.get(`/api/parcels?limit=${records}`, { token });
    return { status, error: json.error, records: json.parcels?.length ?? 0, metering: json.metering };
  }
}
