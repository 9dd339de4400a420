import { beforeAll, expect, test } from 'vitest';
import { recalculate, DATA, makeThings, type Row, type Things } from '../../../testing/entries/entries.ts';
import { onEachApp } from '../../../testing/site.ts';

const LIMIT = 5;
/** One code point, two UTF-16 units. */
const CLEF = '\u{1D11E}';

onEachApp((context) => {
  let things: Things;
  const row = async (name: string, more: object = { textLimit: LIMIT }): Promise<Row | undefined> =>
    (await things.query({ Name: name }, more)).rows[0];

  beforeAll(async () => {
    things = await makeThings(context());
    const [root = 0] = await things.create({ Name: 'root' });
    await things.create(
      { Name: 'exact', Note: 'abcde', Memo: CLEF.repeat(LIMIT) },
      { Name: 'longer', Note: 'abcdef', Memo: `${CLEF.repeat(LIMIT)}"\n`, Score: 123_456_789 },
      {
        Name: 'other',
        Founded: '1999-12-31',
        Seen: '2026-03-01T08:00:00.000Z',
        Stage: things.choice('Stage', 'Open'),
        Tags: [things.choice('Tags', 'Red'), things.choice('Tags', 'Green')],
        Friends: [root],
        Team: [things.person.userId],
      },
    );
    await recalculate(context().db);
  });

  test('truncates longer texts at the limit and lists their fields in $cut', async () => {
    expect(await row('longer')).toMatchObject({
      Name: 'longe',
      Note: 'abcde',
      Memo: CLEF.repeat(LIMIT),
      Score: 123_456_789,
      Twice: 246_913_578,
      $cut: ['Name', 'Note', 'Memo'],
    });
    const truncated = await row('longer', { textLimit: LIMIT, fields: ['Memo', 'Score'] });
    expect(truncated).toEqual({
      EntryId: truncated?.EntryId,
      Memo: CLEF.repeat(LIMIT),
      Score: 123_456_789,
      $cut: ['Memo'],
    });
  });

  test('does not truncate texts of exactly that length, counted in code points', async () => {
    const exact = await row('exact');
    expect(exact).toMatchObject({ Name: 'exact', Note: 'abcde', Memo: CLEF.repeat(LIMIT) });
    expect(exact).not.toHaveProperty('$cut');
  });

  test.each([{}, { wrapIntoArrays: true, resolveReferenceUrls: true }, { dateTimeBehavior: 1 }])(
    'leaves other values unchanged: %o',
    async (options) => {
      const whole = await row('other', options);
      expect(await row('other', { ...options, textLimit: LIMIT })).toEqual(whole);
      expect(whole).toHaveProperty('Team');
    },
  );

  test('truncates in every order and position, and not without a limit', async () => {
    for (const options of [
      {},
      { orderBy: 'Name' },
      { orderBy: '-Memo' },
      { skip: 1 },
      { orderBy: 'Score', skip: 1 },
    ]) {
      const cut = await things.query({}, { ...options, textLimit: 1 });
      const whole = await things.query({}, options);
      expect(cut.rows.map(({ EntryId }) => EntryId)).toEqual(whole.rows.map(({ EntryId }) => EntryId));
      expect(cut.rows.map(({ Name }) => Name)).toEqual(whole.rows.map(({ Name }) => String(Name)[0]));
      expect(cut.rows.every(({ $cut }) => Array.isArray($cut) && $cut.includes('Name'))).toBe(true);
      expect(whole.rows.some((one) => '$cut' in one)).toBe(false);
    }
  });

  test('a page that is too large for a response fits once its texts are truncated', async () => {
    const text = 'x'.repeat(1_000_000);
    for (let at = 0; at < 9; at += 1)
      // The size of a request is limited.
      await things.create(
        ...Array.from({ length: 4 }, (_, of) => ({ Name: `Large ${at}.${of}`, Memo: text })),
      );
    const query = { Name: { $startswith: 'Large' } };
    const whole = await things.api.post(`${DATA}/entrydata/rows/query/Thing`, { query });
    expect(whole.status).toBe(400);
    const { rows } = await things.query(query, { textLimit: 500 });
    expect(rows).toHaveLength(36);
    expect(rows[35]).toMatchObject({ Name: 'Large 8.3', Memo: text.slice(0, 500), $cut: ['Memo'] });
  });

  test.each([0, 1_000_001, 1.5])('rejects a limit of %d', async (textLimit) => {
    expect((await things.api.post(`${DATA}/entrydata/rows/query/Thing`, { textLimit })).status).toBe(400);
  });
});
