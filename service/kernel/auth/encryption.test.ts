import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadEncryption, createEncryption } from './encryption.ts';

const seed = Buffer.from('twenty bytes of seed');

test('decrypts only with the same key and context, and rejects a modified ciphertext', () => {
  const encryption = createEncryption(randomBytes(32));
  const ciphertext = encryption.encrypt(seed, 'user 1');
  expect(encryption.decrypt(ciphertext, 'user 1')).toEqual(seed);
  expect(ciphertext.includes(seed)).toBe(false);
  expect(encryption.encrypt(seed, 'user 1')).not.toEqual(ciphertext);
  expect(() => encryption.decrypt(ciphertext, 'user 2')).toThrow('authenticate');
  const modified = Buffer.from(ciphertext);
  modified[modified.length - 1] = (modified.at(-1) ?? 0) ^ 1;
  expect(() => encryption.decrypt(modified, 'user 1')).toThrow('authenticate');
  expect(() => createEncryption(randomBytes(32)).decrypt(ciphertext, 'user 1')).toThrow('STEWARD_SECRET_KEY');
});

test('creates the key file once, readable only by its owner; the setting takes precedence', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'steward-encryption-'));
  const [first, second] = await Promise.all([
    loadEncryption({ dataDir, key: undefined }),
    loadEncryption({ dataDir, key: undefined }),
  ]);
  expect(second.decrypt(first.encrypt(seed, 'a'), 'a')).toEqual(seed);
  const file = join(dataDir, 'secret.key');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const key = await readFile(file, 'utf8');
  const fromSetting = await loadEncryption({ dataDir: '/nowhere', key });
  expect(fromSetting.decrypt(first.encrypt(seed, 'a'), 'a')).toEqual(seed);
  await expect(loadEncryption({ dataDir, key: 'short' })).rejects.toThrow('32 bytes');
  await writeFile(file, '');
  await expect(loadEncryption({ dataDir, key: undefined })).rejects.toThrow(`${file} is damaged`);
  await rm(dataDir, { recursive: true });
});
