import { checkAgainstContract } from './contract.js';

// biome-ignore lint/suspicious/noExplicitAny: answers are checked against the contract, and by what each test expects
export type Json = any;

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  json: Json;
}

export interface CallOptions {
  token?: string | undefined;
  cookie?: string | undefined;
  headers?: Record<string, string> | undefined;
  /** Sent as JSON, except text and bytes, which are sent as they are. */
  body?: unknown;
}

/** A refusal in short: its status and code, and the parameters that it names. */
export async function refusalOf(answer: Answer | Promise<Answer>): Promise<string> {
  const { status, json } = await answer;
  return [status, json.error, ...(json.details ?? []).map(({ parameter }: { parameter: string }) => parameter)].join(' ');
}

/** The path of the next page, as `Link` names it. */
export const nextOf = ({ headers }: Pick<Answer, 'headers'>): string | undefined =>
  headers.get('link')?.match(/^<https?:\/\/[^/]+([^>]+)>; rel="next"$/)?.[1];

export const cursorOf = (answer: Answer): string => new URLSearchParams(nextOf(answer)!.split('?')[1]).get('cursor')!;

/** Calls one service over HTTP; every answer is held against schema/openapi.yaml. */
export class Caller {
  constructor(
    readonly url: string,
    /** Sent with every request: an address through a proxy, an origin. */
    readonly headers: Record<string, string> = {},
  ) {}

  /** @param path or a whole link to the service, as mails have them */
  async call(method: string, path: string, { token, cookie, headers, body }: CallOptions = {}): Promise<Answer> {
    const response = await fetch(path.startsWith('/') ? this.url + path : path, {
      method,
      redirect: 'manual',
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(cookie && { cookie }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...this.headers,
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = text !== '' && response.headers.get('content-type')?.startsWith('application/json');
    const json = isJson ? JSON.parse(text) : undefined;
    const { status, headers: answered } = response;
    checkAgainstContract({ method, path: new URL(response.url).pathname, status, headers: answered, body: isJson ? json : text });
    return { status: response.status, headers: response.headers, text, json };
  }

  get(path: string, options?: CallOptions): Promise<Answer> {
    return this.call('GET', path, options);
  }

  post(path: string, options?: CallOptions): Promise<Answer> {
    return this.call('POST', path, options);
  }
}
