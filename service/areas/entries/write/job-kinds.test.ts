import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Job, JobItem } from '../../../../contract/generated/types.gen.ts';
import { runDueJobs } from '../../../kernel/jobs/run-jobs.ts';
import { createLog } from '../../../kernel/telemetry/log.ts';
import type { ErrorBody } from '../../../testing/calls.ts';
import {
  DATA,
  makeThings,
  recalculate,
  SCHEMA,
  type FieldValues,
  type Things,
} from '../../../testing/entries/entries.ts';
import { as, contract, makePerson, onEachApp } from '../../../testing/site.ts';
import { registry } from '../../registry.ts';

const path = (id: number, rest = '') => `/api/rest/v1/management/jobs/${id}${rest}`;

onEachApp((context) => {
  let things: Things;
  beforeEach(async () => {
    await sql`delete from job`.execute(context().db);
    things = await makeThings(context());
  });

  const woken: string[] = [];
  const run = () =>
    runDueJobs({
      db: context().db,
      log: createLog('silent'),
      kinds: registry.jobKinds,
      operations: contract.operations,
      publicUrl: 'http://steward.test',
      wakeTask: (name) => woken.push(name),
    });
  /** Values in the form of a request. */
  const cells = (values: FieldValues) =>
    things.items(0, values).map(({ fieldId, value, currencyCode }) => ({
      fieldId,
      value,
      ...(currencyCode !== undefined && { currencyCode }),
    }));
  const toEntries = (ids: readonly number[], expected?: FieldValues) =>
    ids.map((entryId) => ({ entryId, ...(expected && { expected: cells(expected) }) }));
  const post = (values: FieldValues, entries: readonly object[], more: object = {}, api = things.api) =>
    api.post<Job & ErrorBody>('/api/rest/v1/management/jobs/entryUpdates', {
      entryTypeId: things.typeId,
      values: cells(values),
      entries,
      ...more,
    });
  const start = async (...args: Parameters<typeof post>) => {
    const { status, body, text } = await post(...args);
    expect([status, text]).toEqual([202, text]);
    return body;
  };
  const startDeletion = async (entryIds: readonly number[], more: object = {}) => {
    const { status, body, text } = await things.api.post<Job>('/api/rest/v1/management/jobs/entryDeletions', {
      entryTypeId: things.typeId,
      entryIds,
      ...more,
    });
    expect([status, text]).toEqual([202, text]);
    return body;
  };
  const read = async (id: number) => (await things.api.get<Job>(path(id))).body;
  const listItems = async (id: number, api = things.api) =>
    (await api.get<JobItem[]>(path(id, '/items?pageSize=1000'))).body;
  const listReasons = async (id: number, api = things.api) =>
    (await listItems(id, api)).map(({ state, reason }) => [state, reason] as const);
  const undo = async (id: number) => {
    const { status, body, text } = await things.api.post<Job>(path(id, '/inverse'));
    expect([status, text]).toEqual([202, text]);
    await run();
    return read(body.id);
  };
  const createMany = (count: number, values: FieldValues = {}) =>
    things.create(...Array.from({ length: count }, (_, at) => ({ Name: `Thing ${at}`, ...values })));
  const rowsOf = async (ids: readonly number[]) => {
    const { rows } = await things.query({ EntryId: { $in: ids } });
    return new Map(rows.map((row) => [row.EntryId, row]));
  };
  const valuesOf = async (name: string, ids: readonly number[]) => {
    const rows = await rowsOf(ids);
    return ids.map((id) => {
      const value = rows.get(id)?.[name];
      return typeof value === 'object' && value !== null && 'name' in value ? value.name : value;
    });
  };

  test('sets a value of all entries with history, audit rows, events and calculations, and says what was asked', async () => {
    const ids = await createMany(120, { Score: 1 });
    await things.update(ids[0] ?? 0, { Score: 5 });
    await recalculate(context().db);
    woken.length = 0;
    const job = await start({ Score: 5 }, toEntries(ids, { Score: 1 }));
    expect(job).toMatchObject({ title: 'Set Score of 120 Things to 5', kind: 'entries.update', total: 120 });
    await run();
    expect(await read(job.id)).toMatchObject({ state: 'finished', done: 119, unchanged: 1, failed: 0 });
    expect(await valuesOf('Score', ids)).toEqual(ids.map(() => 5));
    const [, second] = await listItems(job.id);
    expect(second).toMatchObject({
      label: 'Thing 1',
      detail: `Entry ${ids[1]}`,
      before: { values: [{ fieldId: things.field('Score').id, value: 1 }] },
    });
    const { db } = context();
    const log = await sql<{ count: number; authors: number[] }>`
      select count(*)::int as count, array_agg(distinct user_id) as authors from cell_log
      where site_id = ${things.siteId} and field_id = ${things.field('Score').id} and new = '5' and entry_id <> ${ids[0]}`.execute(
      db,
    );
    expect(log.rows).toEqual([{ count: 119, authors: [things.person.userId] }]);
    const audited = await sql<{ ids: number[] }>`select changes -> 'entries' as ids from audit_log
      where site_id = ${things.siteId} and action = 'entry.update' order by audit_id`.execute(db);
    expect(audited.rows.slice(1).flatMap((row) => row.ids)).toEqual(ids.slice(1));
    // The formula follows the changed field.
    expect(woken).toContain('recalculate');
    await recalculate(db);
    expect(await valuesOf('Twice', ids)).toEqual(ids.map(() => 10));
  });

  test('leaves entries alone that have another value than the review read, and names the field', async () => {
    const [a = 0, b = 0, c = 0, d = 0, e = 0] = await createMany(5, { Note: 'Rome', Score: 1 });
    const job = await start(
      { Note: 'Oslo', Score: 2 },
      toEntries([a, b, c, d, e], { Note: 'Rome', Score: 1 }),
    );
    await things.update(b, { Note: 'Kyiv' });
    await things.update(c, { Note: 'Oslo', Score: 2 });
    await things.remove(d);
    await things.merge(a, e);
    await run();
    expect(await listReasons(job.id)).toEqual([
      ['done', null],
      ['conflict', 'Note was changed in the meantime'],
      ['unchanged', null],
      ['conflict', 'Was deleted'],
      ['conflict', 'Was merged into another entry'],
    ]);
    // The other field of the entry is not written either.
    expect([await valuesOf('Note', [b]), await valuesOf('Score', [b])]).toEqual([['Kyiv'], [1]]);
  });

  test('without expected values leaves entries alone whose fields others changed after the review', async () => {
    const [a = 0, b = 0, c = 0] = await createMany(3, { Note: 'Rome' });
    const reviewedAt = new Date().toISOString();
    const other = await makePerson(context().db, things.siteId);
    const field = things.field('Note');
    await sql`insert into cell_log (site_id, entry_id, field_id, at, type_id, old, new, user_id)
      values (${things.siteId}, ${b}, ${field.id}, now() + interval '1 second', ${things.typeId}, '"Rome"', '"Kyiv"', ${other.userId}),
        (${things.siteId}, ${c}, ${field.id}, now() + interval '1 second', ${things.typeId}, '"Rome"', '"Kyiv"', ${things.person.userId}),
        (${things.siteId}, ${a}, ${things.field('Memo').id}, now() + interval '1 second', ${things.typeId}, null, '"x"', ${other.userId})`.execute(
      context().db,
    );
    const job = await start({ Note: 'Oslo' }, toEntries([a, b, c]), { reviewedAt });
    await run();
    expect((await listReasons(job.id)).map(([state]) => state)).toEqual(['done', 'conflict', 'done']);
  });

  test('refuses entries as single writes do, each with its reason, and changes the others', async () => {
    const { choice, person } = things;
    const [a = 0, b = 0, c = 0, d = 0, e = 0] = await createMany(5, { Note: 'x', Reason: 'Price' });
    await things.update(b, { Reason: null });
    const lost = await start({ Stage: choice('Stage', 'Lost') }, toEntries([a, b, c]));
    expect(lost.title).toBe('Set Stage of 3 Things to Lost');
    const each = await start({}, [
      { entryId: a, values: cells({ Parent: 2_000_000_000 }) },
      { entryId: b, values: cells({ Friends: [a, c], Team: [person.userId, 2_000_000_000] }) },
      {
        entryId: c,
        values: cells({ Friends: [a, b], Tags: [choice('Tags', 'Red'), choice('Tags', 'Blue')] }),
      },
      { entryId: d, values: cells({ Name: 'Quite New' }) },
      { entryId: e, values: cells({ Name: 'quite new' }) },
      { entryId: 2_000_000_000, values: cells({ Note: 'y' }) },
    ]);
    expect(each.title).toBe('Change 6 fields of 6 Things');
    const clear = await start({ Name: null }, toEntries([a]));
    expect(clear.title).toBe('Clear Name of 1 Thing');
    await run();
    expect(await listReasons(lost.id)).toEqual([
      ['done', null],
      ['failed', 'Reason is required under the current conditions'],
      ['done', null],
    ]);
    expect(await listReasons(each.id)).toEqual([
      ['failed', 'Parent: Entry 2000000000 does not exist'],
      ['failed', 'Team: User 2000000000 is not on this site'],
      ['done', null],
      ['done', null],
      ['failed', 'Name: "Quite New" in this request has nearly the same name'],
      ['conflict', 'Does not exist'],
    ]);
    expect(await listReasons(clear.id)).toEqual([['failed', 'Name is required']]);
    expect(await valuesOf('Friends', [b])).toEqual([undefined]);
  });

  test('sets long and multiline texts, and shortens them in the title', async () => {
    const ids = await createMany(3);
    const text = `Zeile 1\n${'ß'.repeat(5_000)}👩‍🚀`;
    const job = await start({ Note: text }, toEntries(ids, { Note: null }));
    expect(job.title).toBe(`Set Note of 3 Things to Zeile 1 ${'ß'.repeat(52)}…`);
    await run();
    expect(await valuesOf('Note', ids)).toEqual([text, text, text]);
    expect(await undo(job.id)).toMatchObject({ title: 'Restore Note of 3 Things', done: 3 });
    expect(await valuesOf('Note', ids)).toEqual([undefined, undefined, undefined]);
  });

  test('values too large for one transaction are written in smaller ones', async () => {
    const ids = await createMany(40);
    const text = 'x'.repeat(900_000);
    const job = await start({ Memo: text }, toEntries(ids.slice(0, 40)));
    await run();
    expect(await read(job.id)).toMatchObject({ done: 40 });
    const { rows } = await sql<{
      most: number;
    }>`select max(jsonb_array_length(changes -> 'entries')) as most from audit_log
      where site_id = ${things.siteId} and action = 'entry.update'`.execute(context().db);
    expect(rows[0]?.most).toBeLessThanOrEqual(18);
  });

  describe('undo', () => {
    test('restores values of every kind of field exactly, whatever the job set', async () => {
      const { choice, person } = things;
      const [friend = 0, other = 0] = await things.create({ Name: 'Friend' }, { Name: 'Other' });
      const held: FieldValues = {
        Note: 'Straße',
        Stage: choice('Stage', 'Open'),
        Tags: [choice('Tags', 'Red'), choice('Tags', 'Blue')],
        Score: 1.5,
        Revenue: { value: 5, currencyCode: 'EUR' },
        Price: { value: 0, currencyCode: 'USD' },
        Seen: '2026-03-01T08:00:00.123Z',
        Founded: '0001-01-01',
        Parent: friend,
        Friends: [other, friend],
        Active: false,
        Owner: person.userId,
        Team: [person.userId],
      };
      const [full = 0, empty = 0] = await things.create({ Name: 'Full', ...held }, { Name: 'Empty' });
      const next: FieldValues = {
        Note: 'other',
        Stage: choice('Stage', 'Won'),
        Tags: [choice('Tags', 'Green')],
        Score: 0,
        Revenue: { value: 7, currencyCode: 'EUR' },
        Price: { value: 1, currencyCode: 'EUR' },
        Seen: '2027-01-01T00:00:00+02:00',
        Founded: '2000-02-29',
        Parent: other,
        Friends: [friend],
        Active: true,
        Owner: null,
        Team: null,
      };
      const before = await rowsOf([full, empty]);
      const set = await start(next, toEntries([full, empty]));
      await run();
      expect(await read(set.id)).toMatchObject({ done: 2 });
      expect(await rowsOf([full, empty])).not.toEqual(before);
      expect(await undo(set.id)).toMatchObject({ done: 2, conflicts: 0, failed: 0, inverseOf: set.id });
      expect(await rowsOf([full, empty])).toEqual(before);
      const cleared = await start(
        Object.fromEntries(Object.keys(held).map((name) => [name, null])),
        toEntries([full]),
      );
      await run();
      expect(await undo(cleared.id)).toMatchObject({ done: 1 });
      expect(await rowsOf([full, empty])).toEqual(before);
    });

    test('leaves values alone that were changed since, and restores a name like others', async () => {
      const [a = 0, b = 0, c = 0] = await things.create(
        { Name: 'Hafen', Note: 'one' },
        { Name: 'hafen', Note: 'two' },
        { Name: 'Third', Note: 'three' },
      );
      const job = await start({}, [
        { entryId: a, values: cells({ Note: 'new' }) },
        { entryId: b, values: cells({ Name: 'Elsewhere' }) },
        { entryId: c, values: cells({ Note: 'new' }) },
      ]);
      await run();
      await things.update(c, { Note: 'newer' });
      const inverse = await undo(job.id);
      expect(inverse).toMatchObject({ done: 2, conflicts: 1 });
      expect(await listReasons(inverse.id)).toContainEqual(['conflict', 'Note was changed in the meantime']);
      expect(await things.names({ EntryId: b })).toEqual(['hafen']);
      expect(await valuesOf('Note', [a, b, c])).toEqual(['one', 'two', 'newer']);
    });

    test('says which value cannot be restored any more', async () => {
      const { choice, api } = things;
      const ids = await createMany(2, { Stage: choice('Stage', 'Won'), Note: 'kept' });
      const job = await start({ Stage: choice('Stage', 'Open') }, toEntries(ids));
      await run();
      await removeChoice('Stage', 'Won');
      const inverse = await undo(job.id);
      expect(await listReasons(inverse.id)).toEqual([
        ['failed', '"Won" is no longer a choice of Stage'],
        ['failed', '"Won" is no longer a choice of Stage'],
      ]);
      expect((await api.post(path(inverse.id, '/inverse'))).status).toBe(409);
    });
  });

  const removeChoice = async (name: string, choice: string) => {
    const { id, choiceValues } = things.field(name);
    const reply = await things.api.put(`${SCHEMA}/fields/${id}`, {
      choiceValues: choiceValues?.flatMap((each) =>
        each.name === choice ? [] : [{ id: each.id, name: each.name }],
      ),
    });
    expect([reply.status, reply.text]).toEqual([200, reply.text]);
  };

  describe('a schema that changes while the job runs', () => {
    test('fails the entries with the removed choice or deleted field, and changes the others', async () => {
      const { choice } = things;
      const [a = 0, b = 0, c = 0] = await createMany(3, { Note: 'kept' });
      const job = await start({}, [
        { entryId: a, values: cells({ Note: 'new', Stage: choice('Stage', 'Won') }) },
        { entryId: b, values: cells({ Note: 'new', Memo: 'new' }) },
        { entryId: c, values: cells({ Note: 'new' }) },
      ]);
      await removeChoice('Stage', 'Won');
      expect((await things.api.del(`${SCHEMA}/fields/${things.field('Memo').id}`)).status).toBe(204);
      await run();
      expect(await listReasons(job.id)).toEqual([
        ['failed', '"Won" is no longer a choice of Stage'],
        ['failed', 'A field of this change was deleted from the schema'],
        ['done', null],
      ]);
      expect(await valuesOf('Note', [a, b, c])).toEqual(['kept', 'kept', 'new']);
    });

    test('fails all entries of a deleted type', async () => {
      const ids = await createMany(2);
      const job = await start({ Note: 'new' }, toEntries(ids));
      await things.remove(...ids);
      expect((await things.api.del(`${SCHEMA}/entrytypes/${things.typeId}`)).status).toBe(204);
      await run();
      expect(await listReasons(job.id)).toEqual([
        ['failed', 'The entry type was deleted'],
        ['failed', 'The entry type was deleted'],
      ]);
    });
  });

  describe('deletion', () => {
    test('deletes entries with the references to them, once each, and leaves merged and changed ones alone', async () => {
      const [a = 0, b = 0, c = 0, d = 0, e = 0] = await createMany(5);
      const [referrer = 0] = await things.create({ Name: 'Referrer', Parent: a, Friends: [a, c] });
      await things.remove(b);
      await things.merge(c, d);
      const other = await makePerson(context().db, things.siteId);
      const reviewedAt = new Date().toISOString();
      await sql`update entry_change set direct_at = now() + interval '1 second', modified_by = ${other.userId}
        where site_id = ${things.siteId} and entry_id = ${e}`.execute(context().db);
      const job = await startDeletion([a, b, c, d, e, a, 2_000_000_000], { reviewedAt });
      expect(job).toMatchObject({ title: 'Delete 6 Things', total: 6 });
      await run();
      expect(await listReasons(job.id)).toEqual([
        ['done', null],
        ['unchanged', null],
        ['done', null],
        ['conflict', 'Was merged into another entry'],
        ['conflict', 'Was changed in the meantime'],
        ['conflict', 'Does not exist'],
      ]);
      expect((await listItems(job.id))[0]).toMatchObject({ label: 'Thing 0' });
      const { rows } = await things.query({});
      expect(rows.map(({ EntryId }) => EntryId)).toEqual([e, referrer]);
      expect(rows[1]).not.toHaveProperty('Parent');
      expect(rows[1]).not.toHaveProperty('Friends');
    });

    test('is undone in the console only, except entries that were deleted again since', async () => {
      const { app, db } = context();
      const [a = 0, b = 0, c = 0] = await createMany(3, { Note: 'kept', Score: 2 });
      const job = await startDeletion([a, b, c]);
      await run();
      const other = await makePerson(db, things.siteId);
      const restore = (ids: number[]) =>
        as(app, things.person, 'console').post(`${DATA}/entrydata/Thing/restore`, ids);
      expect((await restore([b, c])).status).toBe(200);
      await as(app, other).del(`${DATA}/entrydata/Thing`, [c]);
      expect((await things.api.post(path(job.id, '/inverse'))).status).toBe(403);
      const session = as(app, things.person, 'console');
      const inverse = await session.post<Job>(path(job.id, '/inverse'));
      expect([inverse.status, inverse.text]).toEqual([202, inverse.text]);
      expect(inverse.body).toMatchObject({ title: 'Restore 3 Things', kind: 'entries.restore' });
      await run();
      expect(await listReasons(inverse.body.id, session)).toEqual([
        ['done', null],
        ['unchanged', null],
        ['conflict', 'Was restored and deleted again in the meantime'],
      ]);
      expect(await valuesOf('Note', [a, b, c])).toEqual(['kept', 'kept', undefined]);
    });

    test('of several batches is undone with the references between its entries, in both directions', async () => {
      // More than the first batch.
      const count = 60;
      const [outside = 0] = await things.create({ Name: 'Outside' });
      const ids = await createMany(count);
      const at = (index: number) => ids[index % count] ?? 0;
      for (const [index, id] of ids.entries())
        await things.update(id, {
          Parent: at(index + 45),
          Friends: [at(index + 50), outside, at(index + 1)],
        });
      const readReferences = async () => {
        const { rows } = await sql<{ id: number; vals: object }>`
          select entry_id as id, vals from entry where site_id = ${things.siteId} order by entry_id`.execute(
          context().db,
        );
        return rows;
      };
      const before = await readReferences();
      const job = await startDeletion(ids);
      await run();
      expect(await readReferences()).toHaveLength(1);
      const session = as(context().app, things.person, 'console');
      const inverse = await session.post<Job>(path(job.id, '/inverse'));
      expect(inverse.body).toMatchObject({ title: `Restore ${count} Things` });
      await run();
      expect((await session.get<Job>(path(inverse.body.id))).body).toMatchObject({ conflicts: 0, failed: 0 });
      expect(await readReferences()).toEqual(before);
    });

    test('of a type that was deleted meanwhile fails, and so does its undo', async () => {
      const ids = await createMany(2);
      const [job, late] = [await startDeletion(ids), await startDeletion(ids)];
      await sql`update job set not_before = now() + interval '1 hour' where job_id = ${late.id}`.execute(
        context().db,
      );
      await run();
      expect((await things.api.del(`${SCHEMA}/entrytypes/${things.typeId}`)).status).toBe(204);
      await sql`update job set not_before = null where job_id = ${late.id}`.execute(context().db);
      const session = as(context().app, things.person, 'console');
      const inverse = await session.post<Job>(path(job.id, '/inverse'));
      await run();
      const failures = ids.map(() => ['failed', 'The entry type was deleted']);
      expect([await listReasons(late.id), await listReasons(inverse.body.id, session)]).toEqual([
        failures,
        failures,
      ]);
    });
  });

  test('takes the entries in parts, and leaves out what a request would have refused', async () => {
    const ids = await createMany(3);
    const [a = 0, b = 0, c = 0] = ids;
    const started = await things.api.post<Job>('/api/rest/v1/management/jobs/entryUpdates', {
      entryTypeId: things.typeId,
      values: cells({ Note: 'new', Score: 3 }),
      uploadsItems: true,
    });
    expect(started.body).toMatchObject({ state: 'uploading', title: 'Change many entries' });
    const parts = [
      [{ entryId: a }, { entryId: b, expected: cells({ Note: 'old' }) }],
      [{ entryId: c, values: cells({ Papers: null }) }],
    ].map((items) => JSON.stringify({ items }));
    const hashes = parts.map((body) => createHash('sha256').update(body).digest('hex'));
    for (const [index, body] of parts.entries()) {
      const query = `?firstItem=${index * 2 + 1}&sha256=${hashes[index]}`;
      const url = path(started.body.id, `/parts/${index + 1}${query}`);
      const reply = await things.api.put(url, JSON.parse(body));
      expect([reply.status, reply.text]).toEqual([200, reply.text]);
    }
    const submitted = await things.api.post<Job>(path(started.body.id, '/submit'), { parts: hashes });
    expect(submitted.body).toMatchObject({
      state: 'waiting',
      total: 3,
      title: 'Change Note and Score of 3 Things',
    });
    await run();
    expect(await listReasons(started.body.id)).toEqual([
      ['done', null],
      ['conflict', 'Note was changed in the meantime'],
      ['failed', 'Files of Papers cannot be changed by a job'],
    ]);
    expect(await valuesOf('Note', ids)).toEqual(['new', undefined, undefined]);
    expect(await undo(started.body.id)).toMatchObject({ done: 1 });
  });

  test('of a proxy is attributed to the principal, and while acting no other own jobs are shown', async () => {
    const { db, app } = context();
    const [a = 0] = await createMany(1);
    const own = await start({ Note: 'own' }, toEntries([a]));
    const principal = await makePerson(db, things.siteId, { capabilities: ['Read Data', 'Write Data'] });
    const proxy = things.person;
    await db
      .insertInto('proxy_assignment')
      .values({ site_id: things.siteId, proxy_id: proxy.userId, user_id: principal.userId })
      .execute();
    const session = as(app, proxy, 'console');
    const acting = { userId: principal.userId, reason: 'Ticket 4711' };
    expect((await session.put('/api/session/acting', acting)).status).toBe(200);
    const job = await start({ Note: 'acting' }, toEntries([a]), {}, session);
    await run();
    expect((await session.get<Job[]>('jobs')).body.map(({ id }) => id)).toEqual([job.id]);
    expect((await session.get<Job>(path(job.id))).body).toMatchObject({ state: 'finished', done: 1 });
    expect((await session.get(path(own.id))).status).toBe(404);
    const { rows } =
      await sql`select user_id, proxy_id from cell_log where site_id = ${things.siteId} and entry_id = ${a}
      order by seq`.execute(db);
    expect(rows).toEqual([
      { user_id: proxy.userId, proxy_id: null },
      { user_id: principal.userId, proxy_id: proxy.userId },
    ]);
    const list = (await things.api.get<Job[]>(path(0).replace('/0', ''))).body;
    expect(list.map(({ id }) => id)).toEqual([own.id]);
  });

  test('needs Read Data as well, and so does everybody who reads its items', async () => {
    const { db, app } = context();
    const ids = await createMany(1);
    const writer = await makePerson(db, things.siteId, { capabilities: ['Write Data'] });
    expect((await post({ Note: 'x' }, toEntries(ids), {}, as(app, writer, 'console'))).status).toBe(403);
    const job = await start({ Note: 'x' }, toEntries(ids));
    const auditor = as(
      app,
      await makePerson(db, things.siteId, { capabilities: ['View Activity'] }),
      'console',
    );
    expect((await auditor.get(path(job.id))).status).toBe(200);
    expect((await auditor.get(path(job.id, '/items'))).status).toBe(403);
    expect((await auditor.get(path(job.id, '/reasons'))).status).toBe(403);
    await sql`update user_group set capabilities = array_remove(capabilities, 'Read Data')
      where site_id = ${things.siteId} and group_id = ${things.person.groupId}`.execute(db);
    await run();
    const { rows } = await sql`select state, stop_reason from job where job_id = ${job.id}`.execute(db);
    expect(rows).toEqual([{ state: 'stopped', stop_reason: 'User capabilities are required: Read Data' }]);
  });

  test('names the values of references and users in the title', async () => {
    const [friend = 0] = await things.create({ Name: 'Hafen Logistik' });
    const [a = 0] = await createMany(1);
    const { rows } = await sql<{ name: string }>`select first_name || ' ' || last_name as name from account
      where user_id = ${things.person.userId}`.execute(context().db);
    const title = async (values: FieldValues) => (await start(values, toEntries([a]))).title;
    expect(await title({ Friends: [friend] })).toBe('Set Friends of 1 Thing to Hafen Logistik');
    expect(await title({ Owner: things.person.userId })).toBe(`Set Owner of 1 Thing to ${rows[0]?.name}`);
    expect(await title({ Revenue: { value: 5, currencyCode: 'EUR' } })).toBe(
      'Set Revenue of 1 Thing to EUR 5',
    );
    expect(await title({ Note: null })).toBe('Clear Note of 1 Thing');
    expect(await title({ Active: true, Score: 1 })).toBe('Change Score and Active of 1 Thing');
  });

  test('invalid requests name the path', async () => {
    const [a = 0] = await createMany(1);
    const paths = async (values: FieldValues, entries: readonly object[], more: object = {}) =>
      (await post(values, entries, more)).body.errors?.map((error) => error.path);
    expect(await paths({ Stage: 2_000_000_000 }, [{ entryId: a }])).toEqual(['values.0.value']);
    expect(await paths({ Twice: 1 }, [{ entryId: a }])).toEqual(['values.0.value']);
    expect(await paths({ Plan: null }, [{ entryId: a }])).toEqual(['values.0.fieldId']);
    expect(await paths({ Note: 'x' }, [{ entryId: a }, { entryId: a }])).toEqual(['entries.1.entryId']);
    expect(await paths({}, [{ entryId: a }])).toEqual(['entries.0.values']);
    expect(await paths({ Note: 'x' }, [{ entryId: a, values: cells({ Score: 1 }) }])).toEqual([
      'entries.0.values',
    ]);
    expect(await paths({ Note: 'x' }, [{ entryId: a }], { uploadsItems: true })).toEqual(['uploadsItems']);
    expect(await paths({}, [{ entryId: a, values: [{ fieldId: 2_000_000_000, value: 1 }] }])).toEqual([
      'entries.0.values.0.fieldId',
    ]);
    expect((await post({ Note: 'x' }, [{ entryId: a }], { entryTypeId: 2_000_000_000 })).status).toBe(404);
  });
});
