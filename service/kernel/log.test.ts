import { fastify } from 'fastify';
import { expect, test } from 'vitest';
import { createLog } from './log.ts';
import { Secret } from './secret.ts';

function capture() {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  const last = (): Record<string, unknown> => JSON.parse(lines.at(-1) ?? '{}');
  return { lines, log, last };
}

test('a record is one line of JSON with time, level, message and fields', () => {
  const { log, lines, last } = capture();
  log.warn({ siteId: 4 }, 'mail delayed');
  expect(lines).toHaveLength(1);
  expect(last()).toMatchObject({ level: 'warn', siteId: 4, message: 'mail delayed' });
  expect(new Date(String(last()['time'])).getTime()).toBeGreaterThan(Date.now() - 60_000);
});

test('text from outside cannot start a line, move the cursor or reverse the direction', () => {
  const { log, lines, last } = capture();
  const nasty = 'a\r\nb\u2028c\u2029d\u001b[2Je\u009b2Jf\u202eg\u0000h\u007f"}\u2066';
  log.info({ name: nasty, [nasty]: 1 }, nasty);
  expect(lines).toHaveLength(1);
  const line = lines[0] ?? '';
  expect(line.endsWith('\n')).toBe(true);
  // oxlint-disable-next-line no-control-regex
  expect(line.slice(0, -1)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202e\u2066]/);
  expect(last()['name']).toBe(nasty);
  expect(last()['message']).toBe(nasty);
});

test('a secret stays hidden wherever it stands in a record', () => {
  const { log, lines } = capture();
  const secret = new Secret('canary-51c2');
  log.info({ secret, deep: { list: [secret] } }, 'sign-in %s', secret);
  log.child({ secret }).error({ err: new Error(`failed for ${String(secret)}`) });
  expect(lines.join('')).not.toContain('canary');
  expect(lines.join('')).toContain('***');
});

test('an error keeps its stack only when the fault is ours, and never the values of the statement', () => {
  const { log, lines, last } = capture();
  const theirs = Object.assign(new Error('bad page size'), { statusCode: 400 });
  log.info({ err: theirs }, 'refused');
  expect(last()['err']).toEqual({ type: 'Error', message: 'bad page size' });
  const ours = Object.assign(new Error('duplicate key', { cause: new Error('root') }), {
    code: '23505',
    constraint: 'account_email_key',
    params: ['canary@northlight.example'],
    detail: 'Key (email_key)=(canary@northlight.example) already exists.',
  });
  log.error({ err: ours }, 'failed');
  expect(last()['err']).toMatchObject({
    code: '23505',
    constraint: 'account_email_key',
    cause: { message: 'root' },
  });
  expect(lines.at(-1)).toContain('log.test.ts');
  expect(lines.join('')).not.toContain('canary');
});

test('Fastify takes it as its logger, and queries stay out of the request lines', async () => {
  const { log, lines } = capture();
  const app = fastify({ loggerInstance: log });
  app.get('/hello', async () => 'hi');
  await app.inject('/hello?email=canary@northlight.example');
  await app.close();
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.join('')).toContain('/hello');
  expect(lines.join('')).not.toContain('canary');
});
