import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newPlace } from '../../testing/databases.ts';
import { openDatabase } from './database.ts';
import { templateFile } from './pglite-template.ts';

test('the template was made for the installed version (make-template.ts)', () => {
  expect(existsSync(templateFile)).toBe(true);
});

test('closing lets the running transaction commit', async () => {
  const place = await newPlace('embedded');
  const first = await openDatabase(place);
  const working = first.db.transaction().execute(async (tx) => {
    await tx.insertInto('site').values({ slug: 'one', name: '' }).execute();
    await new Promise((resolve) => setTimeout(resolve, 100));
    await tx.insertInto('site').values({ slug: 'two', name: '' }).execute();
  });
  await Promise.all([working, first.close()]);
  const second = await openDatabase(place);
  expect(await second.db.selectFrom('site').select('slug').execute()).toHaveLength(2);
  await second.close();
  await place.remove();
});

test('a folder that cannot be opened is named, and given back', async () => {
  const place = await newPlace('embedded');
  const { close } = await openDatabase(place);
  await close();
  const version = join(place.dataDir, 'db', 'cluster', 'PG_VERSION');
  await writeFile(version, '9\n');
  await expect(openDatabase(place)).rejects.toThrow(/cluster cannot be opened/);
  await writeFile(version, '18\n');
  const again = await openDatabase(place);
  await again.close();
  await place.remove();
});
