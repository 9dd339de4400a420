import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readConfig } from './config.ts';

/** The settings of the table in the README. */
const README_SETTINGS = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`([A-Z\d_]+)`/g)])
  .flatMap(([, name]) => name ?? []);

test.each([
  [undefined, 10e9],
  ['500MB', 500e6],
  ['1.5 tb', 1.5e12],
  ['off', null],
])('reads STEWARD_STORAGE_QUOTA %s', (text, bytes) =>
  expect(readConfig({ STEWARD_STORAGE_QUOTA: text }).storageQuota).toBe(bytes),
);

test.each([
  [undefined, undefined, { activityDays: 98, auditDays: 2_557 }],
  ['2 years', '400 days', { activityDays: 731, auditDays: 400 }],
  ['off', 'off', { activityDays: null, auditDays: null }],
])('keeps activity for %s and the audit log for %s', (activity, audit, logRetention) =>
  expect(readConfig({ STEWARD_KEEP_ACTIVITY: activity, STEWARD_KEEP_AUDIT: audit }).logRetention).toEqual(
    logRetention,
  ),
);

test('calls public addresses only unless STEWARD_EGRESS_ALLOW lists others', () => {
  expect(readConfig({}).egressRules).toEqual([{ kind: 'public' }]);
  expect(readConfig({ STEWARD_EGRESS_ALLOW: 'Login.corp.example:8443, 10.1.0.0/16' }).egressRules).toEqual([
    { kind: 'host', host: 'login.corp.example', port: 8443 },
    { kind: 'network', network: '10.1.0.0/16', port: undefined },
  ]);
  expect(readConfig({ STEWARD_EGRESS_ALLOW: '' }).egressRules).toEqual([]);
});

test.each([
  'postgresql://steward:a%23b%25@database:5432/steward?sslmode=verify-full',
  'postgresql://steward@/steward?host=/var/run/postgresql',
  'postgres:///steward?host=/var/run/postgresql',
  'postgresql://%2Fvar%2Frun%2Fpostgresql/steward',
])('reads %s', (url) => expect(readConfig({ DATABASE_URL: url }).databaseUrl?.reveal()).toBe(url));

test.each([
  ['STEWARD_STORAGE_QUOTA', '10'],
  ['STEWARD_STORAGE_QUOTA', '-1GB'],
  ['STEWARD_EGRESS_ALLOW', 'https://login.example'],
  ['STEWARD_KEEP_ACTIVITY', '97 days'],
  ['STEWARD_KEEP_AUDIT', '7'],
  ['STEWARD_KEEP_AUDIT', '101 years'],
  ['DATABASE_URL', 'postgresql://steward:a#b@database/steward'],
  ['DATABASE_URL', 'postgresql://steward:a/b@database/steward'],
  ['DATABASE_URL', 'postgresql://steward:a@database:99999/steward'],
  ['SMTP_URL', 'foo'],
  ['SMTP_URL', 'https://mail.example'],
  ['PUBLIC_URL', 'steward.example'],
  ['PUBLIC_URL', 'https://x.example/steward'],
  ['TRUSTED_PROXIES', '10.0.0.0/8, proxy.example'],
  ['TRUSTED_PROXIES', '10.0.0.0/33'],
  ['DATABASE_READ_URL', 'mysql://standby/steward'],
  // Without DATABASE_URL.
  ['DATABASE_READ_URL', 'postgresql://standby/steward'],
  ['DATABASE_READ_POOL_SIZE', '1'],
  ['DATABASE_READ_MAX_LAG', '0'],
  ['HOST', 'a b'],
  ['METRICS_PORT', '4400'],
])('refuses %s=%s', (name, value) => expect(() => readConfig({ [name]: value })).toThrow(`${name}: `));

const S3 = {
  BLOB_STORE: 's3',
  S3_ENDPOINT: 'https://store.example:9000',
  S3_BUCKET: 'steward-files',
  S3_ACCESS_KEY_ID: 'key',
  S3_SECRET_ACCESS_KEY: 'secret',
};

