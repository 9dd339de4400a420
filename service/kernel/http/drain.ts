/** Orderly end of the HTTP server: every request that has reached it is answered before its connection is closed. */
import { once, setMaxListeners } from 'node:events';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** Time after the listener closed for which an unused connection stays open: its client may be sending a request. */
const IDLE_GRACE_MS = 1_000;
const CHECK_INTERVAL_MS = 50;
/** Node's default `backlog`, and a turn more for each end. */
const LISTENER_QUEUE_LENGTH = 513;

export interface Drain {
  /** Whether the service is stopping: it reports not ready, and every response closes its connection. */
  readonly isDraining: boolean;
  /** Fires when the service begins to stop: responses without an end of their own end then. */
  readonly signal: AbortSignal;
  /**
   * Stops the server. New connections are accepted for `delayMs` more, so that load balancers can see that the service is not ready.
   * Resolves when every request has been answered and every connection is closed. `onListenerClosed` is called when no
   * connection is accepted any more.
   */
  run(options: { delayMs: number; onListenerClosed: () => void }): Promise<void>;
}

interface ConnectionState {
  /** Requests whose responses have not been sent completely. */
  openRequests: number;
  /** Bytes received when the connection was last unused; more bytes are the beginning of a request. */
  bytesRead: number;
  /** When the connection was last in use (performance.now). */
  usedAt: number;
}

const isUnused = (socket: Socket, { openRequests, bytesRead }: ConnectionState): boolean =>
  openRequests === 0 && socket.bytesRead === bytesRead && socket.writableLength === 0;

/**
 * Adds the drain to the app, as `app.drain`. Closing the server alone would lose requests: Node closes unused connections
 * together with the listener although a request may be on its way or unread in the socket, and Fastify answers 503 from then on.
 * With HOST=localhost, the server of the second loopback address follows after the drain.
 */
export function registerDrain(app: FastifyInstance): void {
  const { server } = app;
  const connections = new Map<Socket, ConnectionState>();
  let isDraining = false;
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  app.addHook('preClose', async () => stopping.abort());
  server.on('connection', (socket: Socket) => {
    connections.set(socket, { openRequests: 0, bytesRead: 0, usedAt: performance.now() });
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    const state = connections.get(socket);
    if (!state) return;
    state.openRequests += 1;
    response.once('close', () => {
      state.openRequests -= 1;
      state.bytesRead = socket.bytesRead;
      state.usedAt = performance.now();
    });
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isDraining) reply.header('connection', 'close');
    done(null, payload);
  });

  const closeUnused = (listenerClosedAt: number): void => {
    const latest = performance.now() - IDLE_GRACE_MS;
    for (const [socket, state] of connections) {
      if (isUnused(socket, state) && Math.max(state.usedAt, listenerClosedAt) <= latest) socket.destroySoon();
    }
  };

  /**
   * Accepts the connections that wait in the queue of the listener, which closing it would reset. The event loop accepts one in
   * each turn, in order, so that after as many turns as the queue is long every connection made before has been accepted.
   */
  const acceptQueue = async (): Promise<void> => {
    let quietTurns = 0;
    const noteConnection = () => (quietTurns = 0);
    server.on('connection', noteConnection);
    for (let turn = 0; turn < LISTENER_QUEUE_LENGTH && quietTurns < 2; turn += 1) {
      quietTurns += 1;
      await nextTurn();
    }
    server.off('connection', noteConnection);
  };

  const run: Drain['run'] = async ({ delayMs, onListenerClosed }) => {
    isDraining = true;
    stopping.abort();
    if (!server.listening) return;
    await sleep(delayMs);
    await acceptQueue();
    const closed = once(server, 'close').then(() => true);
    // Not `server.close()`, which closes unused connections at once.
    NetServer.prototype.close.call(server);
    onListenerClosed();
    const listenerClosedAt = performance.now();
    while (!(await Promise.race([closed, sleep(CHECK_INTERVAL_MS, false)]))) {
      // After a turn, everything that the sockets had received has been read, so that no request is unread in an unused one.
      await nextTurn();
      closeUnused(listenerClosedAt);
    }
  };
  app.decorate('drain', {
    get isDraining() {
      return isDraining;
    },
    signal: stopping.signal,
    run,
  });
}

declare module 'fastify' {
  interface FastifyInstance {
    drain: Drain;
  }
}
