import { request } from 'node:http';
import { connect } from 'node:net';

export interface RawAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

interface RawOptions {
  headers?: Record<string, string>;
  body?: string | Buffer;
}

/** Calls a path letter by letter as it is given: `fetch` would tidy `//admin` and `/x/../y` before sending them. */
export function rawRequest(url: string, method: string, path: string, { headers = {}, body }: RawOptions = {}): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, text })).on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Sends bytes that no HTTP client would, and returns the first line of the answer. */
export function statusLineOf(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let text = '';
    socket.setEncoding('latin1').on('data', (part: string) => {
      text += part;
      if (text.includes('\r\n')) socket.end();
    });
    socket.on('close', () => resolve(text.split('\r\n')[0]!)).on('error', reject);
  });
}
