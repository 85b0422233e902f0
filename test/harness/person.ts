/** What a read answered. */
export interface ReadAnswer {
  status: number;
  error?: string;
  records: number;
  metering?: { credits_charged: number; credits_remaining: number; overage_records: number; overage_usd: string };
}

/** Somebody with a session, who calls the service as the console does. */
export class Person {
  private constructor(
    readonly url: string,
    private readonly origin: string,
    private readonly cookie: string,
    readonly id: string,
    readonly email: string,
  ) {}

  static async signUp(url: string, origin: string, name: string): Promise<Person> {
    const email = `${name.toLowerCase()}@example.com`;
    const response = await fetch(`${url}/api/auth/sign-up/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin },
      body: JSON.stringify({ name, email, password: 'correct horse battery staple' }),
    });
    if (!response.ok) throw new Error(`sign-up: ${response.status} ${await response.text()}`);
    const cookie = response.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ');
    const { user } = (await response.json()) as { user: { id: string } };
    return new Person(url, origin, cookie, user.id, email);
  }

  get headers(): Record<string, string> {
    return { cookie: this.cookie, origin: this.origin, 'content-type': 'application/json' };
  }

  /** The same person before another server. */
  at(url: string): Person {
    return new Person(url, this.origin, this.cookie, this.id, this.email);
  }

  /** @returns the operation's data; throws the first error's code */
  async graphql<T>(query: string, variables: object = {}): Promise<T> {
    const response = await fetch(`${this.url}/graphql`, {
      method: 'POST',
      headers: this.headers,
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = (await response.json()) as { data: T; errors?: { message: string; extensions: { code: string } }[] };
    if (errors) throw new Error(`${errors[0]!.extensions.code}: ${errors[0]!.message}`);
    return data;
  }

  async startCheckout(): Promise<string> {
    const { startCheckout } = await this.graphql<{ startCheckout: string }>('mutation { startCheckout }');
    return startCheckout.split('/').at(-1)!;
  }

  async issuePaidToken(name = 'main'): Promise<string> {
    const { issuePaidToken } = await this.graphql<{ issuePaidToken: { rawToken: string } }>(
      'mutation ($name: String!) { issuePaidToken(name: $name) { rawToken } }',
      { name },
    );
    return issuePaidToken.rawToken;
  }

  async setOverageCap(records: number | null): Promise<void> {
    await this.graphql('mutation ($records: Int) { setOverageCap(records: $records) }', { records });
  }

  async read(token: string, records: number): Promise<ReadAnswer> {
    const response = await fetch(`${this.url}/api/parcels?limit=${records}`, { headers: { authorization: `Bearer ${token}` } });
    const body = (await response.json()) as { error?: string; parcels?: unknown[]; metering?: ReadAnswer['metering'] };
    return { status: response.status, error: body.error, records: body.parcels?.length ?? 0, metering: body.metering };
  }
}
