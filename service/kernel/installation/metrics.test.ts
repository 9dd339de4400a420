import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makePerson, makeSite, onEachApp } from '../../testing/site.ts';
import { createLog } from '../telemetry/log.ts';
import { collectProcessMetrics, connectionsInUse, metricsRegistry } from '../telemetry/metrics.ts';
import { startMetricsServer } from './metrics-server.ts';

/** The value of a sample with these labels, in any order. */
const find = (text: string, name: string, labels: Record<string, string> = {}): number | undefined => {
  const line = text
    .split('\n')
    .find(
      (each) =>
        new RegExp(`^${name}[{ ]`).test(each) &&
        Object.entries(labels).every(([key, value]) => each.includes(`${key}="${value}"`)),
    );
  return line === undefined ? undefined : Number(line.split(' ').at(-1));
};

const countInUse = async (): Promise<number> => (await connectionsInUse.get()).values[0]?.value ?? 0;

onEachApp((context) => {
  let server: Awaited<ReturnType<typeof startMetricsServer>> | undefined;
  beforeAll(async () => {
    server = await startMetricsServer({
      database: context(),
      host: '127.0.0.1',
      port: 0,
      log: createLog('silent'),
    });
  });
  afterAll(() => server?.close());
  const read = async (): Promise<string> => {
    const response = await fetch(server?.address ?? '');
    expect(response.headers.get('content-type')).toContain('text/plain');
    return response.text();
  };
  test('has requests, connections, caches, queues, jobs and the outbox, and nothing about people', async () => {
    const { app, db } = context();
    const siteId = await makeSite(db);
    const person = await makePerson(db, siteId);
    const headers = { authorization: `Bearer ${person.token}` };
    const labels = { operation: 'getUser', status: '404' };
    const name = 'steward_http_request_duration_seconds_count';
    const before = find(await read(), name, labels) ?? 0;
    await app.inject({ url: '/api/rest/v1/management/user/999999', headers });
    await sql`insert into calc_queue (site_id, entry_id, queued_at) values (${siteId}, 1, now() - interval '1 hour')`.execute(
      db,
    );
    await sql`insert into mail (site_id, recipient, subject, body_text, expires_at, created_at, next_attempt_at)
      values (${siteId}, ${person.email}, 'A', 'A', now() + interval '1 day', now() - interval '2 hours', now() + interval '1 hour')`.execute(
      db,
    );
    await sql`insert into task_failure (site_id, task, item, reason, retry_at) values (${siteId}, 'job retention', 'a', 'A', null)`.execute(
      db,
    );
    await sql`insert into job (site_id, kind, title, owner_id, is_proven, is_federated, ip, request_id, parameters, total)
      values (${siteId}, 'plan', 'A', ${person.userId}, false, false, '203.0.113.9', 'r', '{}', 0)`.execute(
      db,
    );
    await sql`with t as (insert into topic (site_id, name, next) values (${siteId}, 'Metrics', 1) returning topic_id),
      e as (insert into topic_event (site_id, topic_id, off, at, payload)
        select ${siteId}, topic_id, 0, now() - interval '3 hours', '{}' from t)
      insert into publication_destination (site_id, topic_id, name, kind, url, secret, next)
      select ${siteId}, topic_id, 'D', 'Webhook', 'https://d.example', '', 0 from t`.execute(db);
    const text = await read();
    expect(find(text, name, labels)).toBe(before + 1);
    expect(find(text, 'steward_database_up')).toBe(1);
    const unused = await countInUse();
    expect(await db.transaction().execute(countInUse)).toBe(unused + 1);
    expect(await countInUse()).toBe(unused);
    expect(find(text, 'steward_db_connection_wait_seconds_count')).toBeGreaterThan(0);
    expect(find(text, 'steward_db_lock_waits')).toBe(0);
    expect(find(text, 'steward_queue_oldest_seconds', { queue: 'calculations' })).toBeGreaterThanOrEqual(
      3_600,
    );
    expect(find(text, 'steward_queue_oldest_seconds', { queue: 'mail' })).toBeGreaterThanOrEqual(7_200);
    expect(find(text, 'steward_queue_length', { queue: 'jobs' })).toBeGreaterThanOrEqual(1);
    expect(find(text, 'steward_jobs', { kind: 'plan', state: 'waiting' })).toBe(1);
    expect(find(text, 'steward_task_failed_items', { task: 'job retention', state: 'parked' })).toBe(1);
    expect(find(text, 'steward_outbox_lag_seconds')).toBeGreaterThanOrEqual(10_800);
    expect(find(text, 'nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
    const labelValues = [...text.matchAll(/="([^"]*)"/g)].map(([, value = '']) => value).join('\n');
    for (const personal of [person.email, '999999', '203.0.113.9'])
      expect(labelValues).not.toContain(personal);
    expect((await fetch(`${server?.address}/other`)).status).toBe(404);
  });
});

test('every metric of the dashboard and the alert rules exists', () => {
  collectProcessMetrics();
  const names = new Set(metricsRegistry.getMetricsAsArray().map(({ name }) => name));
  for (const file of ['grafana-dashboard.json', 'prometheus-alerts.yaml']) {
    const text = readFileSync(new URL(`../../../deploy/${file}`, import.meta.url), 'utf8');
    const used = [...text.matchAll(/\b(?:steward|nodejs|process)_[a-z0-9_]+/g)].map(([name]) =>
      name.replace(/_(?:bucket|count|sum)$/, ''),
    );
    expect(used.length).toBeGreaterThan(5);
    expect(used.filter((name) => !names.has(name))).toEqual([]);
  }
});
