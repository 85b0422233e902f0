import { rm } from 'node:fs/promises';

export default async function stop() {
  if (!globalThis.testServer) return;
  await globalThis.testServer.server.release();
  await rm(globalThis.testServer.dataDir, { recursive: true, force: true });
}
