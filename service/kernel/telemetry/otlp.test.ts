import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { makePerson, makeSite, onEachApp, services } from '../../testing/site.ts';
import { loadInstallationMetrics } from '../installation/metrics.store.ts';
import { startTelemetry } from './otlp.ts';
import { runInSpan, startRequestSpan } from './tracing.ts';

const Attributes = z.array(z.object({ key: z.string(), value: z.record(z.string(), z.unknown()) }));
const Span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  attributes: Attributes,
});
const Traces = z.object({
  resourceSpans: z.array(z.object({ scopeSpans: z.array(z.object({ spans: z.array(Span) })) })),
});
const Metrics = z.object({
  resourceMetrics: z.array(
    z.object({ scopeMetrics: z.array(z.object({ metrics: z.array(z.looseObject({ name: z.string() })) })) }),
  ),
});

/** A receiver of OTLP in JSON; any other request is only recorded. */
const spans: z.infer<typeof Span>[] = [];
const metrics: { name: string }[] = [];
const traceparents: string[] = [];
const receiver = createServer((request, response) => {
  void (async () => {
    traceparents.push(String(request.headers['traceparent']));
    if (request.url === '/v1/traces')
      spans.push(
        ...Traces.parse(await json(request)).resourceSpans.flatMap(({ scopeSpans }) =>
          scopeSpans.flatMap((scope) => scope.spans),
        ),
      );
    if (request.url === '/v1/metrics')
      metrics.push(
        ...Metrics.parse(await json(request)).resourceMetrics.flatMap(({ scopeMetrics }) =>
          scopeMetrics.flatMap((scope) => scope.metrics),
        ),
      );
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  })();
});
let address = '';
beforeAll(async () => {
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
});
afterAll(() => {
  receiver.closeAllConnections();
  receiver.close();
});

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

onEachApp((context) => {
  test('exports spans of requests and statements, without values, and the metrics', async () => {
    const { app, db } = context();
    const person = await makePerson(db, await makeSite(db));
    spans.length = 0;
    metrics.length = 0;
    const telemetry = startTelemetry({ endpoint: address, sampleRatio: 1 }, () =>
      loadInstallationMetrics(db),
    );
    const headers = {
      authorization: `Bearer ${person.token}`,
      traceparent: `00-${TRACE}-${PARENT}-01`,
      'content-type': 'application/json',
    };
    const url = '/api/rest/v1/management/user';
    const payload = JSON.stringify({ id: person.userId, lastName: 'Ottoline' });
    expect((await app.inject({ method: 'PUT', url, headers, payload })).statusCode).toBe(200);
    await app.inject({ url: '/livez' });
    // A call of another server within a request.
    const outgoing = startRequestSpan({ traceparent: headers.traceparent });
    await runInSpan(outgoing, () => services.egress.fetch(`${address}/other`));
    expect(traceparents.at(-1)).toMatch(new RegExp(`^00-${TRACE}-(?!${PARENT})[\\da-f]{16}-01$`));
    await telemetry.stop();

    const request = spans.find(({ name }) => name === 'PUT updateUser');
    expect(request).toMatchObject({ traceId: TRACE, parentSpanId: PARENT });
    const statements = spans.filter(({ parentSpanId }) => parentSpanId === request?.spanId);
    expect(statements.length).toBeGreaterThan(1);
    const texts = JSON.stringify(statements);
    expect(texts).toContain('update');
    expect(texts).toContain('$1');
    for (const value of ['Ottoline', person.email, person.token])
      expect(JSON.stringify(spans)).not.toContain(value);
    const probe = spans.find(({ name }) => name === 'GET /livez');
    expect(probe?.traceId).not.toBe(TRACE);
    const duration = metrics.find(({ name }) => name === 'steward_http_request_duration_seconds');
    expect(duration).toHaveProperty('histogram.dataPoints.0.bucketCounts');
    expect(metrics.find(({ name }) => name === 'steward_database_up')).toHaveProperty(
      'gauge.dataPoints.0.asDouble',
      1,
    );

    // Nothing is traced any more.
    const count = spans.length;
    await app.inject({ url: '/livez' });
    expect(startRequestSpan({})).toBeUndefined();
    expect(spans).toHaveLength(count);
  });
});

test('the packages are loaded only where they are used', () => {
  const root = new URL('../../', import.meta.url);
  const files = globSync('**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'));
  const importers = files.filter((file) =>
    /from '(?:@opentelemetry\/[^']*|[^']*\/otlp\.ts)'/.test(readFileSync(new URL(file, root), 'utf8')),
  );
  expect(importers).toEqual(['kernel/telemetry/otlp.ts']);
});
