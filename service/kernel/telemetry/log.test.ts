import { spawnSync } from 'node:child_process';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fastify } from 'fastify';
import { expect, test } from 'vitest';
import { Secret } from '../secret.ts';
import { batchLines, createLog } from './log.ts';

function captureLog() {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  const last = (): Record<string, unknown> => JSON.parse(lines.at(-1) ?? '{}');
  return { lines, log, last };
}

test('writes each record as one line of JSON with time, level, message and fields', () => {
  const { log, lines, last } = captureLog();
  log.warn({ siteId: 4 }, 'mail delayed');
  expect(lines).toHaveLength(1);
  expect(last()).toMatchObject({ level: 'warn', siteId: 4, message: 'mail delayed' });
  expect(new Date(String(last()['time'])).getTime()).toBeGreaterThan(Date.now() - 60_000);
});

test('escapes line ends, control characters and direction marks in logged texts', () => {
  const { log, lines, last } = captureLog();
  const hostileText = 'a\r\nb\u2028c\u2029d\u001b[2Je\u009b2Jf\u202eg\u0000h\u007f"}\u2066';
  log.info({ name: hostileText, [hostileText]: 1 }, hostileText);
  expect(lines).toHaveLength(1);
  const line = lines[0] ?? '';
  expect(line.endsWith('\n')).toBe(true);
  // oxlint-disable-next-line no-control-regex -- control characters are what must be absent
  expect(line.slice(0, -1)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202e\u2066]/);
  expect(last()['name']).toBe(hostileText);
  expect(last()['message']).toBe(hostileText);
});

test('masks secrets anywhere in a record', () => {
  const { log, lines } = captureLog();
  const secret = new Secret('canary-51c2');
  log.info({ secret, deep: { list: [secret] } }, 'sign-in %s', secret);
  log.child({ secret }).error({ err: new Error(`failed for ${String(secret)}`) });
  expect(lines.join('')).not.toContain('canary');
  expect(lines.join('')).toContain('***');
});

test('logs the stack only for errors of the service, and never the parameters of a statement', () => {
  const { log, lines, last } = captureLog();
  const clientError = Object.assign(new Error('bad page size'), { statusCode: 400 });
  log.info({ err: clientError }, 'rejected');
  expect(last()['err']).toEqual({ type: 'Error', message: 'bad page size' });
  const databaseError = Object.assign(new Error('duplicate key', { cause: new Error('root') }), {
    code: '23505',
    constraint: 'account_email_key',
    params: ['canary@northlight.example'],
    detail: 'Key (email_key)=(canary@northlight.example) already exists.',
  });
  log.error({ err: databaseError }, 'failed');
  expect(last()['err']).toMatchObject({
    code: '23505',
    constraint: 'account_email_key',
    cause: { message: 'root' },
  });
  expect(lines.at(-1)).toContain('log.test.ts');
  expect(lines.join('')).not.toContain('canary');
});

test('works as the logger of Fastify and omits query strings', async () => {
  const { log, lines } = captureLog();
  const app = fastify({ loggerInstance: log });
  app.get('/hello', async () => 'hi');
  await app.inject('/hello?email=canary@northlight.example');
  await app.close();
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.join('')).toContain('/hello');
  expect(lines.join('')).not.toContain('canary');
});

test('writes the lines of one turn of the event loop together', async () => {
  const writes: string[] = [];
  const log = createLog('info', batchLines({ write: (text) => void writes.push(text) }));
  log.info('one');
  log.info('two');
  expect(writes).toEqual([]);
  await nextTurn();
  expect(writes.map((text) => text.trimEnd().split('\n').length)).toEqual([2]);
  log.info('three');
  await nextTurn();
  expect(writes).toHaveLength(2);
});

test.each([
  ['process.exit(3)', 3],
  ['throw new Error("uncaught")', 1],
  ['setImmediate(() => process.kill(process.pid, "SIGKILL"))', null],
])('loses no line when the process ends by %s', (end, status) => {
  const script = `
    const { createLog } = await import(process.argv[1]);
    const log = createLog('info');
    for (let n = 0; n < 2000; n += 1) log.info({ n }, 'answered');
    ${end};`;
  const file = new URL('log.ts', import.meta.url).href;
  const result = spawnSync(process.execPath, ['--input-type=module', '-e', script, file], {
    encoding: 'utf8',
  });
  const lines = result.stdout.trimEnd().split('\n');
  expect(result.status).toBe(status);
  expect(lines.map((line): number => JSON.parse(line).n)).toEqual(
    Array.from({ length: 2000 }, (_, index) => index),
  );
});
