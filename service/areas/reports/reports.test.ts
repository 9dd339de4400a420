import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import readBook from 'read-excel-file/universal';
import { beforeEach, expect, test } from 'vitest';
import type {
  Job,
  JobFileLink,
  ReportCheck,
  ReportDifference,
  ReportPlaceholder,
  ReportRun,
  ReportRunRequest,
  ReportRunStarted,
  ReportTemplate,
  ReportTemplateDetail,
} from '../../../contract/generated/types.gen.ts';
import { roundTrips } from '../../kernel/db/driver/dialect.ts';
import { runDueJobs } from '../../kernel/jobs/run-jobs.ts';
import { type ApiClient, type ErrorBody, sendForm } from '../../testing/calls.ts';
import {
  DATA,
  makeThings,
  nextTimestamp,
  SCHEMA,
  type Things,
  uploadFiles,
} from '../../testing/entries/entries.ts';
import {
  listMembers,
  makeDocx,
  makeDocxWithPicture,
  makeXlsx,
  packFiles,
  paragraph,
  pictureRun,
  readMember,
  readMemberBytes,
  table,
  tableRow,
} from '../../testing/files/documents.ts';
import { makePng } from '../../testing/files/pictures.ts';
import { createJobContext } from '../../testing/jobs.ts';
import { as, makePerson, onEachApp, services, type Person } from '../../testing/site.ts';
import { buildReportName } from './file-names.ts';
import { deleteValuesWithoutFile, expireOldFiles } from './runs.store.ts';

const REPORTS = '/api/rest/v4/templatereports';
const DOCUMENT = 'word/document.xml';

const listTexts = async (file: Buffer) =>
  [...(await readMember(file, DOCUMENT)).matchAll(/<w:p>.*?<\/w:p>/g)].map(([part]) =>
    part.replaceAll(/<[^>]*>/g, ''),
  );

const buildPictured = (name: string) => `<w:p>${pictureRun(name)}</w:p>${paragraph('{Logo}')}`;

/** The image that a picture of a document became. */
const findPicture = async (file: Buffer) => {
  const name = (await listMembers(file)).find((path) => /^word\/media\/[0-9a-f]{32}/.test(path));
  return readMemberBytes(file, name ?? '');
};

