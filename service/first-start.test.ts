import { expect, test } from 'vitest';
import { runFirstStart } from './first-start.ts';
import { findLink } from './kernel/auth/one-time-links.store.ts';
import { readConfig } from './kernel/config.ts';
import { onEachDatabase } from './testing/databases.ts';

onEachDatabase((database) => {
  test('creates an empty site and a link for its first administrator', async () => {
    const { db } = database();
    const { link } = await runFirstStart(db, readConfig({ STEWARD_SAMPLE: 'off' }));
    expect(await db.selectFrom('site').select('slug').execute()).toEqual([{ slug: 'main' }]);
    const token = /^http:\/\/127\.0\.0\.1:4400\/link#(.+)$/.exec(link ?? '')?.[1] ?? '';
    expect(await findLink(db, token)).toMatchObject({ purpose: 'first-administrator', userId: null });
  });

  test('finds the site at a later start and creates the administrator from the settings', async () => {
    const { db } = database();
    const config = readConfig({
      STEWARD_SAMPLE: 'off',
      STEWARD_ADMIN_EMAIL: 'ada@example.com',
      STEWARD_ADMIN_PASSWORD: 'correct horse battery',
    });
    expect(await runFirstStart(db, config)).toEqual({ link: undefined });
    expect(await runFirstStart(db, config)).toEqual({ link: undefined });
    expect(await db.selectFrom('site').select('slug').execute()).toEqual([{ slug: 'main' }]);
    expect(await db.selectFrom('account').select('email').execute()).toEqual([{ email: 'ada@example.com' }]);
  });
});
