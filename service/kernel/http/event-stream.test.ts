import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fastify, { type FastifyInstance } from 'fastify';
import { expect, test, vi } from 'vitest';
import { registerDrain } from './drain.ts';
import { type ReaderLimits, sendEvents } from './event-stream.ts';

const EVENT = `data: ${'x'.repeat(65_536)}\n\n`;
const SMALL_EVENT = `data: ${'x'.repeat(8_192)}\n\n`;
const EVENT_COUNT = 2_000;
const MAX_HELD_BYTES = 262_144;

interface PausedReader {
  app: FastifyInstance;
  client: Socket;
  head: string;
  /** Number of events that were made. */
  getMade: () => number;
  response: ServerResponse;
  signal: AbortSignal;
  /** Whether the events have ended. */
  isEnded: () => boolean;
}

async function* makeMany(): AsyncGenerator<string> {
  for (let count = 0; count < EVENT_COUNT; count += 1) yield EVENT;
}

/** Ends when the first event waits in the process, which is too small for the service to wait for it. */
async function* makeUntilFull(response: ServerResponse): AsyncGenerator<string> {
  while (response.writableLength === 0) {
    yield SMALL_EVENT;
    await nextTurn();
  }
}

/** Opens a stream and reads no more than its head. */
async function openPausedReader(
  makeEvents: (response: ServerResponse) => AsyncIterable<string>,
  limits?: ReaderLimits,
): Promise<PausedReader> {
  const app = fastify();
  registerDrain(app);
  let made = 0;
  let hasEnded = false;
  const opened = Promise.withResolvers<{ response: ServerResponse; signal: AbortSignal }>();
  app.get('/', (request, reply) =>
    sendEvents(
      request,
      reply.header('x-request-id', 'r1'),
      async function* makeCounted(signal) {
        opened.resolve({ response: reply.raw, signal });
        try {
          for await (const event of makeEvents(reply.raw)) {
            yield event;
            made += 1;
          }
        } finally {
          hasEnded = true;
        }
      },
      limits,
    ),
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const client = connect(port, '127.0.0.1').on('error', () => {});
  const head = await new Promise<string>((resolve) => {
    client.once('data', (data) => {
      client.pause();
      resolve(String(data));
    });
    client.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
  });
  const { response, signal } = await opened.promise;
  return { app, client, head, getMade: () => made, response, signal, isEnded: () => hasEnded };
}

/** Resolves when the service waits for the reader: the buffers of the operating system take some megabytes before. */
async function awaitWaiting({ response, getMade }: PausedReader): Promise<void> {
  let last = -1;
  await vi.waitUntil(
    () => {
      const isWaiting = response.writableNeedDrain && getMade() === last;
      last = getMade();
      return isWaiting;
    },
    { interval: 100, timeout: 10_000 },
  );
}

test('events are made when the client has taken those before; a client that leaves ends them', async () => {
  const reader = await openPausedReader(makeMany);
  const { app, client, head, response } = reader;
  try {
    // Headers of hooks that ran before are sent too.
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n(?=[\s\S]*x-request-id: r1\r\n)[\s\S]*text\/event-stream/);
    await awaitWaiting(reader);
    expect(reader.getMade()).toBeLessThan(EVENT_COUNT);
    expect(response.writableLength).toBeLessThan(MAX_HELD_BYTES);
    client.destroy();
    await vi.waitUntil(reader.isEnded, { timeout: 20_000 });
  } finally {
    client.destroy();
    await app.close();
  }
});

test.each([
  ['before the last event', makeMany],
  ['after it', makeUntilFull],
])('a reader that stops reading is disconnected, and its place is free (%s)', async (_, makeEvents) => {
  const reader = await openPausedReader(makeEvents, { takeMs: 1, stopMs: 600_000 });
  try {
    await vi.waitUntil(() => reader.response.destroyed && reader.signal.aborted && reader.isEnded(), {
      timeout: 10_000,
    });
    expect(reader.getMade()).toBeLessThan(EVENT_COUNT);
  } finally {
    reader.client.destroy();
    await reader.app.close();
  }
});

test('a reader that has stopped reading does not hold the service when it stops', async () => {
  const reader = await openPausedReader(makeMany, { takeMs: 600_000, stopMs: 1 });
  try {
    await awaitWaiting(reader);
    await reader.app.drain.run({ delayMs: 0, onListenerClosed: () => {} });
    expect([reader.response.destroyed, reader.signal.aborted, reader.isEnded()]).toEqual([true, true, true]);
  } finally {
    reader.client.destroy();
    await reader.app.close();
  }
});

test('a client that leaves while its request is handled opens no stream', async () => {
  const app = fastify();
  registerDrain(app);
  const arrived = Promise.withResolvers<void>();
  const handled = Promise.withResolvers<boolean>();
  app.get('/', async (request, reply) => {
    arrived.resolve();
    await once(reply.raw, 'close');
    let isOpened = false;
    await sendEvents(request, reply, async function* open() {
      isOpened = true;
      yield EVENT;
    });
    handled.resolve(isOpened);
    return reply;
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
  try {
    client.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    await arrived.promise;
    client.destroy();
    expect(await handled.promise).toBe(false);
  } finally {
    client.destroy();
    await app.close();
  }
});
