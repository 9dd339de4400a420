import type { ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import fastify from 'fastify';
import { expect, test, vi } from 'vitest';
import { registerDrain } from './drain.ts';
import { sendEvents } from './event-stream.ts';

const EVENT = `data: ${'x'.repeat(65_536)}\n\n`;
const EVENT_COUNT = 2_000;
const MAX_HELD_BYTES = 262_144;

test('events are made when the client has taken those before; a client that leaves ends them', async () => {
  const app = fastify();
  registerDrain(app);
  let made = 0;
  let isEnded = false;
  let response: ServerResponse | undefined;
  async function* makeEvents() {
    try {
      for (; made < EVENT_COUNT; made += 1) yield EVENT;
    } finally {
      isEnded = true;
    }
  }
  app.get('/', (request, reply) => {
    response = reply.raw;
    return sendEvents(request, reply.header('x-request-id', 'r1'), makeEvents);
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const client = connect(port, '127.0.0.1');
  try {
    const head = await new Promise<string>((resolve) => {
      client.once('data', (data) => {
        client.pause();
        resolve(String(data));
      });
      client.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    });
    // Headers of hooks that ran before are sent too.
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n(?=[\s\S]*x-request-id: r1\r\n)[\s\S]*text\/event-stream/);
    // The buffers of the operating system take some megabytes before the service has to wait.
    let last = -1;
    await vi.waitUntil(
      () => {
        const isWaiting = response?.writableNeedDrain === true && made === last;
        last = made;
        return isWaiting;
      },
      { interval: 100, timeout: 10_000 },
    );
    expect(made).toBeLessThan(EVENT_COUNT);
    expect(response?.writableLength).toBeLessThan(MAX_HELD_BYTES);
    client.destroy();
    await vi.waitUntil(() => isEnded);
  } finally {
    client.destroy();
    await app.close();
  }
});
