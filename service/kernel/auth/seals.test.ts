import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { openSeals, sealsOf } from './seals.ts';

const seed = Buffer.from('twenty bytes of seed');

test('what is sealed opens with the same key and context alone, and shows nothing of itself', () => {
  const seals = sealsOf(randomBytes(32));
  const sealed = seals.seal(seed, 'user 1');
  expect(seals.open(sealed, 'user 1')).toEqual(seed);
  expect(sealed.includes(seed)).toBe(false);
  expect(seals.seal(seed, 'user 1')).not.toEqual(sealed);
  expect(() => seals.open(sealed, 'user 2')).toThrow('authenticate');
  const changed = Buffer.from(sealed);
  changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
  expect(() => seals.open(changed, 'user 1')).toThrow('authenticate');
  expect(() => sealsOf(randomBytes(32)).open(sealed, 'user 1')).toThrow('STEWARD_SECRET_KEY');
});

test('the key is made once, readable for its owner alone, and the setting goes before it', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'steward-seals-'));
  const [one, two] = await Promise.all([
    openSeals({ dataDir, key: undefined }),
    openSeals({ dataDir, key: undefined }),
  ]);
  expect(two.open(one.seal(seed, 'a'), 'a')).toEqual(seed);
  const file = join(dataDir, 'secret.key');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const key = await readFile(file, 'utf8');
  const set = await openSeals({ dataDir: '/nowhere', key });
  expect(set.open(one.seal(seed, 'a'), 'a')).toEqual(seed);
  await expect(openSeals({ dataDir, key: 'short' })).rejects.toThrow('32 bytes');
  await rm(dataDir, { recursive: true });
});
