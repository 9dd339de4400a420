/** A TCP proxy that delivers all bytes later, like a database in another data centre. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface DelayProxy {
  /** The database through the proxy. */
  url: string;
  close(): void;
}

/** Delivers what `from` sends to `to` after the delay, in order. */
function forward(from: Socket, to: Socket, delayMs: number): void {
  from.on('data', (bytes) => setTimeout(() => to.writable && to.write(bytes), delayMs));
  from.on('error', () => to.destroy());
  from.on('close', () => setTimeout(() => to.destroy(), delayMs));
}

/** Starts a proxy to the server of the database; `delayMs` in each direction, so a round trip takes twice as long. */
export async function startDelayProxy(databaseUrl: string, delayMs: number): Promise<DelayProxy> {
  const { hostname, port } = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(port || 5432), hostname);
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    }
    forward(client, upstream, delayMs);
    forward(upstream, client, delayMs);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
