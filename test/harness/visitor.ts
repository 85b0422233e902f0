import { randomUUID } from 'node:crypto';

export interface Reply {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any;
}

interface Sent {
  body?: unknown;
  headers?: Record<string, string> | undefined;
}

/** Somebody at a browser: keeps cookies, and calls one service. */
export class Visitor {
  readonly cookies = new Map<string, string>();
  readonly email = `${randomUUID()}@example.com`;
  password = 'correct horse battery';
  name = 'Ada Lovelace';
  id = '';

  constructor(
    readonly url: string,
    /** Sent with every request: an address through a proxy, an origin. */
    readonly headers: Record<string, string> = {},
  ) {}

  get = (path: string, headers?: Record<string, string>) => this.send('GET', path, { headers });

  post = (path: string, body: unknown = {}, headers?: Record<string, string>) => this.send('POST', path, { body, headers });

  async signUp(more: object = {}): Promise<Reply> {
    const reply = await this.post('/api/auth/sign-up/email', { name: this.name, email: this.email, password: this.password, ...more });
    this.id = reply.body.user?.id ?? '';
    return reply;
  }

  signIn = (password = this.password) => this.post('/api/auth/sign-in/email', { email: this.email, password });

  /** The same person with the same cookies, whatever is then done to the ones here. */
  copy(headers = this.headers): Visitor {
    const { email, password, id } = this;
    const copy = Object.assign(new Visitor(this.url, headers), { email, password, id });
    for (const [name, value] of this.cookies) copy.cookies.set(name, value);
    return copy;
  }

  /** The same person at another device, or after all cookies were deleted. */
  elsewhere(headers = this.headers): Visitor {
    const other = this.copy(headers);
    other.cookies.clear();
    return other;
  }

  async isSignedIn(): Promise<boolean> {
    return (await this.get('/api/me')).status === 200;
  }

  async send(method: string, path: string, { body, headers }: Sent): Promise<Reply> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(new URL(path, this.url), {
      method,
      redirect: 'manual',
      headers: {
        ...(cookie && { cookie }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...this.headers,
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    for (const set of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!;
      if (value === '') this.cookies.delete(name!);
      else this.cookies.set(name!, value!);
    }
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    return { status: response.status, headers: response.headers, body: isJson && text ? JSON.parse(text) : text };
  }
}
