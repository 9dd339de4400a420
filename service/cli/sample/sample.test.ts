import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { capabilities } from '../../../contract/rules/people/capabilities.ts';
import { loadSchema } from '../../areas/schema/index.ts';
import { DISTRIBUTED_TABLES } from '../../kernel/db/cluster.ts';
import { onEachDatabase } from '../../testing/databases.ts';
import { contract } from '../../testing/site.ts';
import { createRandom } from '../load/random.ts';
import { drawActivity, drawProxies, drawReports } from './activity.ts';
import { SAMPLE_GROUPS } from './data.ts';
import { fillSample } from './fill.ts';
import { drawLicenseChanges, drawPeople } from './people.ts';

const asOf = new Date('2026-11-20T12:00:00Z');
const YEAR = 365 * 24 * 3600_000;

function draw(seed: number, count = 500) {
  const random = createRandom(seed);
  const people = drawPeople(random, {
    count,
    asOf,
    domain: 'northlight.example',
    partnerDomain: 'partner.example',
    takenEmails: new Set(),
  });
  return { people, activity: drawActivity(random, people, { asOf, rows: count * 120 }) };
}

test('the same seed draws the same sample, another seed a different one', () => {
  expect(JSON.stringify(draw(7))).toBe(JSON.stringify(draw(7)));
  expect(draw(7).people[20]?.email).not.toBe(draw(8).people[20]?.email);
});

test('people have unique e-mail addresses in ASCII letters and names in many scripts', () => {
  const { people } = draw(1, 3000);
  expect(new Set(people.map((person) => person.email)).size).toBe(people.length);
  for (const { email, firstName, lastName } of people) {
    expect(email).toMatch(/^[a-z][a-z0-9.-]*[a-z0-9]@(northlight|partner)\.example$/);
    expect(`${firstName}|${lastName}`).toMatch(/^[^|_=]+\|[^|_=]+$/);
  }
  const text = people.map((person) => person.firstName + person.lastName).join('');
  for (const script of ['Latin', 'Cyrillic', 'Greek', 'Han', 'Hangul', 'Arabic', 'Hebrew', 'Devanagari']) {
    expect(text).toMatch(new RegExp(`\\p{Script=${script}}`, 'u'));
  }
});

test('activity covers a year up to the day, follows the week and uses documentation addresses', () => {
  const { people, activity } = draw(1);
  expect(activity.length).toBeGreaterThan(45_000);
  expect(activity.length).toBeLessThan(75_000);
  const times = activity.map((record) => record.at);
  expect(times).toEqual(times.toSorted((one, other) => one - other));
  expect(Math.max(...times.slice(-1))).toBeLessThanOrEqual(asOf.getTime());
  expect(times[0]).toBeGreaterThanOrEqual(asOf.getTime() - YEAR - 24 * 3600_000);
  const onWeekend = activity.filter(({ at }) => [0, 6].includes(new Date(at).getUTCDay())).length;
  expect(onWeekend / activity.length).toBeLessThan(0.12);
  for (const { ip } of activity) expect(ip).toMatch(/^(192\.0\.2|198\.51\.100|203\.0\.113)\.\d+$|^2001:db8:/);
  expect(new Set(activity.map((record) => record.type))).toEqual(new Set([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]));
  expect(activity.filter((record) => record.principal !== null).length).toBeGreaterThan(50);
  for (const record of activity) {
    expect(record.exportDataType === null).toBe(record.type !== 8);
    expect(record.principal).not.toBe(record.person);
  }
  const early = activity.filter(({ person, at }) => at < (people[person]?.createdAt.getTime() ?? 0));
  expect(early).toEqual([]);
});

test('license changes of a year lead to the current licenses and agree with the dates of the people', () => {
  const { people } = draw(1);
  const changes = drawLicenseChanges(createRandom(2), people, asOf);
  const held = new Map<number, number>();
  for (const { person, at, by, before, after } of changes) {
    const who = people[person];
    expect(before).toBe(held.get(person) ?? before);
    expect(before).not.toBe(after);
    expect(at).toEqual(before === null ? who?.createdAt : who?.modifiedAt);
    expect(asOf.getTime() - at.getTime()).toBeLessThanOrEqual(YEAR + 24 * 3600_000);
    expect(people[by]?.groups).toContain('Administrators');
    held.set(person, after);
  }
  for (const [person, license] of held) expect(license).toBe(people[person]?.licenseTypeId);
  const came = changes.filter(({ before }) => before === null).length;
  expect(came).toBeGreaterThan(100);
  expect(changes.length - came).toBeGreaterThan(40);
});

