import { randomUUID } from 'node:crypto';
import { checkAgainstContract } from './contract.js';

// biome-ignore lint/suspicious/noExplicitAny: answers are checked against the contract, and by what each test expects
type Json = any;

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  json: Json;
}

export interface CallOptions {
  token?: string;
  cookie?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

export interface Person {
  email: string;
  password: string;
  cookie: string;
}

export interface Caller {
  url: string;
  /** Calls the service over HTTP; every answer is held against schema/openapi.yaml. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  get(path: string, options?: CallOptions): Promise<Answer>;
  post(path: string, options?: CallOptions): Promise<Answer>;
  /** Runs a GraphQL operation as a session. */
  graphql(cookie: string, query: string, variables?: object): Promise<Json>;
  signUp(email?: string): Promise<Person>;
  /** A new person's trial token. */
  trialToken(): Promise<string>;
}

export function callerOf(url: string): Caller {
  const call: Caller['call'] = async (method, path, { token, cookie, headers, body } = {}) => {
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(cookie !== undefined && { cookie }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (method !== 'HEAD') checkAgainstContract(method, path.split('?')[0]!, response.status, text);
    const isJson = text !== '' && response.headers.get('content-type')?.startsWith('application/json');
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
  };
  const get: Caller['get'] = (path, options) => call('GET', path, options);
  const post: Caller['post'] = (path, options) => call('POST', path, options);
  const signUp: Caller['signUp'] = async (email = `${randomUUID()}@example.com`) => {
    const password = 'correct horse battery';
    const answer = await post('/api/auth/sign-up/email', { body: { name: 'Ada Example', email, password } });
    if (answer.status !== 200) throw new Error(`sign-up answered ${answer.status}: ${answer.text}`);
    return { email, password, cookie: cookieOf(answer) };
  };
  return {
    url,
    call,
    get,
    post,
    graphql: async (cookie, query, variables) => (await post('/graphql', { cookie, body: { query, variables } })).json,
    signUp,
    trialToken: async () => (await post('/api/tokens/trial', { cookie: (await signUp()).cookie })).json.raw_token,
  };
}

/** The cookies that an answer sets, as a browser would send them back. */
export const cookieOf = (answer: Answer): string =>
  answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