onEachApp((context) => {
  let things: Things;
  let api: ApiClient;
  beforeEach(async () => {
    await sql`delete from job`.execute(context().db);
    things = await makeThings(context());
    api = things.api;
  });

  /** Sends a form with a file. */
  const upload = async <Body>(
    url: string,
    model: object,
    file: Buffer | undefined,
    {
      method = 'POST',
      person = things.person,
      headers = {},
      name = 'My profile.docx',
    }: { method?: 'POST' | 'PUT'; person?: Person; headers?: Record<string, string>; name?: string } = {},
  ) =>
    sendForm<Body>(context().app, {
      method,
      url,
      token: person.token,
      model,
      files: file ? [{ part: 'file', name, content: file }] : [],
      headers,
    });
  const create = async (file: Buffer, name = 'Profile') => {
    const reply = await upload<ReportTemplateDetail>(REPORTS, { name, entryTypeId: things.typeId }, file);
    expect([reply.status, reply.text]).toEqual([200, reply.text]);
    return reply.body;
  };
  const runJobs = () =>
    runDueJobs({
      ...createJobContext(context().db),
      files: { ...services, leaseRenewalMs: 10 },
    });
  const start = (templateId: number, body: Partial<ReportRunRequest>, client = api) =>
    client.post<ReportRunStarted & ErrorBody>(`${REPORTS}/${templateId}/runs`, { format: 'docx', ...body });
  const read = async (runId: number) => (await api.get<ReportRun>(`${REPORTS}/runs/${runId}`)).body;
  const download = (runId: number, person = things.person, headers: Record<string, string> = {}) =>
    context().app.inject({
      url: `${REPORTS}/runs/${runId}/file`,
      headers: { authorization: `Bearer ${person.token}`, ...headers },
    });
  const generate = async (templateId: number, body: Partial<ReportRunRequest>) => {
    const started = await start(templateId, body);
    expect([started.status, started.text]).toEqual([202, started.text]);
    await runJobs();
    const run = await read(started.body.runId);
    expect([run.status, run.message]).toEqual(['Ready', null]);
    return { run, file: (await download(run.runId)).rawPayload };
  };
  const readExports = async () =>
    (
      await sql<{ type: number; detail: Record<string, unknown> }>`
        select export_data_type as type, export_detail as detail from activity
        where site_id = ${things.siteId} and activity_type_id = 8 order by activity_id`.execute(context().db)
    ).rows;

  test('names of files are cut between characters', async () => {
    const name = `x${'😀'.repeat(150)}`;
    const reply = await upload<ReportTemplateDetail>(
      REPORTS,
      { name, entryTypeId: things.typeId },
      await makeDocx(paragraph('{Name}')),
      { name: `${name}.docx` },
    );
    expect(reply.status).toBe(200);
    expect(reply.body.fileName).toBe(`x${'😀'.repeat(99)}.docx`);
    const at = { at: new Date(0), timeZone: 'UTC' };
    expect(buildReportName({ template: name }, at, 'docx')).toBe(`x${'😀'.repeat(59)} 1970-01-01.docx`);
  });

  test('names of files have the day in the time zone of the report', () => {
    const at = { at: new Date('2026-03-01T23:30:00Z'), timeZone: 'Europe/Berlin' };
    expect(buildReportName({ template: 'Deals', entry: { name: 'Acme' } }, at, 'xlsx')).toBe(
      'Deals - Acme 2026-03-02.xlsx',
    );
  });

  test('a template: checked against the live schema, versions, file, audit', async () => {
    const file = await makeDocx(paragraph('{Na', 'me}') + paragraph('{Parent.Note}'));
    const template = await create(file);
    expect(template).toMatchObject({
      status: 'Ready',
      format: 'docx',
      version: 1,
      fileName: 'My profile.docx',
      fields: [{ path: 'Name' }, { path: 'Parent.Note' }, { path: 'Parent' }],
      versions: [{ version: 1, hasFile: true }],
    });
    const noteId = things.field('Note').id;
    const list = async (filter: string) =>
      (await api.get<ReportTemplate[]>(`${REPORTS}${filter}`)).body.map(({ name, status }) => [name, status]);
    // What breaks when a field goes is known before it goes.
    expect(await list(`?fieldId=${noteId}`)).toEqual([['Profile', 'Ready']]);
    expect(await list(`?fieldId=${things.field('Score').id}`)).toEqual([]);
    await create(await makeDocx(paragraph('{Score}')), 'Another');
    await api.put(`${SCHEMA}/fields/${noteId}`, { apiName: 'Notes' });
    expect(await list('')).toEqual([
      ['Profile', 'Broken'],
      ['Another', 'Ready'],
    ]);
    const check = await api.post<ReportCheck>(`${REPORTS}/${template.id}/check`);
    expect(check.body).toMatchObject({
      status: 'Broken',
      findings: [
        {
          code: 'unknown-field',
          placeholder: '{Parent.Note}',
          suggestion: '{Parent.Notes}',
          part: 'Document',
          place: 'paragraph 2',
          offset: 0,
          length: 13,
        },
      ],
      parts: [
        {
          name: 'Document',
          texts: [
            { place: 'paragraph 1', text: '{Name}', marks: [{ offset: 0, length: 6, finding: null }] },
            { place: 'paragraph 2', text: '{Parent.Note}', marks: [{ offset: 0, length: 13, finding: 0 }] },
          ],
        },
      ],
    });
    expect((await start(template.id, { query: {} })).status).toBe(409);

    const url = `${REPORTS}/${template.id}`;
    const fixed = await makeDocx(paragraph('{Name} {Notes}'));
    const stale = await upload(url, {}, fixed, { method: 'PUT', headers: { 'if-match': '"9"' } });
    expect(stale.status).toBe(412);
    const replaced = await upload<ReportTemplateDetail>(url, { name: 'Card' }, fixed, { method: 'PUT' });
    expect(replaced.body).toMatchObject({ name: 'Card', status: 'Ready', version: 2, findings: [] });
    expect(replaced.body.versions.map(({ version }) => version)).toEqual([2, 1]);
    const first = await context().app.inject({
      url: `${url}/file?version=1`,
      headers: { authorization: `Bearer ${things.person.token}` },
    });
    expect(first.rawPayload.equals(file)).toBe(true);
    expect((await upload(REPORTS, { name: 'card', entryTypeId: things.typeId }, file)).status).toBe(409);
    expect((await api.del(url)).status).toBe(204);
    expect((await api.get(url)).status).toBe(404);
    const { rows } = await sql<{ action: string }>`select action from audit_log
      where site_id = ${things.siteId} and subject_type = 'report-template' order by audit_id`.execute(
      context().db,
    );
    expect(rows.map(({ action }) => action.split('.')[1])).toEqual(['create', 'create', 'update', 'delete']);
  });

  test('long texts are stored without half a character', async () => {
    const file = await makeDocx(paragraph('{Name}'));
    const created = await sendForm<ReportTemplateDetail>(context().app, {
      method: 'POST',
      url: REPORTS,
      token: things.person.token,
      model: { name: 'Profile', entryTypeId: things.typeId },
      files: [{ part: 'file', name: `${'x'.repeat(199)}😀.docx`, content: file }],
    });
    expect([created.status, created.text]).toEqual([200, created.text]);
    expect(created.body.fileName).toBe(`${'x'.repeat(199)}.docx`);
    const head = '{"Name":{"$doesntContain":"';
    const text = `${'x'.repeat(1_999 - head.length)}😀`;
    await generate(created.body.id, { query: { Name: { $doesntContain: text } } });
    expect((await readExports()).map(({ detail }) => detail['query'])).toEqual([head + text.slice(0, -2)]);
  });

  test('a new file keeps what others change while it is inspected', async () => {
    const { id } = await create(await makeDocx(paragraph('{Name}')));
    const url = `${REPORTS}/${id}`;
    const renamed = Promise.withResolvers<unknown>();
    // The request with the file reads the template first.
    const rename = (statements: unknown): void => {
      if (!String(statements).includes('from report_template t')) return;
      roundTrips.unsubscribe(rename);
      renamed.resolve(api.put(url, { name: 'Renamed', description: 'By another' }));
    };
    roundTrips.subscribe(rename);
    const file = await makeDocx(paragraph('{Note}'));
    const replaced = await upload<ReportTemplateDetail>(url, {}, file, { method: 'PUT' });
    expect(await renamed.promise).toMatchObject({ status: 200 });
    expect(replaced.body).toMatchObject({ name: 'Renamed', description: 'By another', version: 2 });
  });

  test('files that are refused leave nothing; capabilities', async () => {
    const bad = await packFiles({ 'word/vbaProject.bin': 'x', '[Content_Types].xml': '<Types/>' });
    const model = { name: 'Bad', entryTypeId: things.typeId };
    const refused = await upload<ErrorBody>(REPORTS, model, bad);
    expect([refused.status, refused.body.errors?.[0]?.path]).toEqual([400, 'file']);
    expect(refused.body.message).toContain('macros');
    const good = await makeDocx(paragraph('{Nmae}'));
    expect((await upload(REPORTS, { ...model, entryTypeId: 2_000_000_000 }, good)).status).toBe(400);
    expect((await upload(REPORTS, model, undefined)).status).toBe(400);
    const checked = await upload<ReportCheck>(`${REPORTS}/check`, { entryTypeId: things.typeId }, good);
    expect(checked.body.findings).toMatchObject([{ suggestion: '{Name}' }]);
    expect((await api.get<unknown[]>(REPORTS)).body).toEqual([]);
    const runner = await makePerson(context().db, things.siteId, {
      capabilities: ['Access Web Service', 'Run Reports'],
    });
    expect((await upload(REPORTS, model, good, { person: runner })).status).toBe(403);
    const template = await create(await makeDocx(paragraph('{Name}')));
    const [id = 0] = await things.create({ Name: 'A' });
    // A report is an export: it needs Read Data too.
    const asRunner = as(context().app, runner);
    expect((await start(template.id, { entryIds: [id] }, asRunner)).status).toBe(403);
    expect((await asRunner.post(`${REPORTS}/${template.id}/preview`, { entryId: id })).status).toBe(403);
  });

  test('a report of selected entries in their order, and its download', async () => {
    // Without a license nobody can act on the site, and reads nothing.
    const unlicensed = await makePerson(context().db, things.siteId);
    await sql`update membership set license_type_id = 4
      where site_id = ${things.siteId} and user_id = ${unlicensed.userId}`.execute(context().db);
    const [parent = 0] = await things.create({ Name: 'Head', Note: 'Top' });
    const [one = 0, two = 0] = await things.create(
      {
        Name: '=cmd|x & שלום 🧑‍🚀',
        Parent: parent,
        Founded: '1850-03-01',
        Revenue: { value: 1234.5, currencyCode: 'EUR' },
      },
      { Name: 'Two', Tags: [things.choice('Tags', 'Red'), things.choice('Tags', 'Blue')], Active: true },
    );
    const template = await create(
      await makeDocx(
        paragraph("{$number}/{$count} {Name} {Parent.Note} {Founded | date:'d MMM yyyy'} {Revenue | money}") +
          paragraph('{#if Active}{Tags}{/if}'),
      ),
    );
    const { run, file } = await generate(template.id, { entryIds: [two, one], filterText: 'my selection' });
    expect((await listTexts(file)).filter((text) => text !== '')).toEqual([
      '1/2 Two   ',
      'Red, Blue',
      '2/2 =cmd|x &amp; שלום 🧑‍🚀 Top 1 Mar 1850 1,234.50 EUR',
    ]);
    expect(run).toMatchObject({
      templateName: 'Profile',
      entryCount: 2,
      progress: 100,
      requestedBy: things.person.userId,
      readerCount: 1,
      isRemoved: false,
      size: file.length,
      request: { entryIds: [two, one], timeZone: 'UTC' },
    });
    expect(run.dataHash).toMatch(/^[0-9a-f]{64}$/);
    const days = (Date.parse(run.expiresDate ?? '') - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(30);

    // Each download is an activity of the type 8/4; the rest of an interrupted one is not.
    const part = await download(run.runId, things.person, { range: 'bytes=10-19' });
    expect([part.statusCode, part.rawPayload.equals(file.subarray(10, 20))]).toEqual([206, true]);
    const job = `jobs/${run.runId}/file`;
    const cookie = as(context().app, things.person, 'console');
    const link = (await cookie.post<JobFileLink>(`${job}/link`)).body;
    expect((await context().app.inject({ url: link.url })).statusCode).toBe(200);
    expect(await readExports()).toEqual(
      Array.from({ length: 2 }, () => ({
        type: 4,
        detail: expect.objectContaining({
          template: 'Profile',
          version: 1,
          entryTypeId: things.typeId,
          rows: 2,
          entries: [two, one],
          filter: 'my selection',
          format: 'docx',
        }) as unknown,
      })),
    );

    // The file has what its owner may read.
    const other = await makePerson(context().db, things.siteId);
    expect((await download(run.runId, other)).statusCode).toBe(403);
    const runner = await makePerson(context().db, things.siteId, {
      capabilities: ['Access Web Service', 'Run Reports', 'Read Data'],
    });
    expect((await download(run.runId, runner)).statusCode).toBe(404);
    const asRunner = as(context().app, runner);
    expect((await asRunner.get(`${REPORTS}/runs?owner=all`)).status).toBe(403);
    expect((await asRunner.get<unknown[]>(`${REPORTS}/runs`)).body).toEqual([]);
    const all = await as(context().app, other).get<ReportRun[]>(`${REPORTS}/runs?owner=all&status=Ready`);
    expect(all.body.map(({ runId }) => runId)).toEqual([run.runId]);
    const ofTemplate = (templateId: number) =>
      as(context().app, other).get<ReportRun[]>(`${REPORTS}/runs?owner=all&templateId=${templateId}`);
    expect((await ofTemplate(run.templateId)).body.map(({ runId }) => runId)).toEqual([run.runId]);
    expect((await ofTemplate(run.templateId + 1)).body).toEqual([]);
  });

  test('a ZIP file as of a date, with entries that are deleted today; rows of a workbook; the difference', async () => {
    const [kept = 0, deleted = 0] = await things.create(
      { Name: 'Kept: 1/2', Score: 1 },
      { Name: 'Gone', Score: 2 },
    );
    const asOf = await nextTimestamp();
    await things.remove(deleted);
    await things.update(kept, { Score: 10 });
    const [added = 0] = await things.create({ Name: 'New', Score: 3 });
    const document = await create(await makeDocx(paragraph('{Name} {Score} {$hash}')), 'Document');
    const { file } = await generate(document.id, { query: {}, asOf, document: 'zip' });
    expect((await listMembers(file)).toSorted()).toEqual(
      [`Gone (${deleted}).docx`, `Kept 1 2 (${kept}).docx`].toSorted(),
    );
    const inner = await readMemberBytes(file, `Gone (${deleted}).docx`);
    expect(await listTexts(inner)).toEqual([expect.stringMatching(/^Gone 2 [0-9a-f]{64}$/) as unknown]);

    const list = await create(
      await makeXlsx([
        ['Name', 'Score'],
        ['{#rows}{Name}', '{Score}{/rows}'],
      ]),
      'List',
    );
    const before = await generate(list.id, {
      query: { Score: { $lt: 9 } },
      orderBy: '-Score',
      asOf,
      format: 'xlsx',
    });
    const [sheet] = await readBook(new Uint8Array(before.file).buffer);
    expect(sheet?.data).toEqual([
      ['Name', 'Score'],
      ['Gone', 2],
      ['Kept: 1/2', 1],
    ]);
    const after = await generate(list.id, { query: {}, format: 'xlsx' });
    const difference = await api.get<ReportDifference>(
      `${REPORTS}/runs/${before.run.runId}/difference?with=${after.run.runId}`,
    );
    expect(difference.body).toMatchObject({
      added: [{ entryId: added, name: 'New' }],
      removed: [{ entryId: deleted, name: 'Gone' }],
      changed: [{ entryId: kept, values: [{ path: 'Score', before: '1', after: '10' }] }],
      counts: { added: 1, removed: 1, changed: 1, unchanged: 0 },
    });

    // Files beyond the last reports of a site go, and the rows stay.
    const { db } = context();
    expect(await db.transaction().execute((tx) => expireOldFiles(tx, things.siteId, 1))).toBe(2);
    await sql`update job_file set removed_at = now(), size = 0 where expires_at <= now()`.execute(db);
    await deleteValuesWithoutFile(db, things.siteId);
    expect((await read(before.run.runId)).isRemoved).toBe(true);
    expect((await download(before.run.runId)).statusCode).toBe(409);
    expect((await download(after.run.runId)).statusCode).toBe(200);
  });

  test('requests that cannot be carried out, and reports that fail or are cancelled', async () => {
    const [one = 0, two = 0] = await things.create({ Name: 'One' }, { Name: 'Two' });
    const template = await create(await makeDocx(paragraph('{Note}'), { header: '{Name}' }));
    const paths = async (body: Partial<ReportRunRequest>) => {
      const reply = await start(template.id, body);
      return [reply.status, ...(reply.body.errors?.map(({ path }) => path) ?? [])];
    };
    expect(await paths({})).toEqual([400, 'entryIds']);
    expect(await paths({ entryIds: [one], query: {} })).toEqual([400, 'entryIds']);
    expect(await paths({ entryIds: [one, 2_000_000_000, one] })).toEqual([400, 'entryIds.2']);
    expect(await paths({ entryIds: [one, 2_000_000_000] })).toEqual([400, 'entryIds.1']);
    expect(await paths({ query: { Nope: 1 } })).toEqual([400, 'query.Nope']);
    expect(await paths({ entryIds: [one], format: 'xlsx' })).toEqual([400, 'format']);
    expect(await paths({ entryIds: [one], format: 'pdf' })).toEqual([400, 'format']);
    expect(await paths({ entryIds: [one], asOf: '2099-01-01' })).toEqual([400, 'asOf']);
    // A header is shared by all sections.
    expect(await paths({ entryIds: [one, two] })).toEqual([400, 'entryIds']);
    const options = await api.get<{ pdf: object }>(`${REPORTS}/options`);
    expect(options.body.pdf).toMatchObject({
      isAvailable: false,
      reason: expect.stringContaining('STEWARD_OFFICE') as unknown,
    });

    const cancelled = (await start(template.id, { entryIds: [one] })).body.runId;
    expect((await api.post(`${REPORTS}/runs/${cancelled}/cancel`)).status).toBe(200);
    const deleted = (await start(template.id, { entryIds: [two], filterText: 'Two' })).body.runId;
    const broken = (await start(template.id, { entryIds: [one] })).body.runId;
    await things.remove(two);
    // The second report finds its entry deleted, and the third its field renamed.
    await runDueJobs({
      ...createJobContext(context().db),
      files: { ...services, leaseRenewalMs: 10 },
      kinds: new Map(
        [...createJobContext(context().db).kinds].map(([name, kind]) => [
          name,
          name === 'report' && kind.produce
            ? {
                ...kind,
                async produce(batch: Parameters<NonNullable<typeof kind.produce>>[0]) {
                  if (batch.jobId === broken)
                    await api.put(`${SCHEMA}/fields/${things.field('Note').id}`, { apiName: 'Notes' });
                  return (await kind.produce?.(batch)) ?? Promise.reject(new Error('No file'));
                },
              }
            : kind,
        ]),
      ),
    });
    expect(await read(cancelled)).toMatchObject({ status: 'Failed', message: 'Cancelled', fileName: null });
    expect(await read(deleted)).toMatchObject({ status: 'Ready', entryCount: 0 });
    expect(await read(broken)).toMatchObject({
      status: 'Failed',
      message: expect.stringContaining('Document, paragraph 1: Thing has no field "Note"') as unknown,
    });
    const later = await start(template.id, { query: {}, notBefore: '2099-01-01T00:00:00Z' });
    expect(later.status).toBe(409);
    expect((await api.get<Job>(`jobs/${broken}`)).body.kind).toBe('report');
  });

  test('pictures show the images of the entries, and another image is a difference', async () => {
    const [entryId = 0] = await things.create({ Name: 'Acme' });
    const put = async (content: Buffer) => {
      const files = [{ field: 'Logo', name: 'logo.png', content }];
      expect((await uploadFiles(context().app, things, { entryId, files })).status).toBe(200);
    };
    const [former, current] = [makePng(2, 2), makePng(3, 3)];
    await put(former);
    const template = await create(await makeDocxWithPicture(buildPictured('{Logo}'), makePng(1, 1)));
    expect(template.fields).toMatchObject([{ path: 'Logo', fieldId: things.field('Logo').id }]);
    const before = await generate(template.id, { entryIds: [entryId] });
    expect(await listTexts(before.file)).toEqual(['', 'logo.png']);
    expect((await findPicture(before.file)).equals(former)).toBe(true);
    const asOf = await nextTimestamp();
    await put(current);
    const after = await generate(template.id, { query: {}, document: 'zip' });
    const inner = await readMemberBytes(after.file, `Acme (${entryId}).docx`);
    expect((await findPicture(inner)).equals(current)).toBe(true);
    const past = await generate(template.id, { entryIds: [entryId], asOf });
    expect((await findPicture(past.file)).equals(former)).toBe(true);
    const compare = (other: ReportRun) =>
      api.get<ReportDifference>(`${REPORTS}/runs/${before.run.runId}/difference?with=${other.runId}`);
    const hash = createHash('sha256').update(current).digest('hex');
    expect((await compare(after.run)).body.changed).toMatchObject([
      { entryId, values: [{ path: 'Logo', after: `logo.png (SHA-256 ${hash})` }] },
    ]);
    expect((await compare(past.run)).body.counts).toMatchObject({ changed: 0, unchanged: 1 });

    const wrong = await makeDocxWithPicture(buildPictured('{Name}'), makePng(1, 1));
    expect(
      (await upload<ReportCheck>(`${REPORTS}/check`, { entryTypeId: things.typeId }, wrong)).body.findings,
    ).toMatchObject([{ code: 'wrong-format', placeholder: '{Name}', place: 'paragraph 1' }]);
  });

  test('placeholders with the values of an entry, and a preview', async () => {
    const missing = await api.get<ErrorBody>(
      `${REPORTS}/placeholders?entryTypeId=${things.typeId}&entryId=2000000000`,
    );
    expect([missing.status, missing.body.message]).toEqual([
      404,
      'Entry 2000000000 does not exist on this site',
    ]);
    const [parent = 0] = await things.create({ Name: 'Head' });
    const [id = 0] = await things.create({ Name: 'Acme', Parent: parent });
    const list = async (query = '') =>
      (await api.get<ReportPlaceholder[]>(`${REPORTS}/placeholders?entryTypeId=${things.typeId}${query}`))
        .body;
    const shown = new Map((await list(`&entryId=${id}`)).map(({ path, value }) => [path, value]));
    expect(['Name', 'Parent', 'Parent.Name', 'Score', 'EntryId'].map((path) => shown.get(path))).toEqual([
      'Acme',
      'Head',
      'Head',
      null,
      String(id),
    ]);
    expect((await list()).find(({ path }) => path === 'Founded')).toMatchObject({
      placeholder: '{Founded}',
      fieldId: things.field('Founded').id,
      formats: expect.arrayContaining(["date:'d MMM yyyy'"]) as unknown,
    });
    const template = await create(
      await makeDocx(table(tableRow('{#rows}{Name}', '{Parent.Name}{/rows}')), { header: '{$template}' }),
    );
    const preview = await context().app.inject({
      method: 'POST',
      url: `${REPORTS}/${template.id}/preview`,
      headers: { authorization: `Bearer ${things.person.token}` },
      payload: { entryId: id },
    });
    expect([preview.statusCode, preview.headers['content-disposition']]).toEqual([
      200,
      expect.stringContaining('Profile - Acme') as unknown,
    ]);
    expect(await listTexts(preview.rawPayload)).toEqual(['Acme', 'Head']);
    expect(await readExports()).toMatchObject([{ type: 4, detail: { template: 'Profile', entries: [id] } }]);
    expect((await api.post(`${REPORTS}/${template.id}/preview`, { entryId: 2_000_000_000 })).status).toBe(
      404,
    );
    expect((await api.get(`${DATA}/entrydata/rows/${things.typeId}`)).status).toBe(200);
  });
});
