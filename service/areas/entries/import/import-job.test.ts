import { sql } from 'kysely';
import Papa from 'papaparse';
import { beforeEach, describe, expect, test } from 'vitest';
import type { EntryImport, EntryImportRow, Job, JobItem } from '../../../../contract/generated/types.gen.ts';
import { retryLater } from '../../../kernel/api-error.ts';
import type { JobKind } from '../../../kernel/jobs/job-kind.ts';
import type { ErrorBody } from '../../../testing/calls.ts';
import {
  makeThings,
  recalculate,
  SCHEMA,
  type FieldValues,
  type Things,
} from '../../../testing/entries/entries.ts';
import { runJobs, uploadItems } from '../../../testing/jobs.ts';
import { as, makePerson, onEachApp } from '../../../testing/site.ts';
import { registry } from '../../registry.ts';

const JOBS = '/api/rest/v1/management/jobs';

const getReferenceName = (value: unknown) =>
  typeof value === 'object' && value !== null && 'name' in value ? value.name : undefined;
const getKind = (name: string): JobKind => {
  const kind = registry.jobKinds.get(name);
  if (!kind) throw new Error(`The kind ${name} does not exist`);
  return kind;
};

onEachApp((context) => {
  let things: Things;
  beforeEach(async () => {
    await sql`delete from job`.execute(context().db);
    things = await makeThings(context());
  });

  const run = (kinds?: readonly JobKind[]) => runJobs(context().db, kinds);
  const cells = (values: FieldValues) =>
    things
      .items(0, values)
      .map(({ entryId: _id, ignoreNearDups: _near, ...cell }) => cell) as EntryImportRow['values'];
  const row = (number: number, values: FieldValues, more: Partial<EntryImportRow> = {}): EntryImportRow => ({
    row: number,
    values: cells(values),
    ...more,
  });
  const start = async (rows: EntryImportRow[] | undefined, options: Partial<EntryImport> = {}) => {
    const body = { entryTypeId: things.typeId, fileName: 'things.csv', ...(rows && { rows }), ...options };
    const reply = await things.api.post<Job & ErrorBody>(`${JOBS}/entryImports`, body);
    expect([reply.status, reply.text]).toEqual([202, reply.text]);
    return reply.body;
  };
  const read = async (id: number) => (await things.api.get<Job>(`${JOBS}/${id}`)).body;
  const importRows = async (rows: EntryImportRow[], options?: Partial<EntryImport>) => {
    const { id } = await start(rows, options);
    await run();
    return read(id);
  };
  const listItems = async (id: number) =>
    (await things.api.get<JobItem[]>(`${JOBS}/${id}/items?pageSize=1000`)).body;
  const listOutcomes = async (id: number) =>
    (await listItems(id)).map(({ state, reason }) => [state, reason] as const);
  const undo = async (id: number) => {
    const { status, body, text } = await things.api.post<Job>(`${JOBS}/${id}/inverse`);
    expect([status, text]).toEqual([202, text]);
    await run();
    return read(body.id);
  };
  const find = async (name: string) => {
    const { rows } = await things.query({ Name: { $eq: name } }, { fields: null });
    expect(rows.length).toBeLessThanOrEqual(1);
    return rows[0];
  };
  /** Runs the check of an import, which then waits for a rate limit. */
  const runCheckOnly = async () => {
    const failing: JobKind = {
      ...getKind('entries.import'),
      run: () => Promise.reject(retryLater(429, 'Wait', 60)),
    };
    await run([failing]);
    await sql`update job set retry_at = null`.execute(context().db);
  };

  test('failed rows can be fetched with the cells of the file and the reason, and imported again', async () => {
    const [taken = 0] = await things.create({ Name: 'Taken', Score: 3 });
    const columns = ['Name', 'Score, text', 'Row', 'Problem'];
    const { id, failed, conflicts } = await importRows(
      [
        row(2, { Name: 'Good' }, { cells: ['Good', '1', '7', 'an old one'] }),
        row(4, { Score: 1, Name: '' }, { cells: ['', '=1+"1"\n', '8', ''] }),
        row(5, { Score: 9 }, { entryId: taken, expected: cells({ Score: 2 }), cells: ['Taken'] }),
      ],
      { columns, skipsInvalidRows: true },
    );
    expect({ failed, conflicts }).toEqual({ failed: 1, conflicts: 1 });
    const [, nameless, conflict] = await listOutcomes(id);
    const file = await things.api.get(`${JOBS}/${id}/report?rows=failed`);
    expect(file.status).toBe(200);
    // The columns for problems of an earlier import are replaced.
    expect(Papa.parse(file.text.replace('\uFEFF', '').trimEnd()).data).toEqual([
      columns,
      ['', '\'=1+"1"\n', '4', nameless?.[1]],
      ['Taken', '', '5', conflict?.[1]],
    ]);
    const without = await importRows([row(2, { Name: '' })], { skipsInvalidRows: true });
    expect((await things.api.get(`${JOBS}/${without.id}/report?rows=failed`)).status).toBe(409);
    await sql`update job set finished_at = now() - interval '91 days' where job_id = ${id}`.execute(
      context().db,
    );
    expect((await things.api.get(`${JOBS}/${id}/report?rows=failed`)).status).toBe(409);
  });

  test('creates, changes and leaves entries as single writes do, and says which row is which entry', async () => {
    const { choice, person } = things;
    const [old = 0, same = 0, taken = 0] = await things.create(
      { Name: 'Old', Score: 1 },
      { Name: 'Same', Score: 2 },
      { Name: 'Taken', Score: 3 },
    );
    const expected = cells({ Score: 1 });
    await things.update(taken, { Score: 30 });
    await recalculate(context().db);
    const created = {
      Note: 'x'.repeat(5_000),
      Stage: choice('Stage', 'Open'),
      Tags: [choice('Tags', 'Red'), choice('Tags', 'Blue')],
      Score: 7,
      Price: { value: 12.5, currencyCode: 'EUR' },
      Founded: '2020-02-29',
      Parent: old,
      Owner: person.userId,
      Active: true,
      Name: 'Nora 諾拉 <b>',
    };
    const job = await importRows(
      [
        row(2, created),
        row(4, { Score: 5 }, { entryId: old, expected }),
        row(5, { Score: 2 }, { entryId: same, expected: cells({ Score: 2 }) }),
        row(6, { Name: 'Renamed', Score: 4 }, { entryId: taken, expected: cells({ Score: 3 }) }),
      ],
      { sheet: 'Sheet 1' },
    );
    expect(job).toMatchObject({
      kind: 'entries.import',
      title: 'Import 4 Things from things.csv, sheet “Sheet 1”',
      state: 'finished',
      done: 2,
      unchanged: 1,
      conflicts: 1,
    });
    const items = await listItems(job.id);
    expect(items.map(({ label, detail, reason }) => [label, detail, reason])).toEqual([
      ['Nora 諾拉 <b>', 'Row 2', null],
      ['Old', `Row 4 · Entry ${old}`, null],
      ['Same', `Row 5 · Entry ${same}`, null],
      ['Renamed', `Row 6 · Entry ${taken}`, 'Score was changed in the meantime'],
    ]);
    const nora = await find(created.Name);
    expect(nora).toMatchObject({ EntryId: items[0]?.before?.['entryId'], Score: 7, No: 4, Active: true });
    expect(getReferenceName(nora?.['Parent'])).toBe('Old');
    expect(await find('Old')).toMatchObject({ Score: 5 });
    const { db } = context();
    const audited = await sql<{
      action: string;
      ids: number[];
    }>`select action, changes -> 'entries' as ids from audit_log
      where site_id = ${things.siteId} and subject_type = 'entry-type' order by audit_id desc limit 2`.execute(
      db,
    );
    expect(audited.rows).toEqual([
      { action: 'entry.update', ids: [old] },
      { action: 'entry.create', ids: [nora?.EntryId] },
    ]);
    const logged = await sql<{ old: unknown; new: unknown }>`select old, new from cell_log
      where site_id = ${things.siteId} and entry_id = ${old} and field_id = ${things.field('Score').id}`.execute(
      db,
    );
    expect(logged.rows).toEqual([{ old: 1, new: 5 }]);
    await recalculate(db);
    expect([(await find(created.Name))?.['Twice'], (await find('Old'))?.['Twice']]).toEqual([14, 10]);
  });

  test('rows refer to entries of earlier rows and to each other, also of other batches and parts', async () => {
    const count = 120;
    const rows = Array.from({ length: count }, (_, at) =>
      row(at + 2, {
        Name: `Node ${at}`,
        ...(at > 0 && { Parent: -1 }),
        ...(at > 59 && { Friends: [-at, -(at - 50)] }),
      }),
    );
    const { id } = await start(undefined, { uploadsItems: true });
    const items = [
      ...rows,
      row(2, { Parent: -count }, { ofItem: 1 }),
      row(3, { Friends: [-2] }, { ofItem: 2 }),
    ];
    const submitted = await uploadItems<Job>(things.api, id, items, 50);
    expect([submitted.status, submitted.body.title]).toEqual([202, 'Import 120 Things from things.csv']);
    await run();
    expect(await read(id)).toMatchObject({ state: 'finished', total: count + 2, done: count + 2 });
    const [first, second, last] = [await find('Node 0'), await find('Node 1'), await find('Node 119')];
    expect([first, last].map((entry) => getReferenceName(entry?.['Parent']))).toEqual(['Node 119', 'Node 0']);
    expect(second?.['Friends']).toMatchObject({ name: 'Node 1' });
    expect(last?.['Friends']).toMatchObject([{ name: 'Node 118' }, { name: 'Node 68' }]);
  });

  const makeInvalidRows = async () => {
    const [known = 0] = await things.create({ Name: 'Known' });
    return [
      row(2, { Name: 'Fine' }),
      row(3, { Score: 'many', Stage: 2_000_000_000, Team: [2_000_000_000] }),
      row(4, { Name: 'Names row 3', Parent: -2 }),
      row(5, { Name: 'fine.' }),
      row(6, { Name: 'Later', Parent: -6 }),
      row(7, { Memo: 'x' }, { entryId: known }),
      row(8, { Note: 'x' }, { entryId: known }),
      row(9, { Name: 'knoẃn' }),
      row(10, { Name: 'Good', Parent: -1 }),
    ];
  };

  describe('before the first change', () => {
    const OUTCOMES = [
      ['open', null],
      [
        'failed',
        expect.stringMatching(
          /^Score: must be a number\. 2000000000 is not a choice of Stage\. Name is required\. Team: User 2000000000 is not on this site$/,
        ),
      ],
      ['failed', 'Row 3, which it refers to, cannot be imported'],
      ['failed', expect.stringMatching(/^Name: "Fine" in this request has nearly the same name/)],
      ['failed', 'Item 6, which it refers to, does not create an entry before it'],
      ['open', null],
      ['failed', 'The same entry is in row 7'],
      ['failed', expect.stringMatching(/^Name: "Known" \(entry \d+\) has nearly the same name$/)],
      ['open', null],
    ];

    test('every row is checked, all faults are named, and one invalid row stops the import', async () => {
      const job = await importRows(await makeInvalidRows());
      expect(job).toMatchObject({ state: 'stopped', done: 0, failed: 6 });
      expect(job.stopReason).toBe('6 of 9 items cannot be carried out, so none was');
      expect(await listOutcomes(job.id)).toEqual(OUTCOMES);
      expect([await find('Fine'), await find('Good')]).toEqual([undefined, undefined]);
    });

    test('invalid rows are left out if the request says so, and can be tried again', async () => {
      const job = await importRows(await makeInvalidRows(), { skipsInvalidRows: true });
      expect(job).toMatchObject({ state: 'finished', done: 3, failed: 6 });
      expect(await listOutcomes(job.id)).toEqual(
        OUTCOMES.map((outcome) => (outcome[0] === 'open' ? ['done', null] : outcome)),
      );
      const { body } = await things.api.post<Job>(`${JOBS}/${job.id}/retry`);
      await run();
      const [third, , near, , , known] = await listOutcomes(body.id);
      expect(third?.[1]).toMatch(/^Score: must be a number/);
      expect(near?.[1]).toMatch(/nearly the same name/);
      expect(known?.[1]).toMatch(/nearly the same name/);
    });

    test('nearly equal names of rows far apart are found, and allowed by request', async () => {
      const rows = Array.from({ length: 60 }, (_, at) =>
        row(at + 2, { Name: at === 59 ? 'NODE 0.' : `Node ${at}` }),
      );
      const refused = await importRows(rows);
      expect(refused).toMatchObject({ state: 'stopped', failed: 1 });
      expect((await listOutcomes(refused.id)).at(-1)).toEqual([
        'failed',
        'Name: nearly the same name is in row 2',
      ]);
      expect(await importRows(rows, { ignoreNearDups: true })).toMatchObject({ state: 'finished', done: 60 });
    });
  });

  test('rows fail that do not fit the schema any more, those that refer to them too, and the others are imported', async () => {
    const note = row(3, { Name: 'Noted', Note: 'x' });
    const stage = row(4, { Name: 'Won', Stage: things.choice('Stage', 'Won') });
    const job = await start([
      row(2, { Name: 'Plain' }),
      note,
      stage,
      row(5, { Name: 'Child', Parent: -2 }),
      row(2, { Parent: -4 }, { ofItem: 1 }),
    ]);
    await runCheckOnly();
    expect((await things.api.del(`${SCHEMA}/fields/${things.field('Note').id}`)).status).toBeLessThan(300);
    await run();
    expect(await listOutcomes(job.id)).toEqual([
      ['done', null],
      ['failed', 'A field of this row was deleted from the schema'],
      ['done', null],
      ['failed', 'Row 3, which it refers to, was not imported'],
      ['failed', 'Row 5, which it refers to, was not imported'],
    ]);
    expect(await find('Plain')).toBeDefined();
  });

  test('a batch that fails after its writes is rolled back, and every row is imported once', async () => {
    const kind = getKind('entries.import');
    let calls = 0;
    const crashing: JobKind = {
      ...kind,
      async run(batch) {
        const outcomes = await kind.run(batch);
        calls += 1;
        if (calls % 2 === 1) throw new Error('The process ends');
        return outcomes;
      },
    };
    const job = await start(Array.from({ length: 12 }, (_, at) => row(at + 2, { Name: `Once ${at}` })));
    await run([crashing]);
    expect(await read(job.id)).toMatchObject({ state: 'finished', done: 12 });
    expect((await things.names({ Name: { $startsWith: 'Once' } })).length).toBe(12);
  });

  test('tries failed rows again with the entries that their rows have created', async () => {
    const job = await start([
      row(2, { Name: 'Root' }),
      row(3, { Name: 'Left', Parent: -1, Note: 'x' }),
      row(4, { Name: 'Leaf', Parent: -2 }),
      row(2, { Parent: -3 }, { ofItem: 1 }),
    ]);
    await runCheckOnly();
    await things.create({ Name: 'Left' });
    await run();
    expect((await listOutcomes(job.id)).map(([state]) => state)).toEqual([
      'done',
      'failed',
      'failed',
      'failed',
    ]);
    const [left] = (await things.query({ Name: { $eq: 'Left' } })).rows;
    await things.remove(left?.EntryId ?? 0);
    const { body } = await things.api.post<Job>(`${JOBS}/${job.id}/retry`);
    await run();
    expect(await read(body.id)).toMatchObject({ state: 'finished', done: 3 });
    expect(getReferenceName((await find('Root'))?.['Parent'])).toBe('Leaf');
    expect(getReferenceName((await find('Left'))?.['Parent'])).toBe('Root');
  });

  describe('undo', () => {
    test('deletes what the import created and restores what it changed, in an order that references allow', async () => {
      const [old = 0] = await things.create({ Name: 'Old', Score: 1, Tags: [things.choice('Tags', 'Red')] });
      const job = await importRows([
        row(2, { Name: 'Root', Price: { value: 1, currencyCode: 'EUR' }, Seen: '2026-03-01T08:00:00+02:00' }),
        row(3, { Name: 'Leaf', Parent: -1 }),
        row(4, { Score: 2, Tags: null, Parent: -2 }, { entryId: old, expected: cells({ Score: 1 }) }),
        row(2, { Parent: -2 }, { ofItem: 1 }),
      ]);
      expect(job).toMatchObject({ done: 4 });
      const undone = await undo(job.id);
      expect(undone).toMatchObject({
        kind: 'entries.import-undo',
        title: 'Undo the import of 3 Things from things.csv',
        state: 'finished',
        done: 4,
        undoUntil: null,
      });
      expect([await find('Root'), await find('Leaf')]).toEqual([undefined, undefined]);
      expect(await find('Old')).toMatchObject({ Score: 1, Tags: { name: 'Red' } });
      expect((await find('Old'))?.['Parent']).toBeUndefined();
    });

    test('leaves alone what was changed since, and what other entries refer to', async () => {
      const [old = 0] = await things.create({ Name: 'Old', Score: 1 });
      const job = await importRows([
        row(2, { Name: 'Changed', Score: 1 }),
        row(3, { Name: 'Extended' }),
        row(4, { Name: 'Named' }),
        row(5, { Name: 'Deleted' }),
        row(6, { Score: 2 }, { entryId: old, expected: cells({ Score: 1 }) }),
        row(7, { Name: 'Parent of a changed one' }),
        row(8, { Name: 'Changed child', Parent: -6 }),
      ]);
      const ids = (await listItems(job.id)).map(({ before }) => Number(before?.['entryId']));
      const [changed = 0, extended = 0, named = 0, deleted = 0, , , child = 0] = ids;
      await things.update(changed, { Score: 2, Name: 'Changed since' });
      await things.update(extended, { Memo: 'more' });
      await things.create({ Name: 'Other', Parent: named });
      await things.remove(deleted);
      await things.update(old, { Score: 3 });
      await things.update(child, { Score: 1 });
      const undone = await undo(job.id);
      expect((await listOutcomes(undone.id)).toReversed()).toEqual([
        ['conflict', 'Name, Score changed since the import'],
        ['conflict', 'Memo changed since the import'],
        ['conflict', 'Other entries refer to it'],
        ['unchanged', null],
        ['conflict', 'Score was changed in the meantime'],
        ['conflict', 'Other entries refer to it'],
        ['conflict', 'Score changed since the import'],
      ]);
      expect(await find('Old')).toMatchObject({ Score: 3 });
    });

    test('needs the right to delete only for created entries', async () => {
      const writer = as(
        context().app,
        await makePerson(context().db, things.siteId, {
          capabilities: ['Access Web Service', 'Read Data', 'Write Data'],
        }),
      );
      const [old = 0] = await things.create({ Name: 'Old', Score: 1 });
      const post = async (rows: EntryImportRow[]) => {
        const body = { entryTypeId: things.typeId, fileName: 'things.csv', rows };
        const reply = await writer.post<Job>(`${JOBS}/entryImports`, body);
        await run();
        return reply.body.id;
      };
      const created = await post([row(2, { Name: 'New' })]);
      const changed = await post([row(2, { Score: 2 }, { entryId: old })]);
      const refused = await writer.post<ErrorBody>(`${JOBS}/${created}/inverse`);
      expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('Delete Data')]);
      const accepted = await writer.post<Job>(`${JOBS}/${changed}/inverse`);
      expect(accepted.body.title).toBe('Restore Score of 1 Thing');
      await run();
      expect(await find('Old')).toMatchObject({ Score: 1 });
    });
  });

  test('stops when its owner loses the right to write, and keeps what was done', async () => {
    const capabilities = ['Access Web Service', 'Read Data', 'Write Data'] as const;
    const writer = await makePerson(context().db, things.siteId, { capabilities });
    const rows = Array.from({ length: 60 }, (_, at) => row(at + 2, { Name: `Part ${at}` }));
    const reply = await as(context().app, writer).post<Job>(`${JOBS}/entryImports`, {
      entryTypeId: things.typeId,
      fileName: 'things.csv',
      rows,
    });
    const kind = getKind('entries.import');
    const losing: JobKind = {
      ...kind,
      async run(batch) {
        const outcomes = await kind.run(batch);
        await sql`delete from group_member where user_id = ${writer.userId}`.execute(batch.tx);
        return outcomes;
      },
    };
    await run([losing]);
    const job = await read(reply.body.id);
    expect(job).toMatchObject({ state: 'stopped', done: 50 });
    expect(job.stopReason).toMatch(/^User capabilities are required/);
  });

  test('the report has the row, the entry and the requested values in the columns of an export', async () => {
    const { choice, person } = things;
    const job = await importRows([
      row(2, { Name: 'Root', Tags: [choice('Tags', 'Red'), choice('Tags', 'Blue')], Owner: person.userId }),
      row(3, { Name: 'Leaf', Parent: -1, Price: { value: 1.5, currencyCode: 'EUR' }, Founded: '2020-02-29' }),
    ]);
    const { text } = await things.api.get(`${JOBS}/${job.id}/report`);
    const [header = [], ...rows] = Papa.parse<string[]>(text.replace(/^\uFEFF/, ''), {
      skipEmptyLines: true,
    }).data;
    const getCells = (line: string[] | undefined, ...headings: string[]) =>
      headings.map((heading) => line?.[header.indexOf(heading)]);
    const [root, leaf] = rows;
    const entryId = String((await find('Root'))?.EntryId);
    expect(getCells(root, 'Row', 'EntryId', 'Name', 'Tags', 'Owner (id)')).toEqual([
      '2',
      entryId,
      'Root',
      'Red; Blue',
      String(person.userId),
    ]);
    expect(getCells(leaf, 'Row', 'Parent (id)', 'Price', 'Price (currency)', 'Founded')).toEqual([
      '3',
      entryId,
      '1.5',
      'EUR',
      '2020-02-29',
    ]);
  });

  test('an unknown type and values beyond the limits are refused with their paths', async () => {
    const post = (body: object) => things.api.post<ErrorBody>(`${JOBS}/entryImports`, body);
    expect(
      (await post({ entryTypeId: 999_999, fileName: 'x.csv', rows: [row(2, { Name: 'x' })] })).status,
    ).toBe(404);
    const { status, text } = await post({
      entryTypeId: things.typeId,
      fileName: 'x.csv',
      rows: [{ row: 0, values: [], other: 1 }],
    });
    expect(status).toBe(400);
    for (const path of ['rows.0.row', 'rows.0.other']) expect(text).toContain(path);
    const empty = await importRows([{ row: 2, values: [] }]);
    expect(await listOutcomes(empty.id)).toEqual([['failed', 'Name is required']]);
  });
});