test('reads the settings of a bucket, whose secret is never printed', () => {
  const { s3 } = readConfig({ ...S3, S3_PREFIX: 'production/steward', S3_PATH_STYLE: 'off' });
  expect(s3).toMatchObject({
    endpoint: 'https://store.example:9000',
    region: 'us-east-1',
    bucket: 'steward-files',
    prefix: 'production/steward',
    usesPathStyle: false,
  });
  expect(s3?.secretAccessKey.reveal()).toBe('secret');
  expect(JSON.stringify(s3)).not.toContain('"secret"');
  expect(readConfig({ BLOB_STORE: 'folder' }).s3).toBeUndefined();
});

test.each([
  ['BLOB_STORE', 'minio'],
  ['S3_ENDPOINT', undefined],
  ['S3_ENDPOINT', 'store.example:9000'],
  ['S3_ENDPOINT', 'https://store.example/bucket'],
  ['S3_ENDPOINT', 'https://user:password@store.example'],
  ['S3_BUCKET', undefined],
  ['S3_BUCKET', 'Steward'],
  ['S3_PREFIX', '/files'],
  ['S3_PREFIX', 'files/../other'],
  ['S3_ACCESS_KEY_ID', ''],
  ['S3_SECRET_ACCESS_KEY', undefined],
  ['S3_PATH_STYLE', 'yes'],
])('refuses %s=%s of a bucket', (name, value) =>
  expect(() => readConfig({ ...S3, [name]: value })).toThrow(`${name}: `),
);

test('refuses a bucket that would have no effect, and processes with keys of their own', () => {
  expect(() => readConfig({ S3_BUCKET: 'steward-files' })).toThrow(
    'S3_BUCKET: has an effect with BLOB_STORE=s3',
  );
  const shared = { ...S3, DATABASE_URL: 'postgresql://database/steward' };
  expect(() => readConfig(shared)).toThrow(
    'STEWARD_SECRET_KEY: required with BLOB_STORE=s3 and DATABASE_URL',
  );
  expect(() =>
    readConfig({ ...shared, STEWARD_SECRET_KEY: Buffer.alloc(32).toString('base64') }),
  ).not.toThrow();
});

test('reads of a standby have a pool and a limit of their own', () => {
  const DATABASE_URL = 'postgresql://primary/steward';
  const DATABASE_READ_URL = 'postgresql://standby/steward';
  expect(readConfig({ DATABASE_URL }).reads).toBeUndefined();
  const { reads } = readConfig({ DATABASE_URL, DATABASE_READ_URL, DATABASE_POOL_SIZE: '7' });
  expect(reads).toMatchObject({ maxConnections: 7, maxLagMs: 10_000 });
  expect(reads?.databaseUrl.reveal()).toBe(DATABASE_READ_URL);
  expect(() => readConfig({ DATABASE_URL, DATABASE_READ_URL: DATABASE_URL })).toThrow(
    'another one than DATABASE_URL',
  );
});

test('an invalid setting is answered with the form that is expected', () =>
  expect(() => readConfig({ SMTP_URL: 'foo', PORT: 'x' })).toThrow(
    /PORT: a number from 0 to 65535\n[^]*SMTP_URL: a URL such as smtp:\/\/user:password@mail\.example:587/,
  ));

test('a setting that follows from an invalid one is not named', () =>
  expect(() => readConfig({ PORT: 'x', DATABASE_POOL_SIZE: '1' })).toThrow(
    /^These settings are invalid:\n {2}PORT: [^\n]*\n {2}DATABASE_POOL_SIZE: [^\n]*$/,
  ));

test('empty settings count as not set, as container files pass them on', () => {
  const { STEWARD_EGRESS_ALLOW: _allow, ...unset } = Object.fromEntries(
    README_SETTINGS.map((name) => [name, ''] as const),
  );
  expect(readConfig(unset)).toEqual(readConfig({}));
});
