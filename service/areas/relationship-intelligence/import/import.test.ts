/** Imports of e-mails and meetings (spec 2.4, 4.5, 5.5, 8; shapes 6). */
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type {
  ImportBudget,
  ImportResult,
  ImportRun,
  ImportRunResults,
  ImportSettings,
  Meeting,
  UserSyncStatus,
} from '../../../../contract/generated/types.gen.ts';
import { isEmbedded } from '../../../kernel/db/database.ts';
import { type ErrorBody, send } from '../../../testing/calls.ts';
import {
  enableRelationships,
  getCounts,
  importEmails,
  makeEmails,
  resetGate,
  RI_PATH,
} from '../../../testing/relationships.ts';
import { as, makePerson, makeSite, onEachApp, type Person } from '../../../testing/site.ts';

const EMAILS = `${RI_PATH}/import/emails`;

onEachApp((context) => {
  let person: Person;
  let colleague: Person;
  let siteId = 0;
  beforeEach(async () => {
    const { db } = context();
    siteId = await makeSite(db);
    person = await makePerson(db, siteId);
    colleague = await makePerson(db, siteId);
    await enableRelationships(db, siteId, [person.userId, colleague.userId]);
  });
  const api = (door: 'program' | 'console' = 'program') => as(context().app, person, door);
  const countRows = async (table: string) => {
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from ${sql.table(table)}
      where site_id = ${siteId}`.execute(context().db);
    return rows[0]?.n;
  };
  const post = async (...users: [Person | number, ReturnType<typeof makeEmails>][]) => {
    await resetGate(context().db, siteId);
    return importEmails(
      api(),
      users.map(([user, emails]) => ({ userId: typeof user === 'number' ? user : user.userId, emails })),
    );
  };

  const listAddresses = async () => {
    const { rows } = await sql<{
      addresses: string[];
    }>`select addresses from ri_item where site_id = ${siteId}`.execute(context().db);
    const relations = await sql<{
      address: string;
    }>`select address from ri_relation where site_id = ${siteId}`.execute(context().db);
    return [rows[0]?.addresses[0], relations.rows.map(({ address }) => address)];
  };
  const sendBody = (payload: Buffer | Readable, headers: Record<string, string> = {}) =>
    send<ImportResult[] & ErrorBody>(context().app, {
      method: 'POST',
      url: EMAILS,
      headers: { authorization: `Bearer ${person.token}`, 'content-type': 'application/json', ...headers },
      payload,
    });
  const buildBody = (count: number) =>
    Buffer.from(JSON.stringify([{ userId: person.userId, handlerType: 1, emails: makeEmails(count) }]));

  test('counts items once for all users and requests, and keeps who has them', async () => {
    const emails = makeEmails(10);
    const first = await post([person, emails], [colleague, emails.slice(5)]);
    expect([first.status, first.body.map(getCounts)]).toEqual([
      200,
      [
        [10, 10, 0, 0],
        [5, 0, 5, 0],
      ],
    ]);
    expect(first.body[0]).toMatchObject({ status: 1, statusText: 'Success', warnings: [] });
    const again = await post([person, [...emails, ...makeEmails(2, {}, 'new')]]);
    expect(again.body.map(getCounts)).toEqual([[12, 2, 10, 0]]);
    expect([await countRows('ri_item'), await countRows('ri_item_user')]).toEqual([12, 17]);
    const { rows } = await sql<{ action: string; changes: object }>`
      select action, changes from audit_log where site_id = ${siteId} order by audit_id`.execute(
      context().db,
    );
    expect(rows[0]).toEqual({
      action: 'relationships.import',
      changes: {
        users: [null, 2],
        received: [null, 15],
        added: [null, 10],
        alreadyProcessed: [null, 5],
        skipped: [null, 0],
      },
    });
    expect(JSON.stringify(rows)).not.toContain('@');
    const status = await api('console').get<UserSyncStatus[]>(`${RI_PATH}/import/status`);
    expect(status.body).toEqual([
      {
        userId: person.userId,
        emailAddress: person.email,
        lastEmailSyncDate: again.body[0]?.operationStats.syncDate,
        lastMeetingSyncDate: null,
      },
      expect.objectContaining({ lastEmailSyncDate: first.body[1]?.operationStats.syncDate }),
    ]);
  });

  test('users who are not enabled, of other sites or unknown have the same status, and others go on', async () => {
    const foreigner = await makePerson(context().db, await makeSite(context().db));
    const disabled = await makePerson(context().db, siteId);
    const { body } = await post(
      [foreigner, makeEmails(1, {}, 'a')],
      [disabled, makeEmails(1, {}, 'b')],
      [999_999_999, makeEmails(1, {}, 'c')],
      [person, makeEmails(1, {}, 'd')],
    );
    expect(
      body.map(({ status, statusText, ...result }) => [
        status,
        statusText,
        getCounts({ status, statusText, ...result }),
      ]),
    ).toEqual([
      ...Array.from({ length: 3 }, () => [2, 'User not enabled', [1, 0, 0, 1]]),
      [1, 'Success', [1, 1, 0, 0]],
    ]);
  });

  test('a request that is wrong by itself stores nothing and counts to the five', async () => {
    const emails = makeEmails(3);
    const { status, body } = await importEmails(api(), [
      { userId: person.userId, emails },
      { userId: colleague.userId, emails: emails.toReversed(), handlerType: 2 },
    ]);
    expect([status, (body as unknown as ErrorBody).errors?.map(({ path }) => path)]).toEqual([
      400,
      ['1.handlerType', '1.emails.1.sentDate', '1.emails.2.sentDate'],
    ]);
    expect([
      await countRows('ri_item'),
      await countRows('ri_item_user'),
      await countRows('ri_relation'),
    ]).toEqual([0, 0, 0]);
    const budget = await api('console').get<ImportBudget>(`${RI_PATH}/import/budget`);
    expect(budget.body).toMatchObject({ limit: 5, used: 1, isImporting: false, holderId: null });
    const runs = await api('console').get<ImportRun[]>(`${RI_PATH}/import/runs`);
    expect(runs.body).toMatchObject([{ userCount: 0, refusal: '400: The request has 3 errors' }]);
  });

  test('other content under a known id is kept with a warning, and replaced when it was modified later', async () => {
    const [email] = makeEmails(1);
    if (!email) throw new Error('There is no e-mail');
    await post([person, [email]]);
    const changed = { ...email, sender: { address: 'new@outside.test', name: 'New' } };
    const kept = await post([person, [changed]]);
    expect(kept.body[0]).toMatchObject({
      status: 1,
      warnings: [{ code: 'CONTENT_DIFFERS', uniqueId: 'mail-0' }],
    });
    expect(await listAddresses()).toEqual(['ann@inside.test', ['ann@inside.test']]);
    const later = new Date(Date.now() + 1_000).toISOString();
    const replaced = await post([person, [{ ...changed, modifiedDate: later }]]);
    expect(replaced.body.map(getCounts)).toEqual([[1, 0, 1, 0]]);
    expect(replaced.body[0]?.warnings).toEqual([]);
    expect(await listAddresses()).toEqual(['new@outside.test', ['new@outside.test']]);
  });

  test('meetings have the same result', async () => {
    const at = new Date(Date.now() - 3_600_000).toISOString();
    const meeting: Meeting = {
      uniqueId: 'm-1',
      startDate: at,
      endDate: at,
      modifiedDate: at,
      organizer: { address: person.email, name: 'Ada' },
      attendees: [{ address: 'guest@outside.test', name: 'Guest' }],
    };
    const { status, body } = await api().post<ImportResult[]>(`${RI_PATH}/import/meetings`, [
      { userId: person.userId, handlerType: 1, meetings: [meeting] },
    ]);
    expect([status, body.map(getCounts)]).toEqual([200, [[1, 1, 0, 0]]]);
    const { rows } = await sql`select address, name, sent, received, meetings from ri_relation
      where site_id = ${siteId}`.execute(context().db);
    expect(rows).toEqual([
      { address: 'guest@outside.test', name: 'Guest', sent: 0, received: 0, meetings: 1 },
    ]);
    const wrong = await api().post<ErrorBody>(`${RI_PATH}/import/meetings`, [
      { userId: person.userId, handlerType: 1, meetings: [{ ...meeting, endDate: '2020-01-01' }] },
    ]);
    expect(wrong.body.errors?.map(({ path }) => path)).toEqual(['0.meetings.0.endDate']);
  });

  test('a dry run counts as the import does and stores nothing', async () => {
    await post([person, makeEmails(3)]);
    const request = [{ userId: person.userId, emails: makeEmails(5) }];
    const dry = await importEmails(api(), request, '?dryRun=true');
    expect(dry.body.map(getCounts)).toEqual([[5, 2, 3, 0]]);
    expect(await countRows('ri_item')).toBe(3);
    const real = await importEmails(api(), request);
    expect(real.body.map(getCounts)).toEqual(dry.body.map(getCounts));
    const runs = await api('console').get<ImportRun[]>(`${RI_PATH}/import/runs?pageSize=2`);
    expect(runs.body.map(({ isDryRun, counts }) => [isDryRun, counts.added])).toEqual([
      [false, 2],
      [true, 2],
    ]);
    const meetings = await api('console').get<ImportRun[]>(`${RI_PATH}/import/runs?kind=meetings`);
    expect(meetings.body).toEqual([]);
    const run = await api('console').get<ImportRunResults>(`${RI_PATH}/import/runs/${runs.body[0]?.id}`);
    expect(run.body.results).toEqual(real.body);
  });

  describe('the limits of the site', () => {
    test('five requests a minute for the four operations of programs together, then 429 with Retry-After', async () => {
      for (const path of ['status', 'settings', 'status'])
        expect((await api().get(`${RI_PATH}/import/${path}`)).status).toBe(200);
      for (const prefix of ['a', 'b'])
        expect(
          (await importEmails(api(), [{ userId: person.userId, emails: makeEmails(1, {}, prefix) }])).status,
        ).toBe(200);
      const refused = await api().get(`${RI_PATH}/import/settings`);
      expect(refused.status).toBe(429);
      const seconds = Number(refused.headers['retry-after']);
      expect(seconds > 50 && seconds <= 60).toBe(true);
      expect(
        (await importEmails(api('console'), [{ userId: person.userId, emails: makeEmails(1) }])).status,
      ).toBe(429);
      // The reads of the console do not count and are not refused.
      expect((await api('console').get<ImportSettings>(`${RI_PATH}/import/settings`)).status).toBe(200);
      // The window ends by the clock of the database, and refused requests do not prolong it.
      await sql`update ri_gate set hits = array(select hit - interval '55 seconds' from unnest(hits) as hit)
        where site_id = ${siteId}`.execute(context().db);
      expect((await api().get(`${RI_PATH}/import/settings`)).status).toBe(429);
      await sql`update ri_gate set hits = array(select hit - interval '5 seconds' from unnest(hits) as hit)
        where site_id = ${siteId}`.execute(context().db);
      expect((await api().get(`${RI_PATH}/import/settings`)).status).toBe(200);
    });

    test('a second import at the same time is 429, also from another process, until the lease ends', async () => {
      await sql`insert into ri_gate (site_id, holder_user_id, fence, lease_until)
        values (${siteId}, ${colleague.userId}, 7, now() + interval '20 seconds')`.execute(context().db);
      const request = [{ userId: person.userId, emails: makeEmails(1) }];
      const refused = await importEmails(api(), request);
      expect([refused.status, refused.headers['retry-after']]).toEqual([429, '2']);
      const budget = await api('console').get<ImportBudget>(`${RI_PATH}/import/budget`);
      expect(budget.body).toMatchObject({ used: 0, isImporting: true, holderId: colleague.userId });
      await sql`update ri_gate set lease_until = now() - interval '1 second' where site_id = ${siteId}`.execute(
        context().db,
      );
      expect((await importEmails(api(), request)).status).toBe(200);
    });

    test('parallel imports of a site: one is carried out, the others are 429 or counted as known', async () => {
      const request = [{ userId: person.userId, emails: makeEmails(20) }];
      const replies = await Promise.all(Array.from({ length: 8 }, () => importEmails(api(), request)));
      const done = replies.filter(({ status }) => status === 200);
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 429]));
      expect(done.reduce((sum, { body }) => sum + (body[0]?.operationStats.added ?? 0), 0)).toBe(20);
      expect(await countRows('ri_item')).toBe(20);
    });
  });

  test('each precondition of the site has its error, and settings list their state', async () => {
    const { db } = context();
    const request = [{ userId: person.userId, emails: makeEmails(1) }];
    const api403 = 'Email or Event collection must be enabled to use this API endpoint';
    for (const [column, value, message] of [
      ['email_relationships', false, api403],
      ['collect_relationship_data', false, api403],
      ['is_enabled', false, 'Relationship Intelligence must be enabled to use this API endpoint'],
      [
        'connection_type',
        'None',
        'API must be selected as the Exchange connection type to use this API endpoint',
      ],
    ] as const) {
      await sql`update ri_setting set email_relationships = true, collect_relationship_data = true where site_id = ${siteId}`.execute(
        db,
      );
      await sql`update ri_setting set ${sql.ref(column)} = ${value} where site_id = ${siteId}`.execute(db);
      const { status, body } = await importEmails(api(), request);
      expect([status, (body as unknown as ErrorBody).message]).toEqual([400, message]);
    }
    const settings = await api().get<ImportSettings>(`${RI_PATH}/import/settings`);
    expect(settings.body.preconditions.filter(({ isMet }) => !isMet).map(({ id }) => id)).toEqual([
      'apiEndpointConnection',
      'relationshipIntelligence',
      'automatedContactCreation',
    ]);
    expect(settings.body).toMatchObject({
      limits: {
        emailsPerUser: 1_000,
        emailsPerRequest: 50_000,
        meetingsPerUser: 100,
        meetingsPerRequest: 5_000,
        // On the embedded database all other requests wait for one.
        emailsPerJobRequest: isEmbedded(context().db) ? 10_000 : 50_000,
        meetingsPerJobRequest: isEmbedded(context().db) ? 1_000 : 5_000,
      },
      historicalSyncPeriodDays: 365,
      isHistoricalUploadComplete: false,
    });
    // Refused before they were read: they did not count.
    expect(await countRows('ri_gate')).toBe(1);
  });

  describe('bodies', () => {
    const gzip = { 'content-encoding': 'gzip' };
    test('gzip is read like the body that it contains, long bodies in another thread', async () => {
      const body = buildBody(1_000);
      const packed = await sendBody(gzipSync(body), gzip);
      expect([packed.status, packed.body.map(getCounts)]).toEqual([200, [[1_000, 1_000, 0, 0]]]);
      const plain = await sendBody(body);
      expect(plain.body.map(getCounts)).toEqual([[1_000, 0, 1_000, 0]]);
    });

    test('long bodies store the same rows as short ones, whatever is stored already', async () => {
      const { db } = context();
      const name = String.raw`Jo "the \ {comma, }" N\'t`;
      const people = (n: number) => [
        { address: `{p${n}'q}@Outside.test`, name: n % 3 === 0 ? '' : `${name} ${n}` },
        { address: `copy${n % 5}@outside.test`, name: '' },
      ];
      const start = Date.now() - 3_600_000;
      const emails = Array.from({ length: 90 }, (_, n) => ({
        uniqueId: `long-${n}`,
        sentDate: new Date(start + n * 1_000).toISOString(),
        modifiedDate: new Date(start + n * 1_000).toISOString().replace('.', '.00').replace('Z', '1+00:00'),
        sender:
          n % 2 === 0 ? { address: person.email, name: 'Ann' } : { address: `p${n % 4}@Outside.test`, name },
        recipientsTo: people(n),
      }));
      const read = async (table: string, columns: string) => {
        const { rows } =
          await sql`select ${sql.raw(columns)} from ${sql.table(table)} where site_id = ${siteId}
          order by ${sql.raw(columns)}`.execute(db);
        return rows;
      };
      const readAll = () =>
        Promise.all([
          read('ri_item', 'kind, item_key, at, modified_at, content, addresses'),
          read('ri_item_user', 'user_id, kind, item_key, at, direction, counterparts'),
          read('ri_relation', 'user_id, address, name, first_at, last_at, sent, received, meetings'),
        ]);
      const list = (known: number) => [
        { userId: person.userId, handlerType: 1, emails: emails.slice(known) },
        { userId: colleague.userId, handlerType: 1, emails: emails.slice(known + 40) },
      ];
      const sendList = async (known: number, isLong: boolean) => {
        await resetGate(db, siteId);
        const text = JSON.stringify(list(known));
        return (await sendBody(Buffer.from(isLong ? text.padEnd(140_000) : text))).body.map(getCounts);
      };
      const empty = async () => {
        for (const table of ['ri_item', 'ri_item_user', 'ri_relation'])
          await sql`delete from ${sql.table(table)} where site_id = ${siteId}`.execute(db);
      };
      expect(await sendList(0, false)).toEqual([
        [90, 90, 0, 0],
        [50, 0, 50, 0],
      ]);
      const expected = await readAll();
      expect(expected.map(({ length }) => length)).toEqual([90, 140, expected[2].length]);
      await empty();
      // All of it is new; then its second half only.
      for (const known of [[0], [45, 0]]) {
        for (const from of known) await sendList(from, true);
        expect(await readAll()).toEqual(expected);
        await empty();
      }
    });

    test('a thread reads one body after the other, also after a wrong one, and none after one that cannot be read', async () => {
      const { db } = context();
      let started = 0;
      const count = () => {
        started += 1;
      };
      process.on('worker', count);
      onTestFinished(() => void process.off('worker', count));
      const wrong = Buffer.from(buildBody(1_000).toString().replace('"handlerType":1', '"handlerType":2'));
      const sendAndCount = async (body: Buffer, headers = {}) => {
        await resetGate(db, siteId);
        const { status } = await sendBody(body, headers);
        return [status, started];
      };
      await sendAndCount(buildBody(1_000));
      started = 0;
      expect(await sendAndCount(buildBody(1_000))).toEqual([200, 0]);
      expect(await sendAndCount(wrong)).toEqual([400, 0]);
      expect(await sendAndCount(gzipSync(buildBody(1_000)), gzip)).toEqual([200, 0]);
      expect(await sendAndCount(gzipSync(buildBody(1_000)).subarray(0, 1_000), gzip)).toEqual([400, 0]);
      expect(await sendAndCount(buildBody(1_000))).toEqual([200, 1]);
      expect(await countRows('ri_item')).toBe(1_000);
    });

    test('128 MiB are read, one byte more is 413 with the limit and the size if it is known', async () => {
      const limit = 134_217_728;
      const list = buildBody(1);
      const pieceSize = 1_048_576;
      /** The list and spaces, as they arrive: in chunks with memory of their own. */
      const stream = (size: number, contentLength: boolean) =>
        sendBody(
          Readable.from(
            (function* write() {
              yield list;
              for (let left = size - list.length; left > 0; left -= pieceSize)
                yield Buffer.alloc(Math.min(left, pieceSize), ' ');
            })(),
          ),
          contentLength ? { 'content-length': String(size) } : {},
        );
      const whole = await stream(limit, false);
      expect([whole.status, whole.body.map(getCounts)]).toEqual([200, [[1, 1, 0, 0]]]);
      const message = (size: string) => [
        413,
        `The body has ${size} bytes; this operation accepts at most ${limit}`,
      ];
      for (const [isKnown, size] of [
        [true, String(limit + 1)],
        [false, `more than ${limit}`],
      ] as const) {
        await resetGate(context().db, siteId);
        const { status, body } = await stream(limit + 1, isKnown);
        expect([status, body.message]).toEqual(message(size));
      }
    }, 120_000);

    test('a truncated or invalid gzip is 400, a bomb 413 with the limit, and other encodings 415', async () => {
      const packed = gzipSync(buildBody(50));
      for (const broken of [packed.subarray(0, packed.length - 20), Buffer.from('not gzip')]) {
        const { status, body } = await sendBody(broken, gzip);
        expect([status, body.message]).toEqual([
          400,
          'The request cannot be read: its body is not valid gzip, or it is incomplete',
        ]);
      }
      const bomb = gzipSync(Buffer.concat([Buffer.from('['), Buffer.alloc(134_217_728, 0x20)]));
      expect(bomb.length).toBeLessThan(200_000);
      const { status, body } = await sendBody(bomb, gzip);
      expect([status, body.message]).toEqual([
        413,
        expect.stringMatching(/134217728 unpacked bytes.*at most 134217728/),
      ]);
      expect((await sendBody(packed, { 'content-encoding': 'br' })).status).toBe(415);
      expect(await countRows('ri_item')).toBe(0);
    });
  });
});
