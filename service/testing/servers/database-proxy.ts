/** A TCP proxy in front of the PostgreSQL of the tests that can stop forwarding, like a paused server or a dead network. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface DatabaseProxy {
  /** URL of the database through the proxy. */
  url: string;
  /** From now on nothing is forwarded in either direction, on new connections neither; no connection is closed. */
  pause(): void;
  /** Forwards the next bytes of a client that contain the text, and pauses then: the server gets them, but no answer arrives. */
  pauseAfter(text: string): void;
  /**
   * Forwards the next bytes of a client that contain the text. In place of the server's answer the client gets a reset connection, as
   * from a firewall that has forgotten it; other connections go on.
   */
  resetAfter(text: string): void;
  /** Forwards what was held back, and everything from now on. */
  resume(): void;
  /** Ends all connections and leads new ones to the server of another database, like an address that moves in a failover. */
  redirect(databaseUrl: string): void;
  /** From now on delays what is forwarded, in each direction. */
  delay(ms: number): void;
  close(): void;
}

/** Starts a proxy to the server of this database. */
export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  let target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let isPaused = false;
  let lastText: string | undefined;
  let resetText: string | undefined;
  let delayMs = 0;
  const pause = () => {
    isPaused = true;
    for (const socket of sockets) socket.pause();
  };
  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 5432), target.hostname);
    let isReset = false;
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.on('data', (bytes) => {
        if (isReset && from === upstream) {
          client.resetAndDestroy();
          return;
        }
        if (from === client && resetText !== undefined && bytes.includes(resetText)) {
          resetText = undefined;
          isReset = true;
        }
        if (delayMs === 0) to.write(bytes);
        else setTimeout(() => to.writable && to.write(bytes), delayMs);
        if (from !== client || lastText === undefined || !bytes.includes(lastText)) return;
        lastText = undefined;
        pause();
      });
      if (isPaused) from.pause();
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    pause,
    pauseAfter(text) {
      lastText = text;
    },
    resetAfter(text) {
      resetText = text;
    },
    resume() {
      isPaused = false;
      for (const socket of sockets) socket.resume();
    },
    redirect(otherUrl) {
      target = new URL(otherUrl);
      for (const socket of sockets) socket.destroy();
    },
    delay(ms) {
      delayMs = ms;
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
