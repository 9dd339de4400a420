import { beforeAll, describe, expect, test } from 'vitest';
import type { ErrorBody } from '../../../testing/calls.ts';
import {
  DATA,
  makeThings,
  nextTimestamp,
  type Row,
  setIndexesReady,
  type Things,
} from '../../../testing/entries/entries.ts';
import { onEachApp } from '../../../testing/site.ts';
import { formatDate } from '../../schema/index.ts';

const KIRITIMATI = 'Pacific/Kiritimati';
const ST_JOHNS = 'America/St_Johns';

/** Values written with dateTimeBehavior=1, and their values read with 0 and with 1. */
const CASES = [
  {
    // Days begin 14 hours before UTC on the site, and 3½ hours after UTC for the user.
    zones: { site: KIRITIMATI, user: ST_JOHNS },
    written: [
      ['2026-03-01T00:30:00', '2026-03-01T04:00:00.000Z', '2026-03-01T00:30:00.000-03:30'],
      ['2026-07-01', '2026-07-01T02:30:00.000Z', '2026-07-01T00:00:00.000-02:30'],
      ['2026-03-01T00:30:00Z', '2026-03-01T00:30:00.000Z', '2026-02-28T21:00:00.000-03:30'],
    ],
    days: [
      ['2026-03-01', '2026-03-01', '2026-03-01T00:00:00.000+14:00'],
      ['2026-02-28T09:59:59Z', '2026-02-28', '2026-02-28T00:00:00.000+14:00'],
      ['2026-02-28T10:00:00Z', '2026-03-01', '2026-03-01T00:00:00.000+14:00'],
      ['2026-02-28T23:59:59-03:30', '2026-03-01', '2026-03-01T00:00:00.000+14:00'],
      ['2026-03-01T23:59:59', '2026-03-01', '2026-03-01T00:00:00.000+14:00'],
    ],
  },
  {
    zones: { site: ST_JOHNS, user: KIRITIMATI },
    written: [
      ['2026-03-01T00:30:00', '2026-02-28T10:30:00.000Z', '2026-03-01T00:30:00.000+14:00'],
      ['2026-03-01', '2026-02-28T10:00:00.000Z', '2026-03-01T00:00:00.000+14:00'],
    ],
    days: [
      ['2026-03-01', '2026-03-01', '2026-03-01T00:00:00.000-03:30'],
      ['2026-03-01T03:29:59Z', '2026-02-28', '2026-02-28T00:00:00.000-03:30'],
      ['2026-03-01T03:30:00Z', '2026-03-01', '2026-03-01T00:00:00.000-03:30'],
      ['2026-07-01T02:29:59Z', '2026-06-30', '2026-06-30T00:00:00.000-02:30'],
    ],
  },
] as const;

const three = (value: string) => [value, value, value];