test('all acting in the activity has a proxy assignment; the graph has a cycle, an inactive proxy and one without two-factor', () => {
  const { people, activity } = draw(1);
  const pairs = drawProxies(createRandom(3), people, activity);
  const keys = new Set(pairs.map(({ proxy, principal }) => `${proxy}:${principal}`));
  expect(keys.size).toBe(pairs.length);
  const acted = activity.filter(({ principal }) => principal !== null);
  expect(acted.filter(({ person, principal }) => !keys.has(`${person}:${principal}`))).toEqual([]);
  expect(pairs.some(({ proxy, principal }) => keys.has(`${principal}:${proxy}`))).toBe(true);
  expect(pairs.filter(({ proxy, principal }) => proxy === principal)).toEqual([]);
  const proxies = pairs.map(({ proxy }) => people[proxy]);
  expect(proxies.some((person) => person?.isActive === false)).toBe(true);
  expect(proxies.some((person) => person?.isActive && !person.twoFactorEnabled)).toBe(true);
});

test('acting reports have the summaries of the contract and end after their start', () => {
  const summaries = new Map(contract.operations.map(({ id, summary }) => [id, summary]));
  const reports = drawReports(createRandom(3), draw(1).activity);
  expect(reports.length).toBeGreaterThan(20);
  for (const { startedAt, endedAt, steps } of reports) {
    expect(endedAt).toBeGreaterThan(startedAt);
    for (const { operationId, summary } of steps) expect(summaries.get(operationId)).toBe(summary);
  }
});

test('groups have existing capabilities, and one has all of them', () => {
  const known = capabilities.map(({ name }) => name);
  for (const group of SAMPLE_GROUPS) expect(known).toEqual(expect.arrayContaining([...group.capabilities]));
  expect(SAMPLE_GROUPS.some((group) => known.every((name) => group.capabilities.includes(name)))).toBe(true);
});

