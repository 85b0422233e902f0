import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// The reference for answers that are in memory: node:http writing the bytes of a file, and nothing else.

const body = readFileSync(process.argv[2]!);
const server = createServer((_, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': body.length });
  response.end(body);
});
server.listen(0, '127.0.0.1', () => console.error(JSON.stringify({ port: (server.address() as AddressInfo).port, msg: 'listening' })));
process.on('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
