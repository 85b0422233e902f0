import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

// The reference for answers that are in memory: node:http writing the bytes of a file, and nothing else.

const body = readFileSync(process.argv[2]!);
const server = createServer((_, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': body.length });
  response.end(body);
});
server.listen(Number(process.env.PORT), '127.0.0.1', () => console.log('node:http is up at its port'));
process.on('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