onEachDatabase((database) => {
  beforeEach(() =>
    // In a cluster no foreign key leads from a site to its rows.
    sql`truncate site, account, membership, user_group, group_member, activity, ${sql.join(
      DISTRIBUTED_TABLES.map((table) => sql.table(table)),
    )} restart identity cascade`.execute(database().db),
  );

  const count = async (what: ReturnType<typeof sql>) => {
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from ${what}`.execute(database().db);
    return rows[0]?.n ?? 0;
  };

  test('fills a site and a small neighbor that shares users', async () => {
    const { db } = database();
    const summary = await fillSample(db, { users: 120, asOf, seed: 1, entries: false });
    expect(summary).toMatchObject({ siteId: 1, slug: 'northlight', users: 120 });
    expect(await count(sql`membership where site_id = 1`)).toBe(120);
    expect(await count(sql`activity where site_id = 1`)).toBe(summary.activities);
    expect(await count(sql`account where password_hash is not null`)).toBe(0);
    expect(await count(sql`proxy_assignment where site_id = 1`)).toBeGreaterThan(10);
    expect(await count(sql`audit_log where site_id = 1 and changes ? 'licenseTypeId'`)).toBeGreaterThan(20);
    const shared = await count(
      sql`membership a join membership b using (user_id) where a.site_id = 1 and b.site_id = 2`,
    );
    expect(shared).toBeGreaterThan(5);
    // Every member is in a group of the site, and all activity is of members.
    expect(
      await count(
        sql`membership m where not exists (select 1 from group_member g where g.site_id = m.site_id and g.user_id = m.user_id)`,
      ),
    ).toBe(0);
    expect(
      await count(
        sql`activity a where not exists (select 1 from membership m where m.site_id = a.site_id and m.user_id = a.user_id)`,
      ),
    ).toBe(0);
    expect(await count(sql`membership where is_active and last_active_at is not null`)).toBeGreaterThan(80);
  });

  test('writes companies, contacts and deals as the service does', async () => {
    const { db } = database();
    await fillSample(db, { users: 40, asOf, seed: 1 });
    const schema = await loadSchema(db, 1);
    expect(schema.types.map(({ apiName }) => apiName)).toEqual(['Company', 'Contact', 'Deal']);
    const deal = schema.typesByName.get('deal');
    const [stage, reason] = [deal?.fieldsByName.get('stage'), deal?.fieldsByName.get('lostreason')];
    const lost = [...(stage?.choices.values() ?? [])].find(({ name }) => name === 'Lost');
    expect(await count(sql`entry where site_id = 1`)).toBe(40 + 80 + 20);
    expect(await count(sql`cell_log where site_id = 1`)).toBeGreaterThan(20);
    // Required values exist, and the last change in the history has the current value.
    const wrong = sql`entry where type_id = ${deal?.id} and vals ->> ${String(stage?.id)} = ${String(lost?.id)}
      and not vals ? ${String(reason?.id)}`;
    expect(await count(wrong)).toBe(0);
    const last = sql`(select distinct on (entry_id) entry_id, field_id, new from cell_log order by entry_id, at desc) l
      join entry e using (entry_id) where e.vals -> l.field_id::text is distinct from l.new`;
    expect(await count(last)).toBe(0);
    expect(await count(sql`entry_change where direct_at > ${asOf} or direct_at < created_at`)).toBe(0);
    // The figures of the days before lead to those of now.
    const { rows: figures } = await sql<{ entries: number; changes: number }>`
      select entries, changes from site_figure where site_id = 1 order by day`.execute(db);
    expect(figures).toHaveLength(29);
    expect(figures.at(-1)?.entries).toBe(40 + 80 + 20);
    expect(figures.filter(({ changes }) => changes > 0).length).toBeGreaterThan(0);
  });

  test('writes invitations in every state and users who can be added without confirmation', async () => {
    await fillSample(database().db, { users: 120, asOf: new Date(), seed: 1, entries: false });
    const { rows } = await sql<{ state: string; n: number }>`
      select case when accepted_at is not null then 'accepted' when revoked_at is not null then 'revoked'
        when expires_at <= now() then 'expired' else 'pending' end as state, count(*)::int as n
      from invitation where site_id = 1 group by 1 order by 1`.execute(database().db);
    expect(rows).toEqual([
      { state: 'accepted', n: 1 },
      { state: 'expired', n: 1 },
      { state: 'pending', n: 2 },
      { state: 'revoked', n: 1 },
    ]);
    const temporary = sql`membership m join invitation i using (site_id, invitation_id)
      where m.is_active and m.expires_at > now() and m.expires_at = i.accepted_at + interval '90 days'`;
    expect(await count(temporary)).toBe(1);
    expect(
      await count(sql`account a where split_part(email_key, '@', 2) = (select dedicated_domain from site where site_id = 1)
        and not exists (select 1 from membership m where m.site_id = 1 and m.user_id = a.user_id)`),
    ).toBe(3);
  });

  test('writes people in the order in which they are drawn, so that their ids are the same on every machine', async () => {
    const { db } = database();
    await fillSample(db, { users: 30, asOf, seed: 5 });
    const again = draw(5, 30);
    const stored = await db
      .selectFrom('account')
      .select('email')
      .where('user_id', '<=', 30)
      .orderBy('user_id')
      .execute();
    expect(stored.map((row) => row.email)).toEqual(again.people.map((person) => person.email));
  });

  test('fills an existing site, keeps its groups and users, and creates a new site each time otherwise', async () => {
    const { db } = database();
    const site = await db
      .insertInto('site')
      .values({ slug: 'acme', name: 'Acme', dedicated_domain: null })
      .returning('site_id')
      .executeTakeFirstOrThrow();
    const { people } = draw(1, 30);
    const [first] = people;
    await sql`insert into account (email, email_key, first_name, last_name, home_site_id)
      values (${first?.email.replace('northlight', 'acme')}, ${first?.email.replace('northlight', 'acme')}, 'A', 'B', ${site.site_id})`.execute(
      db,
    );
    await sql`insert into user_group (site_id, name, capabilities) values (${site.site_id}, 'administrators', '{Read Data}')`.execute(
      db,
    );
    expect(await fillSample(db, { users: 30, asOf, seed: 1, siteId: site.site_id })).toMatchObject({
      slug: 'acme',
    });
    expect(
      await count(sql`user_group where site_id = ${site.site_id} and lower(name) = 'administrators'`),
    ).toBe(1);
    expect(
      await count(
        sql`group_member g join user_group u using (site_id, group_id) where site_id = ${site.site_id} and lower(u.name) = 'administrators'`,
      ),
    ).toBe(2);
    expect(await fillSample(db, { users: 10, asOf, seed: 1 })).toMatchObject({ slug: 'northlight' });
    expect(await fillSample(db, { users: 10, asOf, seed: 1 })).toMatchObject({ slug: 'northlight-2' });
    expect(await count(sql`site where slug = 'harbor'`)).toBe(1);
  });

  test('the statements of operating.md rebuild the counts of the lists', async () => {
    const { db } = database();
    await fillSample(db, { users: 20, asOf, seed: 1 });
    const readCounts = async () => {
      const { rows } =
        await sql`select 'list' as of, site_id, list, part, first_id, n from list_block where n <> 0
        union all select 'entry', site_id, 0, type_id, first_id, n from entry_block where n <> 0
        order by 1, 2, 3, 4, 5`.execute(db);
      return rows;
    };
    const counts = await readCounts();
    const page = await readFile(new URL('../../../docs/operating.md', import.meta.url), 'utf8');
    const [, statements = ''] = /## Rebuild the list counts[^]*?```\n([^]*?)```/.exec(page) ?? [];
    await sql`update list_block set n = n + 1`.execute(db);
    await sql`update entry_block set n = n + 1`.execute(db);
    for (const statement of statements.split(';\n').filter(Boolean)) await sql.raw(statement).execute(db);
    expect(await readCounts()).toEqual(counts);
    expect(new Set(counts.map((row) => Object(row).of))).toEqual(new Set(['entry', 'list']));
  });
});
