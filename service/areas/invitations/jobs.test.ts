/** Jobs that invite, extend and revoke many (architecture, "Long work"). */
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Job, JobItem, JobReason } from '../../../contract/generated/types.gen.ts';
import type { ErrorBody } from '../../testing/calls.ts';
import { setUpInvitations } from '../../testing/invitations.ts';
import { runJobs } from '../../testing/jobs.ts';
import { as, joinSite, makePerson, onEachApp, type Person } from '../../testing/site.ts';

const DOMAIN = 'people.test';
const HOUR_MS = 3_600_000;

const emailsOf = (people: readonly Person[]) => people.map(({ email }) => email);

onEachApp((context) => {
  const fixture = setUpInvitations(context);
  beforeEach(() => sql`delete from job`.execute(context().db));

  const makeGuests = (count: number) =>
    Promise.all(Array.from({ length: count }, () => makePerson(context().db, fixture.guest().siteId)));
  const start = async (path: string, body: object, client = fixture.client()) => {
    const reply = await client.post<Job & ErrorBody>(`jobs/${path}`, body);
    expect(reply.status).toBe(202);
    return reply.body;
  };
  const invite = (emails: readonly string[]) =>
    start('invitations', { invite: emails.map((email) => ({ email, type: 0 })) });
  const run = () => runJobs(context().db);
  const read = async (id: number) => (await fixture.client().get<Job>(`jobs/${id}`)).body;
  const listItems = async (id: number, query = '') =>
    (await fixture.client().get<JobItem[]>(`jobs/${id}/items?pageSize=1000${query}`)).body;
  const listOutcomes = async (id: number) =>
    (await listItems(id)).map(({ label, detail, state, reason }) => [label, detail, state, reason]);
  const allowAdding = () =>
    sql`update site set may_manage_existing_users = true, dedicated_domain = ${DOMAIN}
      where site_id = ${fixture.siteId()}`.execute(context().db);
  /** Invitations that the administrator has sent within the hour. */
  const setSent = (count: number) =>
    sql`insert into throttle values (${`invite:${fixture.siteId()}:${fixture.admin().userId}`}, ${count}, now())
      on conflict (key) do update set count = excluded.count`.execute(context().db);
  const getSent = async () => {
    const { rows } = await sql<{ count: number }>`select count from throttle
      where key = ${`invite:${fixture.siteId()}:${fixture.admin().userId}`}`.execute(context().db);
    return rows[0]?.count ?? 0;
  };
  /** Moves limits and waiting jobs back, as if an hour had passed. */
  const advanceHour = async () => {
    await fixture.advanceInvitations(HOUR_MS + 1000);
    await sql`update job set retry_at = retry_at - interval '3601 seconds'`.execute(context().db);
  };

  describe('inviting many', () => {
    test('invites, adds and sends again with the mails and audit rows of the single operations', async () => {
      await allowAdding();
      const [invited, added, again] = await makeGuests(3);
      expect((await fixture.invite({ email: again?.email })).status).toBe(200);
      const { id } = await fixture.getNewestInvitation();
      const before = (await fixture.listAuditRows()).length;
      const job = await start('invitations', {
        invite: [{ email: invited?.email, type: 1, duration: 30, groups: [fixture.admin().groupId] }],
        add: [{ email: added?.email }],
        resend: [id],
      });
      expect(job).toMatchObject({
        kind: 'invitations.create',
        title: 'Invite or add 3 people, some of them again',
        total: 3,
      });
      await run();
      expect(await read(job.id)).toMatchObject({ state: 'finished', done: 3, failed: 0 });
      expect(await listOutcomes(job.id)).toEqual([
        [invited?.email, 'Invite', 'done', null],
        [added?.email, 'Add without confirmation', 'done', null],
        [again?.email, 'Send again', 'done', null],
      ]);
      expect(await fixture.getNewestInvitation()).toMatchObject({
        email: invited?.email,
        type: 1,
        duration: 30,
        groups: [fixture.admin().groupId],
        status: 'pending',
        invitedBy: fixture.admin().userId,
      });
      const mails = await Promise.all(
        [invited, added, again].map(async (person) => (await fixture.listMails(person?.email)).length),
      );
      expect(mails).toEqual([1, 1, 2]);
      const rows = (await fixture.listAuditRows()).slice(before);
      expect(rows.map(({ action, actor_id: actor }) => [action, actor])).toEqual(
        ['job.start', 'invitation.create', 'user.add-existing', 'invitation.resend', 'job.finish'].map(
          (action) => [action, fixture.admin().userId],
        ),
      );
    });

    test('the link of an invitation by a job can be accepted', async () => {
      await invite([fixture.guest().email]);
      await run();
      const [token] = await fixture.listTokens();
      expect((await fixture.accept(token)).status).toBe(200);
    });

    test('tells members, invited people and unknown addresses apart, each with a reason that is counted', async () => {
      const [one, two, inactive] = await makeGuests(3);
      await joinSite(context().db, fixture.siteId(), inactive?.userId ?? 0, { isActive: false });
      await fixture.invite({ email: one?.email });
      await fixture.invite({ email: two?.email });
      const job = await invite([
        one?.email ?? '',
        two?.email ?? '',
        fixture.admin().email,
        inactive?.email ?? '',
        'nobody@nowhere.test',
        fixture.guest().email,
      ]);
      await run();
      expect(await read(job.id)).toMatchObject({ state: 'finished', done: 1, failed: 5 });
      expect((await fixture.client().get<JobReason[]>(`jobs/${job.id}/reasons`)).body).toEqual([
        {
          state: 'failed',
          reason: 'Is already invited; send that invitation again, or revoke it first',
          count: 2,
        },
        { state: 'failed', reason: 'Already a user of this site', count: 1 },
        {
          state: 'failed',
          reason: 'Already a user of this site, but inactive; activate the user instead',
          count: 1,
        },
        {
          state: 'failed',
          reason: 'Nobody on this platform has this address; create a user instead',
          count: 1,
        },
      ]);
      expect((await listItems(job.id, '&state=done')).map(({ label }) => label)).toEqual([
        fixture.guest().email,
      ]);
    });

    test('is refused as a whole for nobody, a repeated address and invalid terms, and stores nothing', async () => {
      const [email, Email] = [fixture.guest().email, fixture.guest().email.toUpperCase()];
      const post = async (body: object) => {
        const reply = await fixture.client().post<ErrorBody>('jobs/invitations', body);
        return [reply.status, reply.body.errors?.map(({ path }) => path)];
      };
      expect(await post({})).toEqual([400, ['invite']]);
      expect(
        await post({
          invite: [
            { email, type: 0 },
            { email: Email, type: 0 },
          ],
          add: [{ email }],
        }),
      ).toEqual([400, ['invite.1.email', 'add.0.email']]);
      expect(await post({ invite: [{ email, type: 1 }] })).toEqual([400, ['invite.0.duration']]);
      expect(await post({ invite: [{ email: 'no address', type: 0 }] })).toEqual([400, ['invite.0.email']]);
      expect(await post({ add: [{ email, autoCreateOrLinkContact: true }] })).toEqual([
        400,
        ['add.0.autoCreateOrLinkContact'],
      ]);
      expect((await fixture.client().get<Job[]>('jobs')).body).toEqual([]);
    });

    test('adding fails alone for addresses outside the dedicated domain, without a lookup of them (T12)', async () => {
      await allowAdding();
      const elsewhere = await makePerson(context().db, fixture.guest().siteId, {
        email: `known-${fixture.siteId()}@elsewhere.test`,
      });
      const job = await start('invitations', {
        add: [
          { email: elsewhere.email },
          { email: 'nobody@elsewhere.test' },
          { email: fixture.guest().email },
        ],
      });
      await run();
      const [known, unknown, added] = await listItems(job.id);
      expect(known?.reason).toBe(
        'The address does not belong to people.test, the dedicated domain of this site. Invite the person instead',
      );
      expect([unknown?.reason, added?.state]).toEqual([known?.reason, 'done']);
      expect(await getSent()).toBe(1);
    });

    test('needs the capability of each single operation at the start and at every batch', async () => {
      const adder = await makePerson(context().db, fixture.siteId(), {
        capabilities: ['Manage Existing Users'],
      });
      const client = as(context().app, adder, 'console');
      const { email } = fixture.guest();
      const refused = await client.post<ErrorBody>('jobs/invitations', { invite: [{ email, type: 0 }] });
      expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining('Manage Users')]);
      const owner = await makePerson(context().db, fixture.siteId());
      const job = await start(
        'invitations',
        { invite: [{ email, type: 0 }], add: [{ email: 'nobody@people.test' }] },
        as(context().app, owner, 'console'),
      );
      await sql`update user_group set capabilities = '{Manage Existing Users}'
        where site_id = ${fixture.siteId()} and group_id = ${owner.groupId}`.execute(context().db);
      await run();
      const [invited] = await listItems(job.id);
      expect(invited).toMatchObject({
        state: 'failed',
        reason: 'User capabilities are required: Manage Users',
      });
      expect(await fixture.listInvitations()).toEqual([]);
    });
  });

  describe('the limits', () => {
    test('the job waits at the limit of an hour, other jobs run meanwhile, and it goes on when the hour is over', async () => {
      await setSent(195);
      const guests = await makeGuests(12);
      const job = await invite(emailsOf(guests));
      await run();
      const waiting = await read(job.id);
      expect(waiting).toMatchObject({ state: 'waiting', done: 5, failed: 0 });
      expect(waiting.retryReason).toContain('You have sent 200 invitations within an hour');
      expect(Date.parse(waiting.retryDate ?? '')).toBeGreaterThan(Date.now() + HOUR_MS - 60_000);
      const first = await fixture.getNewestInvitation();
      const other = await start('invitationExtensions', { invitationIds: [first.id], days: 3 });
      await run();
      expect([(await read(other.id)).state, (await read(job.id)).done]).toEqual(['finished', 5]);
      await advanceHour();
      await run();
      expect(await read(job.id)).toMatchObject({ state: 'finished', done: 12, failed: 0, retryDate: null });
      const mails = await Promise.all(
        emailsOf(guests).map(async (email) => (await fixture.listMails(email)).length),
      );
      expect(mails).toEqual(guests.map(() => 1));
      expect(await getSent()).toBe(7);
    });

    test('counts addresses without an account, but not what was rolled back (T12)', async () => {
      const job = await invite(Array.from({ length: 30 }, (_, at) => `nobody-${at}@nowhere.test`));
      await run();
      expect([(await read(job.id)).failed, await getSent()]).toEqual([30, 30]);
    });

    test('a person who was mailed five times a day fails alone, and adding that person writes nothing', async () => {
      await allowAdding();
      const [often, other] = await makeGuests(2);
      await sql`insert into throttle values (${`invited:${fixture.siteId()}:${often?.userId}`}, 5, now())`.execute(
        context().db,
      );
      const job = await start('invitations', {
        add: [{ email: often?.email }, { email: other?.email }],
      });
      await run();
      expect(await listOutcomes(job.id)).toEqual([
        [
          often?.email,
          'Add without confirmation',
          'failed',
          'This person was invited or added 5 times within 24 hours. Try again later',
        ],
        [other?.email, 'Add without confirmation', 'done', null],
      ]);
      const { rows } = await sql<{ id: number }>`select user_id as id from membership
        where site_id = ${fixture.siteId()} and user_id in (${often?.userId}, ${other?.userId})`.execute(
        context().db,
      );
      expect(rows).toEqual([{ id: other?.userId }]);
      expect((await fixture.listActions()).filter(([action]) => action === 'user.add-existing')).toHaveLength(
        1,
      );
    });

    test(
      '1,000 people with names in all scripts are invited once each, 200 an hour',
      { timeout: 120_000 },
      async () => {
        const names = [
          'Ada',
          'Ольга',
          '李小龍',
          'محمد',
          'שרה',
          'अनन्या',
          'ธีรพล',
          '김민준',
          'Ægir',
          'Νίκος',
          'e\u0301milie',
        ];
        const { rows } = await sql<{ email: string; name: string }>`
        insert into account (email, email_key, first_name, last_name, home_site_id)
        select e, e, (${names}::text[])[1 + n % ${names.length}], 'of ' || n, ${fixture.guest().siteId}
        from generate_series(1, 1000) n, lateral (select ${`p${fixture.siteId()}-`} || n || '@scripts.test' as e) x
        returning email, first_name as name`.execute(context().db);
        const job = await invite(rows.map(({ email }) => email));
        const done = [];
        for (const _ of [1, 2, 3, 4, 5]) {
          await run();
          done.push((await read(job.id)).done);
          await advanceHour();
        }
        expect(done).toEqual([200, 400, 600, 800, 1000]);
        expect(await read(job.id)).toMatchObject({ state: 'finished', failed: 0 });
        const mails = await context()
          .db.selectFrom('mail')
          .select(['recipient', 'body_text'])
          .where('recipient', 'like', `p${fixture.siteId()}-%`)
          .execute();
        const bodies = new Map(mails.map((mail) => [mail.recipient, mail.body_text]));
        expect([mails.length, bodies.size]).toEqual([1000, 1000]);
        expect(rows.filter(({ email, name }) => !bodies.get(email)?.includes(name))).toEqual([]);
      },
    );
  });

  describe('undo', () => {
    test('revokes the invitations that nobody accepted yet', async () => {
      const [accepts, waits, fails] = [fixture.guest(), ...(await makeGuests(2))];
      await fixture.invite({ email: fails?.email });
      const job = await invite(emailsOf([accepts, ...(waits ? [waits] : []), ...(fails ? [fails] : [])]));
      await run();
      expect((await read(job.id)).undoUntil).not.toBeNull();
      expect((await fixture.accept((await fixture.listTokens())[0])).status).toBe(200);
      const reply = await fixture.client().post<Job>(`jobs/${job.id}/inverse`);
      expect(reply).toMatchObject({
        status: 202,
        body: { kind: 'invitations.revoke', title: 'Revoke 2 invitations', inverseOf: job.id },
      });
      await run();
      expect(await listOutcomes(reply.body.id)).toEqual([
        [accepts.email, 'Ada Okafor', 'conflict', 'Already accepted; remove the user from the site instead'],
        [waits?.email, null, 'done', null],
      ]);
      const states = (await fixture.listInvitations()).map(({ email, status }) => [email, status]);
      expect(Object.fromEntries(states)).toEqual({
        [accepts.email]: 'accepted',
        [waits?.email ?? '']: 'revoked',
        [fails?.email ?? '']: 'pending',
      });
    });

    test('is not offered for people who were added', async () => {
      await allowAdding();
      const job = await start('invitations', { add: [{ email: fixture.guest().email }] });
      await run();
      expect(await read(job.id)).toMatchObject({ done: 1, undoUntil: null });
      expect((await fixture.client().post(`jobs/${job.id}/inverse`)).status).toBe(409);
    });
  });

  test('extends and revokes many; those whose state has changed are conflicts with the reason', async () => {
    const guests = await makeGuests(3);
    const inviting = await invite(emailsOf(guests));
    await run();
    expect((await read(inviting.id)).done).toBe(3);
    const [third, second, first] = await fixture.listInvitations();
    const ids = [first, second, third].map((invitation) => invitation?.id);
    await fixture.client().del(`user/invitations/${second?.id}`);
    const extension = await start('invitationExtensions', {
      invitationIds: [...ids, 2_000_000_000],
      days: 30,
    });
    expect(extension.title).toBe('Extend 4 invitations by 30 days');
    await run();
    expect(await listOutcomes(extension.id)).toEqual([
      [first?.email, null, 'done', null],
      [second?.email, null, 'conflict', 'Revoked; invite them again'],
      [third?.email, null, 'done', null],
      [null, null, 'conflict', 'This invitation no longer exists'],
    ]);
    const [last] = await fixture.listInvitations();
    expect(Date.parse(last?.expiresDate ?? '') - Date.parse(third?.expiresDate ?? '')).toBe(
      30 * 24 * HOUR_MS,
    );
    const tooFar = await start('invitationExtensions', { invitationIds: [first?.id], days: 3650 });
    await run();
    expect((await listItems(tooFar.id))[0]).toMatchObject({
      state: 'failed',
      reason: 'That would move the end to more than 3650 days from now',
    });
    const revocation = await start('invitationRevocations', { invitationIds: [...ids, first?.id] });
    expect(revocation).toMatchObject({ title: 'Revoke 3 invitations', undoUntil: null });
    await run();
    expect(await read(revocation.id)).toMatchObject({ state: 'finished', done: 2, conflicts: 1 });
    expect((await fixture.listActions()).map(([action]) => action).slice(-3)).toEqual([
      'invitation.revoke',
      'invitation.revoke',
      'job.finish',
    ]);
    expect((await fixture.client().post(`jobs/${revocation.id}/inverse`)).status).toBe(409);
  });

  test('deletes the records of many; those still needed are conflicts with the reason', async () => {
    const [left, pending] = await makeGuests(2);
    for (const email of [left?.email, fixture.guest().email, pending?.email])
      await fixture.invite({ email, type: 1, duration: 5 });
    const [last, accepted, revoked] = await fixture.listInvitations();
    await fixture.client().del(`user/invitations/${revoked?.id}`);
    await fixture.accept((await fixture.listTokens())[0]);
    const job = await start('invitationDeletions', {
      invitationIds: [revoked?.id, accepted?.id, last?.id],
    });
    expect(job).toMatchObject({ title: 'Delete 3 records of invitations', undoUntil: null });
    await run();
    expect(await listOutcomes(job.id)).toEqual([
      [revoked?.email, null, 'done', null],
      [accepted?.email, 'Ada Okafor', 'conflict', 'Its temporary membership still lasts'],
      [last?.email, null, 'conflict', 'Still pending; revoke it first'],
    ]);
    expect((await fixture.listInvitations()).map(({ id }) => id)).toEqual([last?.id, accepted?.id]);
  });
});
