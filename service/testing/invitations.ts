/** Fixture of invitation tests: an administrator of a site and a guest, a user of another site who is invited. */
import { sql } from 'kysely';
import { beforeEach, expect } from 'vitest';
import type {
  AcceptedInvitation,
  InvitationInfoResponse,
  ReceivedInvitation,
  UserInfoResponse,
} from '../../contract/generated/types.gen.ts';
import { membershipExpiryTask } from '../areas/invitations/index.ts';
import type { Db } from '../kernel/db/database.ts';
import { createApiClient, type ApiClient, type ErrorBody, type Reply } from './calls.ts';
import { as, makePerson, makeSite, type AppContext, type Person } from './site.ts';
import { runTask } from './tasks.ts';

export const DAY = 24 * 3600_000;

const interval = (ms: number) => sql`make_interval(secs => ${ms / 1000})`;

/** Creates an entry of the site to which users can be linked. */
export async function makeContact(db: Db, siteId: number): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into entry (site_id, type_id) values (${siteId}, 1) returning entry_id as id`.execute(db);
  return rows[0]?.id ?? 0;
}

/** Administrator and guest are new for each test. Call the functions inside tests and hooks. */
export function setUpInvitations(context: () => AppContext) {
  let siteId = 0;
  let admin: Person;
  let guest: Person;
  let client: ApiClient;
  beforeEach(async () => {
    const { db, app } = context();
    siteId = await makeSite(db);
    admin = await makePerson(db, siteId);
    guest = await makePerson(db, await makeSite(db));
    client = as(app, admin);
    // All requests come from one address.
    await sql`delete from throttle`.execute(db);
  });

  const anonymous = () => createApiClient(context().app, '/console', { 'x-steward-console': '1' });
  const invite = (more: object = {}, calls = client) =>
    calls.post<ErrorBody>('user/invite', { email: guest.email, type: 0, ...more });
  const listInvitations = async (query = '') =>
    (await client.get<InvitationInfoResponse[]>(`user/invitations${query}`)).body;
  const getNewestInvitation = async () => {
    const [first] = await listInvitations('?pageSize=1');
    if (!first) throw new Error('There is an invitation');
    return first;
  };
  const listMails = (to = guest.email) =>
    context().db.selectFrom('mail').selectAll().where('recipient', '=', to).orderBy('mail_id').execute();
  /** The tokens of the links mailed to the guest, oldest first. */
  const listTokens = async () =>
    (await listMails()).flatMap((mail) => /\/invitation#([\w-]+)/.exec(mail.body_text)?.[1] ?? []);

  const listAuditRows = () =>
    context()
      .db.selectFrom('audit_log')
      .select(['action', 'actor_id', 'subject_type', 'subject_id', 'changes'])
      .where('site_id', '=', siteId)
      .orderBy('audit_id')
      .execute();

  return {
    siteId: () => siteId,
    admin: () => admin,
    guest: () => guest,
    client: () => client,
    invite,
    listInvitations,
    getNewestInvitation,
    listMails,
    listTokens,
    /** Invites the guest and returns the token of the link. */
    inviteAndGetToken: async (more: object = {}): Promise<string> => {
      expect((await invite(more)).status).toBe(200);
      return (await listTokens()).at(-1) ?? '';
    },
    inspect: (token: string | undefined): Promise<Reply<ReceivedInvitation>> =>
      anonymous().post('/api/session/invitation', { token }),
    accept: (token: string | undefined): Promise<Reply<AcceptedInvitation & ErrorBody>> =>
      anonymous().post('/api/session/invitation/accept', { token }),
    resend: async (id?: number): Promise<number> =>
      (await client.post(`user/invitations/${id ?? (await getNewestInvitation()).id}/resend`)).status,
    listSubjects: async (to = guest.email) =>
      (await listMails(to)).map(({ subject }) => subject.replace(/ site-\w+/, '')),
    listAuditRows,
    /** The audited actions on the site with their authors, oldest first. */
    listActions: async () =>
      (await listAuditRows()).map(({ action, actor_id: actor }) => [action, actor] as const),
    /** The guest as a user of the site. */
    getGuest: async () => (await client.get<UserInfoResponse>(`user/${guest.userId}`)).body,
    getGuestLicense: async () =>
      (await client.get<{ licenseTypeId: number }>(`userLicense/${guest.userId}`)).body.licenseTypeId,
    /** Moves the dates of invitations and rate limits back, as if time had passed. */
    advanceInvitations: async (ms: number): Promise<void> => {
      const back = interval(ms);
      await sql`update invitation set created_at = created_at - ${back}, expires_at = expires_at - ${back},
        accepted_at = accepted_at - ${back}, revoked_at = revoked_at - ${back} where site_id = ${siteId}`.execute(
        context().db,
      );
      await sql`update throttle set window_started_at = window_started_at - ${back}`.execute(context().db);
    },
    /** Moves the end of the guest's membership back, as if time had passed. */
    advanceMembership: async (ms: number): Promise<void> => {
      await sql`update membership set expires_at = expires_at - ${interval(ms)}
        where site_id = ${siteId} and user_id = ${guest.userId}`.execute(context().db);
    },
    runExpiryTask: () => runTask(membershipExpiryTask({ db: context().db })),
  };
}
