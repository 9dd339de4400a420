import { expect, test } from 'vitest';
import { describeFirstStart, runFirstStart } from '../first-start.ts';
import { findLink } from '../kernel/auth/one-time-links.store.ts';
import { readConfig } from '../kernel/config.ts';
import { onEachDatabase } from '../testing/databases.ts';

const getToken = (link: string | undefined): string =>
  /^http:\/\/127\.0\.0\.1:4400\/link#(.+)$/.exec(link ?? '')?.[1] ?? '';

test('names the command for the first administrator as it is called in this installation', () => {
  const result = { site: 'main', link: undefined };
  expect(describeFirstStart(result, true)).toContain('\n  npm run steward -- site administrator-link main\n');
  expect(describeFirstStart(result, false)).toContain('\n  steward site administrator-link main\n');
  expect(describeFirstStart({ site: 'main', link: 'http://a/link#b' }, false)).toContain(
    '\n  http://a/link#b\n',
  );
  expect(describeFirstStart({ site: undefined, link: undefined }, false)).toBe('');
});

onEachDatabase((database) => {
  test('creates an empty site, and for a terminal one link for its first administrator', async () => {
    const { db } = database();
    const config = readConfig({ STEWARD_SAMPLE: 'off' });
    expect(await runFirstStart(db, config, false)).toEqual({ site: 'main', link: undefined });
    expect(await db.selectFrom('one_time_link').selectAll().execute()).toEqual([]);
    const first = await runFirstStart(db, config, true);
    const second = await runFirstStart(db, config, true);
    expect(await db.selectFrom('site').select('slug').execute()).toEqual([{ slug: 'main' }]);
    expect(await findLink(db, getToken(first.link))).toBeUndefined();
    expect(await findLink(db, getToken(second.link))).toMatchObject({
      purpose: 'first-administrator',
      userId: null,
    });
  });

  test('finds the site at a later start and creates the administrator from the settings', async () => {
    const { db } = database();
    const config = readConfig({
      STEWARD_SAMPLE: 'off',
      STEWARD_ADMIN_EMAIL: 'ada@example.com',
      STEWARD_ADMIN_PASSWORD: 'correct horse battery',
    });
    const administered = { site: undefined, link: undefined };
    expect(await runFirstStart(db, config, true)).toEqual(administered);
    expect(await runFirstStart(db, config, true)).toEqual(administered);
    expect(await db.selectFrom('site').select('slug').execute()).toEqual([{ slug: 'main' }]);
    expect(await db.selectFrom('account').select('email').execute()).toEqual([{ email: 'ada@example.com' }]);
  });
});
