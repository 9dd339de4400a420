import { beforeAll, expect, test } from 'vitest';
import type { DataRequestResultVm } from '../../../../contract/generated/types.gen.ts';
import type { ErrorBody, Reply } from '../../../testing/calls.ts';
import { DATA, makeThings, type Things } from '../../../testing/entries/entries.ts';
import { onEachApp } from '../../../testing/site.ts';

interface Expecting {
  value: unknown;
  currencyCode?: string;
}

onEachApp((context) => {
  let things: Things;
  beforeAll(async () => {
    things = await makeThings(context());
  });

  const item = (entryId: number, name: string, next: Expecting, expected: Expecting) => ({
    entryId,
    fieldId: things.field(name).id,
    ...next,
    expected,
  });
  const put = async (...storeRequests: object[]) =>
    (await things.api.put(`${DATA}/entrydata/Thing`, { storeRequests })) as Reply<
      ErrorBody & DataRequestResultVm[]
    >;

  test('compares expected values of every field type in their request format', async () => {
    const { choice, person } = things;
    const [friend = 0, other = 0] = await things.create({ Name: 'Friend' }, { Name: 'Other' });
    const held: Readonly<Record<string, [Expecting, Expecting]>> = {
      Note: [{ value: 'Straße' }, { value: 'straße' }],
      Stage: [{ value: choice('Stage', 'Open') }, { value: choice('Stage', 'Won') }],
      Tags: [{ value: [choice('Tags', 'Red'), choice('Tags', 'Blue')] }, { value: [choice('Tags', 'Red')] }],
      Score: [{ value: 1.5 }, { value: 0 }],
      Revenue: [
        { value: 5, currencyCode: 'EUR' },
        { value: 5, currencyCode: 'USD' },
      ],
      Seen: [{ value: '2026-03-01T08:00:00Z' }, { value: '2026-03-01T08:00:01Z' }],
      Founded: [{ value: '1999-12-31' }, { value: '2000-01-01' }],
      Parent: [{ value: friend }, { value: other }],
      Friends: [{ value: [other, friend] }, { value: [] }],
      Active: [{ value: false }, { value: true }],
      Owner: [{ value: person.userId }, { value: null }],
    };
    const [here = 0] = await things.create({ Name: 'Expected' });
    for (const [name, [first, second]] of Object.entries(held)) {
      // Each step expects what the one before it stored.
      expect((await put(item(here, name, first, { value: null }))).status).toBe(200);
      const { status, body } = await put(item(here, name, first, second));
      expect([name, status, body.errors]).toEqual([
        name,
        400,
        [{ path: 'storeRequests.0.expected', message: `${name} no longer has the expected value` }],
      ]);
      expect((await put(item(here, name, second, first))).status).toBe(200);
    }
    expect((await put(item(here, 'Note', { value: 'x' }, { value: 'Straße' }))).status).toBe(400);
    expect((await put(item(here, 'Tags', { value: null }, { value: [choice('Tags', 'Red')] }))).status).toBe(
      200,
    );
  });

  test('an expected amount without a currency has that of the stored one', async () => {
    const [here = 0] = await things.create({ Name: 'Converted' });
    const euros = { value: 5, currencyCode: 'EUR' };
    expect((await put(item(here, 'Revenue', euros, { value: null }))).status).toBe(200);
    const dollars = { value: 6, currencyCode: 'USD' };
    expect((await put(item(here, 'Revenue', dollars, { value: 6 }))).status).toBe(400);
    expect((await put(item(here, 'Revenue', dollars, { value: 5 }))).status).toBe(200);
  });

  test('of concurrent writes with the same expected value exactly one succeeds', async () => {
    const [here = 0] = await things.create({ Name: 'Contested', Score: 0, Note: 'kept' });
    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map((value) =>
        put(
          item(here, 'Score', { value }, { value: 0 }),
          item(here, 'Note', { value: `by ${value}` }, { value: 'kept' }),
        ),
      ),
    );
    const winner = answers.findIndex(({ status }) => status === 200) + 1;
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await things.query({ EntryId: here })).rows).toMatchObject([
      { Score: winner, Note: `by ${winner}` },
    ]);
  });
});
