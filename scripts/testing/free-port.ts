import { once } from 'node:events';
import { createServer } from 'node:net';

/** A TCP port of this machine that is currently unused. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (!address || typeof address === 'string') throw new Error('No free port');
  return address.port;
}
