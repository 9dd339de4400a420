import { execFileSync } from 'node:child_process';
import { argon2Sync } from 'node:crypto';
import { expect, test } from 'vitest';
import { PARALLEL_HASHES } from './hash-threads.ts';
import { hashPassword, validateNewPassword, verifyPassword } from './passwords.ts';

const COMMON_PASSWORDS = [
  'password1234',
  'Password2026!',
  'passwordpassword',
  '123456789012',
  'qwertyuiop12',
  'Qwerty123456',
  'leavemealone',
  'abcabcabcabc',
  'aaaaaaaaaaaa',
  'Steward-2026-!!',
  '!!!!iloveyou!!!!',
  'Administrator1',
];

test.each(COMMON_PASSWORDS)('rejects %s as a common password or a simple extension of one', (password) => {
  expect(validateNewPassword(password, 'ada@example.com')).toContain('most common');
});

test.each([
  'correct horse battery',
  'another long password',
  'vT9#kq2LmPx7',
  'Zwölf Häuser am Bach',
  '旅行が好きな人の合言葉です',
])('accepts %s', (password) => {
  expect(validateNewPassword(password, 'ada@example.com')).toBeUndefined();
});

test('applies the rules that the console checks as well', () => {
  expect(validateNewPassword('  ada@example.com', 'ada@example.com')).toContain('e-mail');
});

/** Computes the hash part of a PHC string with Node's own Argon2, as an independent implementation. */
function computeTag(password: string, stored: string): string {
  const [, memory, passes, parallelism, salt = ''] =
    /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]{22})\$[\w+/]{43}$/.exec(stored) ?? [];
  return argon2Sync('argon2id', {
    message: password,
    nonce: Buffer.from(salt, 'base64'),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: 32,
  })
    .toString('base64')
    .replaceAll('=', '');
}

test('hashes with 19 MiB and 2 passes, as any other implementation of Argon2id', async () => {
  const stored = await hashPassword('Zwölf Häuser am Bach');
  expect(stored).toContain('$m=19456,t=2,p=1$');
  expect(stored.split('$').at(-1)).toBe(computeTag('Zwölf Häuser am Bach', stored));
  expect(await hashPassword('Zwölf Häuser am Bach')).not.toBe(stored);
});

test('verifies hashes of other implementations with the cost that they name', async () => {
  const salt = '$argon2id$v=19$m=64,t=3,p=2$c2l4dGVlbiBieXRlcy4uLg$';
  const stored = salt + computeTag('Zwölf Häuser', `${salt}${'A'.repeat(43)}`);
  expect(await verifyPassword('Zwölf Häuser', stored)).toBe(true);
  expect(await verifyPassword('Zwölf Häuser'.normalize('NFD'), stored)).toBe(true);
  expect(await verifyPassword('Zwölf Hauser', stored)).toBe(false);
  expect(await verifyPassword('Zwölf Häuser', stored.replace('t=3', 't=4'))).toBe(false);
  expect(await verifyPassword('Zwölf Häuser', null)).toBe(false);
  expect(await verifyPassword('Zwölf Häuser', 'Zwölf Häuser')).toBe(false);
});

test('answers 503 when more hashes wait than the queue holds, and goes on afterwards', async () => {
  const results = await Promise.allSettled(
    Array.from({ length: PARALLEL_HASHES + 21 }, () => verifyPassword('any', null)),
  );
  expect(results.map((result) => result.status).filter((status) => status === 'rejected')).toHaveLength(1);
  expect(results.at(-1)).toMatchObject({ reason: { status: 503 } });
  expect(await verifyPassword('any', null)).toBe(false);
});

test.skipIf(process.platform !== 'linux')('leaves the threads for files and DNS free of hashes', () => {
  const script = `
    import { readdirSync } from 'node:fs';
    import { pbkdf2 } from 'node:crypto';
    import { promisify } from 'node:util';
    await import(process.argv[1]);
    const countThreads = () => readdirSync('/proc/self/task').length;
    const before = countThreads();
    await Promise.all(Array.from({ length: 200 }, () => promisify(pbkdf2)('a', 'b', 1, 8, 'sha256')));
    console.log(countThreads() - before);`;
  const file = new URL('hash-threads.ts', import.meta.url).href;
  const { UV_THREADPOOL_SIZE: _, ...env } = process.env;
  const added = execFileSync(process.execPath, ['--input-type=module', '-e', script, file], { env });
  expect(Number(added.toString())).toBe(PARALLEL_HASHES + 4);
});