onEachApp((context) => {
  let things: Things;
  beforeAll(async () => {
    things = await makeThings(context());
  });

  async function setZones(zones: { site: string; user: string }): Promise<void> {
    const { db } = context();
    const here = things.siteId;
    await db.updateTable('site').set({ time_zone: zones.site }).where('site_id', '=', here).execute();
    await db.updateTable('membership').set({ time_zone: zones.user }).where('site_id', '=', here).execute();
  }

  async function write(field: string, value: string, behavior: number): Promise<number> {
    const answer = await things.api.post<{ entryId: number }[]>(
      `${DATA}/entrydata/Thing?dateTimeBehavior=${behavior}`,
      { storeRequests: things.items(-1, { Name: `${field} ${value}`, [field]: value }) },
    );
    expect(answer.status).toBe(200);
    return answer.body[0]?.entryId ?? 0;
  }

  /** The value of a field from each operation that reads it. */
  async function readValues(entryId: number, field: string, dateTimeBehavior: number): Promise<unknown[]> {
    const options = `?dateTimeBehavior=${dateTimeBehavior}`;
    const { id: fieldId } = things.field(field);
    const rows = await things.query({ EntryId: entryId }, { dateTimeBehavior });
    const cells = await things.api.post<{ value: unknown }[]>(`${DATA}/entrydata/get${options}`, [
      { entryId, fieldId },
    ]);
    const past = await things.api.post<{ rows: Row[] }>(`${DATA}/entrydata/getHistoricalData${options}`, {
      entryTypeId: things.typeId,
      fields: [fieldId],
      entries: [entryId],
      fromDate: new Date(Date.now() + 60_000).toISOString(),
    });
    return [rows.rows[0]?.[field], cells.body[0]?.value, past.body.rows[0]?.[field]];
  }

  describe.each(CASES)('with $zones', ({ zones, written, days }) => {
    test('times are in the time zone of the user', async () => {
      await setZones(zones);
      for (const [text, inUtc, here] of written) {
        const entryId = await write('Seen', text, 1);
        expect(await readValues(entryId, 'Seen', 0)).toEqual(three(inUtc));
        expect(await readValues(entryId, 'Seen', 1)).toEqual(three(here));
        const same = { EntryId: entryId, Seen: here };
        expect(await things.names(same)).toHaveLength(1);
        expect(await things.names({ ...same, Seen: text }, { dateTimeBehavior: 1 })).toHaveLength(1);
      }
    });

    test('dates are in the time zone of the site, before and after its midnight', async () => {
      await setZones(zones);
      for (const [text, day, here] of days) {
        const entryId = await write('Founded', text, 1);
        expect(await readValues(entryId, 'Founded', 0)).toEqual(three(`${day}T00:00:00.000Z`));
        expect(await readValues(entryId, 'Founded', 1)).toEqual(three(here));
        for (const ready of [true, false]) {
          await setIndexesReady(context().db, things.siteId, ready);
          const asks = (Founded: unknown, dateTimeBehavior: number) =>
            things.names({ EntryId: entryId, Founded }, { dateTimeBehavior });
          expect(await asks(text, 1)).toHaveLength(1);
          expect(await asks({ $between: [text, text] }, 1)).toHaveLength(1);
          expect(await asks({ $in: [here] }, 1)).toHaveLength(1);
          expect(await asks(day, 0)).toHaveLength(1);
          expect(await asks({ $lt: day }, 0)).toEqual([]);
        }
      }
    });

    test('moments without a zone are in the time zone of the user', async () => {
      await setZones(zones);
      const [entryId = 0] = await things.create({ Name: 'Then' });
      const moment = await nextTimestamp();
      await things.update(entryId, { Name: 'Now' });
      const readNames = async (time: string) => {
        const past = await things.api.post<{ rows: Row[] }>(
          `${DATA}/entrydata/getHistoricalData?dateTimeBehavior=1`,
          { entryTypeId: things.typeId, entries: [entryId], fromDate: time },
        );
        const list = await things.api.post<{ rows: Row[] }>(`${DATA}/entrydata/rows/asof/Thing`, {
          query: { EntryId: entryId },
          asOf: time,
          dateTimeBehavior: 1,
        });
        expect([past.status, list.status]).toEqual([200, 200]);
        return [past.body, list.body].map(({ rows }) => rows[0]?.Name);
      };
      const here = formatDate(moment, false, 1, zones);
      for (const time of [moment, here, here.slice(0, '2026-03-01T00:30:00.000'.length)])
        expect(await readNames(time)).toEqual(['Then', 'Then']);
    });

    test('all values are in UTC without dateTimeBehavior', async () => {
      await setZones(zones);
      const moment = await write('Seen', '2026-03-01T00:30:00', 0);
      expect(await readValues(moment, 'Seen', 0)).toEqual(three('2026-03-01T00:30:00.000Z'));
      const day = await write('Founded', '2026-02-28T23:59:59Z', 0);
      expect(await readValues(day, 'Founded', 0)).toEqual(three('2026-02-28T00:00:00.000Z'));
      const filter = [
        { fieldId: things.field('Founded').id, filterOperation: 0, value: '2026-02-28T23:00:00' },
      ];
      expect((await things.api.post(`${DATA}/entrydata/Thing/filter`, filter)).body).toContain(day);
    });
  });

  test.each([
    '2026-02-30',
    '2026-03-01T25:00:00Z',
    '2026-03-01T08:00:00+25:00',
    '0000-01-01',
    '10000-01-01',
    'yesterday',
    '2026-3-1',
  ])('rejects %s as a date', async (value) => {
    const items = things.items(-1, { Name: value, Seen: value, Founded: value });
    const { status, body } = await things.store('post', items);
    expect([status, (body as unknown as { errors: unknown[] }).errors]).toMatchObject([
      400,
      [{ path: 'storeRequests.1.value' }, { path: 'storeRequests.2.value' }],
    ]);
    const filtered = await things.api.post<ErrorBody>(`${DATA}/entrydata/rows/query/Thing`, {
      query: { Seen: { $in: ['2026-03-01', value] }, Founded: value },
    });
    expect([filtered.status, filtered.body.errors]).toMatchObject([
      400,
      [{ path: 'query.Seen.$in.1' }, { path: 'query.Founded' }],
    ]);
  });
});
