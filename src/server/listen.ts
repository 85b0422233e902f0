import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { type Config, ConfigError } from '../core/config.js';

/** @throws Error with `EADDRINUSE`, or ConfigError if this machine has no such address */
export async function listen(server: Server, { port, host }: Pick<Config, 'port' | 'host'>): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? error : new ConfigError([`HOST or PORT is wrong: ${error.message}`]));
    });
    server.listen({ port, host }, resolve);
  });
}

/** Notices a taken port before a database is created, started or migrated for nothing. */
export async function requireFreePorts({ port, host, metricsPort, metricsHost }: Config): Promise<void> {
  for (const place of [{ port, host }, ...(metricsPort === undefined ? [] : [{ port: metricsPort, host: metricsHost }])]) {
    const probe = createServer();
    await listen(probe, place);
    await once(probe.close(), 'close');
  }
}
