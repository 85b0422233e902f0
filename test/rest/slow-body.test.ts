import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import express from 'express';
import { cutSlowBodies } from '../../src/rest/slow-body.js';
import { closeAtEnd } from '../harness/closing.js';

const patienceMs = 100;
let server: Server;
beforeAll(async () => {
  const app = express();
  app.use(cutSlowBodies(patienceMs, (path) => path.startsWith('/uploads/')));
  app.get('/early', (_request, response) => {
    response.end('answered');
  });
  app.use((request, response) => {
    request.resume().once('end', () => setTimeout(() => response.end('done'), 2 * patienceMs));
  });
  server = createServer({ keepAliveTimeout: 60_000 }, app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeAtEnd(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
});

/** Sends half a body, and the rest after longer than the server's patience; what came back until the connection ended. */
function sendSlowly(path: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => {});
    socket.on('data', (data) => (answer += data));
    socket.on('close', () => resolve(answer));
    socket.write(`PUT ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 8\r\n\r\nhalf`);
    setTimeout(() => socket.write('half'), 2 * patienceMs);
  });
}

describe('a request whose body does not arrive', () => {
  it('is cut off', async () => expect(await sendSlowly('/graphql')).toBe(''));

  it('is cut off also when it was answered already', async () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const received = socket.setEncoding('latin1').toArray();
    socket.write('GET /early HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8\r\n\r\nhalf');
    expect((await received).join('')).toContain('answered');
  });

  it('may take longer where files are uploaded', async () => expect(await sendSlowly('/uploads/county.zip')).toContain('200 OK'));

  it('is not mistaken for one that is answered slowly', async () => {
    const { port } = server.address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}/graphql`, { method: 'POST', body: 'whole' });
    expect(answer.status).toBe(200);
  });
});
