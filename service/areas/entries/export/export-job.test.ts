import { execFileSync as runProgram } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import Papa from 'papaparse';
import readBook from 'read-excel-file/universal';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type {
  EntryExport,
  Job,
  JobFileLink,
  UserActivityEntry,
} from '../../../../contract/generated/types.gen.ts';
import { onCommit } from '../../../kernel/db/database.ts';
import { roundTrips } from '../../../kernel/db/driver/dialect.ts';
import { DbError, dbErrorCodes } from '../../../kernel/db/driver/errors.ts';
import type { FileBatch, JobKind, ProducedFile } from '../../../kernel/jobs/job-kind.ts';
import { claimJob } from '../../../kernel/jobs/jobs.store.ts';
import { runDueJobs } from '../../../kernel/jobs/run-jobs.ts';
import { createLog } from '../../../kernel/telemetry/log.ts';
import { type ApiClient, type ErrorBody, send } from '../../../testing/calls.ts';
import { makeThings, nextTimestamp, type Things } from '../../../testing/entries/entries.ts';
import { createFolderPlace } from '../../../testing/files/file-place.ts';
import {
  as,
  contract,
  dataDir,
  makePerson,
  onEachApp,
  services,
  type Person,
} from '../../../testing/site.ts';
import { runTask } from '../../../testing/tasks.ts';
import { createJobFileTasks } from '../../jobs/index.ts';
import { registry } from '../../registry.ts';

const KIND = 'entries.export';
const OWN_ADDRESS = '127.0.0.1';

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** Rows of a CSV file as texts, without the byte order mark. */
const parseCsv = (text: string) =>
  Papa.parse<string[]>(text.replace(/^\uFEFF/, ''), { skipEmptyLines: true }).data;

const toRow = (...cells: (string | number)[]) => cells.map(String);

/** Waits for the abort of a signal, which may have happened before. */
const waitForAbort = (signal: AbortSignal) =>
  signal.aborted ? Promise.resolve() : new Promise((resolve) => signal.addEventListener('abort', resolve));

const listFiles = (folder = dataDir) => readdir(join(folder, 'exports')).catch((): string[] => []);

/** A text that hardly shrinks and fits into a cell of a workbook. */
const makeNoise = () => Buffer.from(crypto.getRandomValues(new Uint8Array(20_000))).toString('base64');

/** A file system of 256 kB; undefined where none can be mounted. */
function mountSmallDisk(): string | undefined {
  const path = mkdtempSync(join(tmpdir(), 'steward-small-'));
  try {
    runProgram('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', path], { stdio: 'ignore' });
    return path;
  } catch {
    rmSync(path, { recursive: true });
    return undefined;
  }
}

type Produce = (batch: FileBatch<object>) => Promise<ProducedFile>;

/** The kind with another way to make the file, which may call the original. */
function wrapKind(wrap: (produce: Produce) => Produce): JobKind {
  const kind = registry.jobKinds.get(KIND);
  if (!kind?.produce) throw new Error('The kind does not make files');
  return { ...kind, produce: wrap((batch) => kind.produce?.(batch) ?? Promise.reject(new Error('No file'))) };
}

/** The kind with work to do when the first rows are written; later ones are read after it. */
const interrupt = (work: (batch: FileBatch<object>) => Promise<void>): JobKind =>
  wrapKind((produce) => (batch) => {
    let isDone = false;
    return produce({
      ...batch,
      async write(chunk) {
        if (!isDone) await work(batch);
        isDone = true;
        await batch.write(chunk);
      },
    });
  });

