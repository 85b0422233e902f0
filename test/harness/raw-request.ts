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

/** Sends bytes that no HTTP client would, and returns all that is answered until the server closes the connection. */
export function sendBytes(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let text = '';
    socket.setEncoding('utf8').on('data', (part: string) => (text += part));
    socket.on('close', () => resolve(text)).on('error', reject);
  });
}
