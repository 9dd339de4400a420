import { hostname } from 'node:os';
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createApp } from '../../app.ts';
import { contract, makePerson, makeSite, onEachApp, services } from '../../testing/site.ts';
import { createLog } from '../telemetry/log.ts';
import { getTraceId } from './request-ids.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';

test.each([
  [`00-${TRACE}-b7ad6b7169203331-01`, TRACE],
  ['00-00000000000000000000000000000000-b7ad6b7169203331-01', undefined],
  [`00-${TRACE}-0000000000000000-01`, undefined],
  ['nonsense', undefined],
])('traceparent %s belongs to the trace %s', (traceparent, trace) =>
  expect(getTraceId({ traceparent })).toBe(trace),
);

onEachApp((context) => {
  test('log lines have site, user, address, request id and trace; ids come from trusted proxies only', async () => {
    const { database, db } = context();
    const { siteId, userId, token } = await makePerson(db, await makeSite(db));
    const lines: string[] = [];
    const log = createLog(
      'info',
      new Writable({ write: (line, _encoding, done) => (lines.push(String(line)), done()) }),
    );
    const app = await createApp({ database, services, contract, log, trustedProxies: ['10.0.0.0/8'] });
    const send = (remoteAddress: string, id: string) =>
      app.inject({
        url: '/api/rest/v1/management/user?pageSize=1',
        remoteAddress,
        headers: {
          authorization: `Bearer ${token}`,
          'x-request-id': id,
          'x-forwarded-for': '203.0.113.7',
          traceparent: `00-${TRACE}-b7ad6b7169203331-01`,
        },
      });
    const fromProxy = await send('10.1.2.3', 'edge-12345678');
    expect(fromProxy.headers['x-request-id']).toBe('edge-12345678');
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
      message: 'request',
      host: hostname(),
      requestId: 'edge-12345678',
      traceId: TRACE,
      siteId,
      userId,
      ip: '203.0.113.7',
      status: 200,
    });
    expect((await send('10.1.2.3', 'with space 1')).headers['x-request-id']).toMatch(/^[\da-f-]{36}$/);
    expect((await send('198.51.100.1', 'edge-12345678')).headers['x-request-id']).toMatch(/^[\da-f-]{36}$/);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ ip: '198.51.100.1' });
    await app.close();
  });
});