onEachApp((context) => {
  let things: Things;
  let api: ApiClient;
  const db = () => context().db;
  beforeEach(async () => {
    await sql`delete from job`.execute(db());
    await rm(join(dataDir, 'exports'), { recursive: true, force: true });
    things = await makeThings(context());
    api = as(context().app, things.person, 'console');
  });

  const run = (
    kinds: readonly JobKind[] = [],
    {
      signal,
      folder = dataDir,
      leaseRenewalMs = 10,
    }: { signal?: AbortSignal; folder?: string; leaseRenewalMs?: number } = {},
  ) =>
    runDueJobs(
      {
        db: db(),
        log: createLog('silent'),
        kinds: new Map([...registry.jobKinds, ...kinds.map((kind) => [kind.kind, kind] as const)]),
        operations: contract.operations,
        publicUrl: services.publicUrl,
        files: { ...createFolderPlace(folder), storageQuota: services.storageQuota, leaseRenewalMs },
      },
      signal,
    );
  const start = async (body: Partial<EntryExport> = {}, client = api) => {
    const reply = await client.post<Job>('jobs/entryExports', { entryType: 'Thing', format: 'csv', ...body });
    expect([reply.status, reply.text]).toEqual([202, reply.text]);
    return reply.body;
  };
  /** The status of a refused request and the paths of its errors. */
  const getRefusal = async (body: object, client = api) => {
    const reply = await client.post<ErrorBody>('jobs/entryExports', {
      entryType: 'Thing',
      format: 'csv',
      ...body,
    });
    return [reply.status, ...(reply.body.errors?.map(({ path }) => path) ?? [])];
  };
  const read = async (id: number) => (await api.get<Job>(`jobs/${id}`)).body;
  const download = (id: number, headers: Record<string, string> = {}, person: Person = things.person) =>
    context().app.inject({
      url: `/console/api/rest/v1/management/jobs/${id}/file`,
      headers: { cookie: `steward=${person.cookie}`, 'x-steward-console': '1', ...headers },
    });
  const makeFile = async (body: Partial<EntryExport> = {}) => {
    const { id } = await start(body);
    await run();
    const job = await read(id);
    expect(job).toMatchObject({ state: 'finished', stopReason: null });
    return { job, bytes: (await download(id)).rawPayload };
  };
  const exportCsv = async (body: Partial<EntryExport> = {}) => (await makeFile(body)).bytes.toString('utf8');
  const exportRows = async (body: Partial<EntryExport> = {}) => parseCsv(await exportCsv(body));
  const makeMany = async (count: number) => {
    const ids: number[] = [];
    for (let from = 0; from < count; from += 500)
      ids.push(
        ...(await things.create(
          ...Array.from({ length: Math.min(500, count - from) }, (_, at) => ({
            Name: `Thing ${String(from + at).padStart(4, '0')}`,
            Score: from + at,
          })),
        )),
      );
    return ids;
  };
  const makeLink = async (id: number) =>
    (
      await send<JobFileLink>(context().app, {
        method: 'POST',
        url: `/console/api/rest/v1/management/jobs/${id}/file/link`,
        headers: { cookie: `steward=${things.person.cookie}`, 'x-steward-console': '1' },
        remoteAddress: OWN_ADDRESS,
      })
    ).body;
  const follow = ({ url }: JobFileLink, headers: Record<string, string> = {}, remoteAddress = OWN_ADDRESS) =>
    context().app.inject({ url, headers, remoteAddress });

  describe('the contents', () => {
    const AWKWARD = {
      Name: '=HYPERLINK("https://evil.example")',
      Note: 'two\nlines, "quoted"; שלום 🧑‍🚀',
      Memo: "'=1+1",
      Score: -5.25,
      Revenue: { value: 12.5, currencyCode: 'EUR' },
      Seen: '2026-10-25T00:30:00.500Z',
      Founded: '1850-03-01',
      Active: true,
    };
    const FIELDS = ['Name', 'Note', 'Memo', 'Stage', 'Tags', 'Score', 'Revenue', 'Seen', 'Founded', 'Active'];
    const makeAwkward = async () => {
      const [parent = 0] = await things.create({ Name: 'North; South' });
      const [id = 0] = await things.create({
        ...AWKWARD,
        Stage: things.choice('Stage', 'Won'),
        Tags: [things.choice('Tags', 'Red'), things.choice('Tags', 'Blue')],
        Parent: parent,
        Friends: [parent],
        Owner: things.person.userId,
      });
      return { parent, id };
    };

    test('CSV: names, ids, currencies, guarded formulas and dates in the time zone', async () => {
      const { parent, id } = await makeAwkward();
      const csv = await exportCsv({
        fields: [...FIELDS, 'Parent', 'Friends', 'Owner'],
        query: { EntryId: id },
        timeZone: 'Europe/Berlin',
      });
      const { rows: people } = await sql<{ name: string }>`select first_name || ' ' || last_name as name
        from account where user_id = ${things.person.userId}`.execute(db());
      expect(csv).toBe(
        '\uFEFF"EntryId","Name","Note","Memo","Stage","Tags","Score","Revenue","Revenue (currency)",' +
          '"Seen (Europe/Berlin)","Founded","Active","Parent","Parent (id)","Friends","Friends (id)","Owner","Owner (id)"\r\n' +
          `${id},"'=HYPERLINK(""https://evil.example"")","two\nlines, ""quoted""; שלום 🧑‍🚀","''=1+1","Won","Red; Blue",-5.25,12.5,"EUR",` +
          `"2026-10-25T02:30:00.500+02:00","1850-03-01","Yes","North; South",${parent},"""North; South""","${parent}","${people[0]?.name}",${things.person.userId}\r\n`,
      );
    });

    test('JSON: one object a row, null without data, lists and booleans', async () => {
      const { parent, id } = await makeAwkward();
      const { bytes, job } = await makeFile({
        format: 'json',
        fields: ['Name', 'Tags', 'Score', 'Active', 'Friends'],
      });
      expect(JSON.parse(bytes.toString('utf8'))).toEqual([
        {
          EntryId: parent,
          Name: 'North; South',
          Tags: null,
          Score: null,
          Active: null,
          Friends: null,
          'Friends (id)': null,
        },
        {
          EntryId: id,
          Name: AWKWARD.Name,
          Tags: ['Red', 'Blue'],
          Score: -5.25,
          Active: true,
          Friends: ['North; South'],
          'Friends (id)': [parent],
        },
      ]);
      expect(job.file?.mediaType).toBe('application/json');
      expect((await makeFile({ format: 'json', query: { Name: 'none' } })).bytes.toString()).toBe('[]\n');
    });

    test('XLSX: dates and numbers as such, texts as texts, and a sheet about the export', async () => {
      const { id } = await makeAwkward();
      const { bytes } = await makeFile({
        format: 'xlsx',
        fields: ['Name', 'Note', 'Score', 'Founded', 'Seen'],
        query: { EntryId: id },
        filterText: 'EntryId is this one',
      });
      const [sheet, about] = await readBook(new Uint8Array(bytes).buffer, { trim: false });
      expect(sheet).toEqual({
        sheet: 'Things',
        data: [
          ['EntryId', 'Name', 'Note', 'Score', 'Founded', 'Seen (UTC)'],
          // Dates before 1901 and fractions of seconds do not exist in a workbook.
          [id, AWKWARD.Name, AWKWARD.Note, -5.25, '1850-03-01', '2026-10-25T00:30:00.500Z'],
        ],
      });
      expect(about?.sheet).toBe('About');
      expect(about?.data.slice(0, 2)).toEqual([
        ['Rows', 1],
        ['Filter', 'EntryId is this one'],
      ]);
    });

    test('the rows of the query in its order, entries without a value last, none twice, over many pages', async () => {
      const ids = await makeMany(2_300);
      const [empty = 0] = await things.create({ Name: 'No score' });
      const rows = await exportRows({ fields: ['Score'], orderBy: '-Score' });
      expect(rows.slice(1).map(([id]) => Number(id))).toEqual([...ids.toReversed(), empty]);
      const some = await exportRows({ fields: ['Name'], query: { Score: { $gte: 2_298 } } });
      expect(some.slice(1)).toEqual([
        [String(ids[2_298]), 'Thing 2298'],
        [String(ids[2_299]), 'Thing 2299'],
      ]);
      expect((await exportRows({ query: { Name: 'none' } })).length).toBe(1);
    });

    test.each(['csv', 'json'] as const)(
      '%s: at most three pages are in memory, however many rows there are',
      async (format) => {
        await makeMany(3_000);
        let pagesRead = 0;
        const countPages = (statements: unknown) => {
          pagesRead += (statements as string[]).filter((text) => text.includes('as divided')).length;
        };
        const waiting: number[] = [];
        roundTrips.subscribe(countPages);
        const { id } = await start({ format, fields: ['Name'] });
        await run([
          wrapKind((produce) => (batch) => {
            let written = 0;
            return produce({
              ...batch,
              async write(chunk) {
                // An export that read on would do it now, and the databases answer in order.
                for (let count = 0; count < 20; count += 1) await sql`select 1`.execute(db());
                waiting.push(pagesRead - written);
                await batch.write(chunk);
                // The first chunk of a CSV file is its heading.
                if (format === 'json' || waiting.length > 1) written += 1;
              },
            });
          }),
        ]);
        roundTrips.unsubscribe(countPages);
        expect((await read(id)).file?.rows).toBe(3_000);
        expect(pagesRead).toBeGreaterThanOrEqual(6);
        // One that is written, one that is formatted, and one that is read.
        expect(Math.max(...waiting)).toBeLessThanOrEqual(3);
      },
    );

    test('rows that are larger together than one statement returns', async () => {
      // Line ends take two bytes as JSON, so that the rows together have more than 32 MiB.
      const memo = `x"ש${'\n'.repeat(900_000)}`;
      const texts = Array.from({ length: 20 }, (_, at) => `${memo}${at}`);
      for (let from = 0; from < texts.length; from += 4)
        await things.create(
          ...texts.slice(from, from + 4).map((Memo, at) => ({ Name: `${from + at}`, Memo })),
        );
      const rows = await exportRows({ fields: ['Memo'] });
      expect(rows.slice(1).map(([, text]) => text)).toEqual(texts);
    });

    test('a list as of a date: deleted entries too, with what is different today', async () => {
      const [changed = 0, removed = 0, same = 0] = await things.create(
        { Name: 'Changed', Score: 1 },
        { Name: 'Removed', Score: 2 },
        { Name: 'Same', Score: 3 },
      );
      const asOf = await nextTimestamp();
      await things.update(changed, { Score: 10, Note: 'New' });
      await things.remove(removed);
      const [added = 0] = await things.create({ Name: 'Added', Score: 4 });
      const head = ['EntryId', 'Name', 'Score', 'As of (UTC)', 'Since then', 'Different today'];
      const then = [
        toRow(changed, 'Changed', 1, asOf, 'Changed since', 'Score'),
        toRow(removed, 'Removed', 2, asOf, 'Deleted since', ''),
        toRow(same, 'Same', 3, asOf, 'Same', ''),
      ];
      const fields = ['Name', 'Score'];
      expect(await exportRows({ fields, asOf })).toEqual([head, ...then]);
      expect(await exportRows({ fields, asOf, withAdded: true })).toEqual([
        head,
        ...then,
        toRow(added, 'Added', 4, asOf, 'Added since', ''),
      ]);
      expect(await exportRows({ fields, asOf, only: 'removed' })).toEqual([head, then[1]]);
      await db()
        .updateTable('membership')
        .set({ time_zone: 'Pacific/Kiritimati' })
        .where('site_id', '=', things.siteId)
        .execute();
      const here = new Date(Date.parse(asOf) + 14 * 3_600_000).toISOString().replace('Z', '');
      expect(await exportRows({ fields, asOf: here, dateTimeBehavior: 1 })).toEqual([head, ...then]);
    });
  });

  test('all rows are those of one moment, whatever is written meanwhile', async () => {
    const ids = await makeMany(1_200);
    const fields = ['Name', 'Score', 'Note'];
    const before = await exportRows({ fields });
    const [first = 0, late = 0, last = 0] = [ids[0], ids[700], ids[1_199]];
    const { id } = await start({ fields });
    await run([
      interrupt(async () => {
        await things.update(first, { Score: -1 });
        await things.update(late, { Score: -1, Note: 'Written during the export' });
        await things.remove(last, ids[800] ?? 0);
        await things.create({ Name: 'Created during the export' });
      }),
    ]);
    expect(parseCsv((await download(id)).rawPayload.toString('utf8'))).toEqual(before);
    expect((await read(id)).file?.rows).toBe(1_200);
  });

  test('an order by a value that changes meanwhile stays that of the moment', async () => {
    const ids = await makeMany(600);
    const { id } = await start({ fields: ['Score'], orderBy: 'Score' });
    await run([interrupt(() => things.update(ids[500] ?? 0, { Score: -1 }))]);
    const rows = parseCsv((await download(id)).rawPayload.toString('utf8'));
    expect(rows.slice(1).map(([, score]) => Number(score))).toEqual(
      Array.from({ length: 600 }, (_, at) => at),
    );
  });

  describe('a job', () => {
    test('has a title and a file, and the activity report says what was exported', async () => {
      await makeMany(3);
      const request = {
        fields: ['Name', 'Score'],
        query: { Score: { $lt: 2 } },
        filterText: 'Score below 2',
      };
      const { job, bytes } = await makeFile(request);
      expect(job).toMatchObject({
        kind: KIND,
        title: 'Export Things as CSV: Score below 2',
        done: 2,
        total: 2,
      });
      expect(job.file).toMatchObject({
        size: bytes.length,
        sha256: sha256(bytes),
        rows: 2,
        mediaType: 'text/csv',
        isRemoved: false,
      });
      expect(job.file?.name).toMatch(/^thing-score-below-2-\d{4}-\d\d-\d\d\.csv$/);
      const weekMs = Date.parse(job.file?.expiresDate ?? '') - Date.now();
      expect(Math.round(weekMs / 3_600_000)).toBe(7 * 24);
      const activity = await api.post<{ rows: UserActivityEntry[] }>('user/activity', {
        dateFrom: new Date(Date.now() - 86_400_000).toISOString(),
        dateTo: new Date(Date.now() + 1).toISOString(),
        activity: 8,
      });
      expect(activity.body.rows).toMatchObject([
        {
          userId: things.person.userId,
          exportDataType: 0,
          exportDetail: {
            subject: 'thing',
            rows: 2,
            type: 'Things',
            filter: 'Score below 2',
            query: '{"Score":{"$lt":2}}',
            asOf: null,
            fields: ['Name', 'Score'],
            format: 'csv',
          },
        },
      ]);
      const audited = await db()
        .selectFrom('audit_log')
        .select(['action', 'changes'])
        .where('site_id', '=', things.siteId)
        .where('action', '=', 'user.export')
        .execute();
      expect(audited).toMatchObject([{ changes: { rows: [null, 2], fields: [null, ['Name', 'Score']] } }]);
    });

    test.each([
      ['cancelled', 'cancel', 'cancelled'],
      ['paused', 'pause', 'paused'],
    ])('that is %s while it runs leaves nothing behind', async (_name, verb, state) => {
      await makeMany(300);
      const { id } = await start();
      await run([
        interrupt(async (batch) => {
          await api.post(`jobs/${id}/${verb}`);
          await waitForAbort(batch.signal);
        }),
      ]);
      expect(await read(id)).toMatchObject({ state, file: null });
      expect(await listFiles()).toEqual([]);
      if (state !== 'paused') return;
      await api.post(`jobs/${id}/resume`);
      await run();
      expect((await read(id)).file?.rows).toBe(300);
    });

    test('has a query that is cut between characters in the activity report', async () => {
      await makeMany(1);
      const { job } = await makeFile({ fields: ['Name'], query: { Name: '😀'.repeat(1_500) } });
      expect(job).toMatchObject({ state: 'finished', total: 0 });
    });

    test('stops when its owner loses the capability', async () => {
      await makeMany(300);
      const { id } = await start();
      await run([
        interrupt(async (batch) => {
          await sql`update user_group set capabilities = '{View Activity}'
            where site_id = ${things.siteId} and group_id = ${things.person.groupId}`.execute(db());
          await waitForAbort(batch.signal);
        }),
      ]);
      expect(await read(id)).toMatchObject({
        state: 'stopped',
        file: null,
        stopReason: 'User capabilities are required: Read Data',
      });
      expect(await listFiles()).toEqual([]);
    });

    test('that a stop of the service interrupts is made by the next process', async () => {
      await makeMany(300);
      const { id } = await start();
      const shutdown = new AbortController();
      await run(
        [
          interrupt(async () => {
            shutdown.abort();
          }),
        ],
        { signal: shutdown.signal },
      );
      expect(await read(id)).toMatchObject({ state: 'running', file: null });
      expect(await listFiles()).toEqual([]);
      await run();
      expect((await read(id)).file?.rows).toBe(300);
    });

    test('of a process that died is made again, and what it left is deleted', async () => {
      await makeMany(3);
      const { id } = await start();
      await makeFile({ query: { Name: 'none' } }).catch(() => undefined);
      await sql`update job set state = 'waiting', fence = 0 where job_id = ${id}`.execute(db());
      await sql`delete from job_file where job_id = ${id}`.execute(db());
      const died = await claimJob(db(), [KIND]);
      await writeFile(join(dataDir, 'exports', `${things.siteId}-${id}-${died?.fence}.partial`), 'half');
      await sql`update job set lease_until = now() - interval '1 second' where job_id = ${id}`.execute(db());
      await run();
      expect((await read(id)).file?.rows).toBe(3);
      expect((await listFiles()).filter((name) => name.includes(`-${id}-`))).toEqual([
        `${things.siteId}-${id}-2`,
      ]);
    });

    test('of a frozen process whose lease lapsed is not ended by it', async () => {
      await makeMany(300);
      const { id } = await start();
      await run(
        [
          interrupt(async () => {
            await sql`update job set lease_until = now() - interval '1 second' where job_id = ${id}`.execute(
              db(),
            );
            await run();
          }),
        ],
        // A frozen process does not renew its lease.
        { leaseRenewalMs: 3_600_000 },
      );
      const { file } = await read(id);
      expect(file?.rows).toBe(300);
      const [name, ...others] = (await listFiles()).filter((each) => each.includes(`-${id}-`));
      expect(others).toEqual([]);
      expect(sha256(await readFile(join(dataDir, 'exports', name ?? '')))).toBe(file?.sha256);
    });

    test('whose end the database did not confirm has its file', async () => {
      await makeMany(3);
      const { id } = await start();
      const unanswered = wrapKind((produce) => async (batch) => ({
        ...(await produce(batch)),
        async save(tx) {
          onCommit(tx, () => {
            throw new DbError('No answer', { code: dbErrorCodes.outcomeUnknown });
          });
        },
      }));
      await expect(run([unanswered])).rejects.toThrow('No answer');
      const { state, file } = await read(id);
      expect([state, file?.rows]).toEqual(['finished', 3]);
      const { statusCode, rawPayload } = await download(id);
      expect([statusCode, sha256(rawPayload)]).toEqual([200, file?.sha256]);
    });

    test('whose entry type was deleted meanwhile stops with that reason, and can be retried', async () => {
      const { id } = await start();
      await sql`update job set parameters = parameters || '{"fields": ["Gone"]}' where job_id = ${id}`.execute(
        db(),
      );
      await run();
      expect(await read(id)).toMatchObject({
        state: 'stopped',
        stopReason: 'Field with name "Gone" does not exist',
      });
      const retried = await api.post<Job>(`jobs/${id}/retry`);
      expect([retried.status, retried.body.kind, retried.body.title]).toEqual([
        202,
        KIND,
        'Export Things as CSV',
      ]);
    });

    test('stops when the file exceeds the storage of the site', async () => {
      await makeMany(300);
      await sql`update site set storage_quota = 1000 where site_id = ${things.siteId}`.execute(db());
      const { id } = await start();
      await run();
      const { state, stopReason, file } = await read(id);
      expect([state, file]).toEqual(['stopped', null]);
      expect(stopReason).toMatch(/^The files of this site use 0 of 1,000 bytes/);
      expect(await listFiles()).toEqual([]);
    });
  });

  describe('a full disk', () => {
    const disk = mountSmallDisk();
    afterAll(() => {
      if (disk === undefined) return;
      runProgram('umount', [disk]);
      rmSync(disk, { recursive: true });
    });

    test('stops the job with the reason, and no file is left', async () => {
      await makeMany(10);
      const { id } = await start();
      await run([
        wrapKind(
          (produce) => (batch) =>
            produce({
              ...batch,
              async write(chunk) {
                await batch.write(chunk);
                throw Object.assign(new Error('write'), { code: 'ENOSPC' });
              },
            }),
        ),
      ]);
      expect(await read(id)).toMatchObject({ state: 'stopped', file: null });
      expect((await read(id)).stopReason).toMatch(/^The disk of the service is full/);
      expect(await listFiles()).toEqual([]);
    });

    test.skipIf(disk === undefined).each(['csv', 'xlsx'] as const)(
      'of a small file system: %s, and a smaller file succeeds',
      async (format) => {
        if (disk === undefined) return;
        await things.create(
          ...Array.from({ length: 20 }, (_, at) => ({ Name: `${at}`, Memo: makeNoise(), Score: at })),
        );
        const { id } = await start({ format });
        await run([], { folder: disk });
        expect((await read(id)).stopReason).toMatch(/^The disk of the service is full/);
        expect(await listFiles(disk)).toEqual([]);
        const small = await start({ format, query: { Score: 1 } });
        await run([], { folder: disk });
        expect(await read(small.id)).toMatchObject({ state: 'finished', file: { rows: 1 } });
        rmSync(join(disk, 'exports'), { recursive: true });
      },
    );
  });

  describe('the file', () => {
    test('is downloaded in ranges of one version', async () => {
      await makeMany(20);
      const { job, bytes } = await makeFile();
      const etag = `"${Buffer.from(job.file?.sha256 ?? '', 'hex').toString('base64url')}"`;
      const rest = await download(job.id, { range: 'bytes=100-', 'if-range': etag });
      expect([rest.statusCode, rest.headers.etag, rest.headers['content-range']]).toEqual([
        206,
        etag,
        `bytes 100-${bytes.length - 1}/${bytes.length}`,
      ]);
      expect(Buffer.concat([bytes.subarray(0, 100), rest.rawPayload])).toEqual(bytes);
      const whole = await download(job.id, { range: 'bytes=100-', 'if-range': '"other"' });
      expect([whole.statusCode, whole.rawPayload]).toEqual([200, bytes]);
      expect((await download(job.id, { range: 'bytes=999999-' })).statusCode).toBe(416);
    });

    test('has a record of each download, also of one that begins after the first byte', async () => {
      await makeMany(2);
      const { job } = await makeFile();
      const countDownloads = async () =>
        (
          await db()
            .selectFrom('audit_log')
            .select('action')
            .where('subject_id', '=', String(job.id))
            .where('action', '=', 'job.download')
            .execute()
        ).length;
      await download(job.id, { range: 'bytes=1-' });
      // It continues the download by `makeFile`.
      expect(await countDownloads()).toBe(1);
      await sql`update audit_log set at = at - interval '2 days' where subject_id = ${String(job.id)}`.execute(
        db(),
      );
      await download(job.id, { range: 'bytes=1-' });
      expect(await countDownloads()).toBe(2);
      await download(job.id, { range: 'bytes=1-' });
      expect(await countDownloads()).toBe(2);
    });

    test('is downloaded by a link that starts once, continues with a range, and works from one address', async () => {
      await makeMany(20);
      const { job, bytes } = await makeFile();
      const link = await makeLink(job.id);
      expect([link.ipAddress, Date.parse(link.expiresDate) - Date.now() > 290_000]).toEqual([
        OWN_ADDRESS,
        true,
      ]);
      const elsewhere = await follow(link, {}, '127.0.0.2');
      expect([elsewhere.statusCode, elsewhere.json<ErrorBody>().message]).toEqual([
        403,
        expect.stringContaining('your address is 127.0.0.2'),
      ]);
      const file = await follow(link);
      expect([file.statusCode, file.rawPayload]).toEqual([200, bytes]);
      expect(file.headers).toMatchObject({
        'content-disposition': `attachment; filename="${job.file?.name}"; filename*=UTF-8''${job.file?.name}`,
        'content-type': 'text/csv',
      });
      expect((await follow(link)).statusCode).toBe(404);
      const rest = await follow(link, { range: 'bytes=100-' });
      expect([rest.statusCode, rest.rawPayload]).toEqual([206, bytes.subarray(100)]);
      await sql`update job_file_link set expires_at = now() - interval '1 second'`.execute(db());
      expect((await follow(link, { range: 'bytes=100-' })).statusCode).toBe(404);
      const actions = await db()
        .selectFrom('audit_log')
        .select('action')
        .where('site_id', '=', things.siteId)
        .where('action', 'like', 'job.download%')
        .orderBy('audit_id')
        .execute();
      // The first one is the download by `makeFile`.
      expect(actions.map(({ action }) => action)).toEqual([
        'job.download',
        'job.download-link',
        'job.download-refused',
        'job.download',
      ]);
    });

    test('is not given to others, nor to an owner who may no longer read entries', async () => {
      await makeMany(2);
      const { job } = await makeFile();
      const other = await makePerson(db(), things.siteId);
      expect((await download(job.id, {}, other)).statusCode).toBe(404);
      const link = await makeLink(job.id);
      await sql`update user_group set capabilities = '{View Activity}'
        where site_id = ${things.siteId} and group_id = ${things.person.groupId}`.execute(db());
      expect((await follow(link)).statusCode).toBe(403);
      expect((await download(job.id)).statusCode).toBe(403);
    });

    test('counts for the storage of the site, is removed after 7 days, and the job says so', async () => {
      await makeMany(2);
      const { job } = await makeFile();
      const use = async () =>
        (
          await sql<{ bytes: number }>`select used_bytes::int as bytes from site_storage
            where site_id = ${things.siteId}`.execute(db())
        ).rows[0]?.bytes;
      expect(await use()).toBe(job.file?.size);
      const removeExpired = async () => {
        for (const task of createJobFileTasks({ db: db(), services })) await runTask(task);
      };
      await removeExpired();
      expect((await read(job.id)).file?.isRemoved).toBe(false);
      await sql`update job_file set expires_at = now() - interval '1 second' where job_id = ${job.id}`.execute(
        db(),
      );
      await removeExpired();
      expect((await read(job.id)).file).toMatchObject({ isRemoved: true, size: job.file?.size });
      expect((await listFiles()).filter((name) => name.includes(`-${job.id}-`))).toEqual([]);
      expect(await use()).toBe(0);
      const refused = await download(job.id);
      expect([refused.statusCode, refused.json<ErrorBody>().message]).toEqual([
        409,
        'The file was removed, because files of jobs are kept for a limited time.',
      ]);
    });
  });

  test('a long query and a long filter are recorded without half a character', async () => {
    const head = '{"Name":{"$contains":"';
    const text = `${'x'.repeat(1_999 - head.length)}😀`;
    await makeFile({ query: { Name: { $contains: text } }, filterText: `${'x'.repeat(79)}𠮷` });
    const { rows } = await sql<{ query: string }>`
      select export_detail ->> 'query' as query from activity
      where site_id = ${things.siteId} and activity_type_id = 8`.execute(db());
    expect(rows).toEqual([{ query: head + text.slice(0, -2) }]);
  });

  test('invalid requests name the path, and reading entries is required', async () => {
    expect(await getRefusal({ entryType: 'Nothing' })).toEqual([404]);
    expect(await getRefusal({ fields: ['Name', 'Nothing'] })).toEqual([400, 'fields.1']);
    expect(await getRefusal({ orderBy: 'Tags' })).toEqual([400, 'orderBy']);
    expect(await getRefusal({ timeZone: 'Nowhere' })).toEqual([400, 'timeZone']);
    expect(await getRefusal({ asOf: '2999-01-01T00:00:00Z' })).toEqual([400, 'asOf']);
    expect((await getRefusal({ query: { Nothing: 1 } }))[0]).toBe(400);
    expect(await getRefusal({ format: 'pdf' })).toEqual([400, 'format']);
    const writer = await makePerson(db(), things.siteId, { capabilities: ['Write Data'] });
    expect(await getRefusal({}, as(context().app, writer, 'console'))).toEqual([403]);
  });
});
