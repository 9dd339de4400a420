/** An administrator of a site and somebody of another one, who is invited. */
import { sql } from 'kysely';
import { beforeEach, expect } from 'vitest';
import type {
  AcceptedInvitation,
  InvitationInfoResponse,
  ReceivedInvitation,
  UserInfoResponse,
} from '../../contract/generated/types.gen.ts';
import { endsChore } from '../areas/invitations/index.ts';
import type { Db } from '../kernel/db/database.ts';
import { callsWith, type Calls, type Refusal, type Reply } from './calls.ts';
import { as, makePerson, makeSite, type House, type Person } from './site.ts';

export const DAY = 24 * 3600_000;

const interval = (ms: number) => sql`make_interval(secs => ${ms / 1000})`;

/** An entry of the site, for people to be linked with. */
export async function makeContact(db: Db, siteId: number): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into entry (site_id, type_id) values (${siteId}, 1) returning entry_id as id`.execute(db);
  return rows[0]?.id ?? 0;
}

/** Both are new for each test. Call the functions inside tests and hooks. */
export function invitationParty(house: () => House) {
  let siteId = 0;
  let admin: Person;
  let guest: Person;
  let api: Calls;
  beforeEach(async () => {
    const { db, app } = house();
    siteId = await makeSite(db);
    admin = await makePerson(db, siteId);
    guest = await makePerson(db, await makeSite(db));
    api = as(app, admin);
    // Everybody here comes from one address.
    await sql`delete from throttle`.execute(db);
  });

  const visitor = () => callsWith(house().app, '/console', { 'x-steward-console': '1' });
  const invite = (more: object = {}, calls = api) =>
    calls.post<Refusal>('user/invite', { email: guest.email, type: 0, ...more });
  const list = async (query = '') =>
    (await api.get<InvitationInfoResponse[]>(`user/invitations${query}`)).body;
  const newest = async () => {
    const [first] = await list('?pageSize=1');
    if (!first) throw new Error('There is an invitation');
    return first;
  };
  const mails = (to = guest.email) =>
    house().db.selectFrom('mail').selectAll().where('recipient', '=', to).orderBy('mail_id').execute();
  /** The secrets of the links mailed to the guest, the first one first. */
  const tokens = async () =>
    (await mails()).flatMap((mail) => /\/invitation#([\w-]+)/.exec(mail.body_text)?.[1] ?? []);

  const audit = () =>
    house()
      .db.selectFrom('audit_log')
      .select(['action', 'actor_id', 'subject_type', 'subject_id', 'changes'])
      .where('site_id', '=', siteId)
      .orderBy('audit_id')
      .execute();

  return {
    siteId: () => siteId,
    admin: () => admin,
    guest: () => guest,
    api: () => api,
    invite,
    list,
    newest,
    mails,
    tokens,
    /** Invites the guest and returns the secret of the link. */
    invited: async (more: object = {}): Promise<string> => {
      expect((await invite(more)).status).toBe(200);
      return (await tokens()).at(-1) ?? '';
    },
    inspect: (token: string | undefined): Promise<Reply<ReceivedInvitation>> =>
      visitor().post('/api/session/invitation', { token }),
    accept: (token: string | undefined): Promise<Reply<AcceptedInvitation & Refusal>> =>
      visitor().post('/api/session/invitation/accept', { token }),
    resend: async (id?: number): Promise<number> =>
      (await api.post(`user/invitations/${id ?? (await newest()).id}/resend`)).status,
    subjects: async (to = guest.email) =>
      (await mails(to)).map(({ subject }) => subject.replace(/ site-\w+/, '')),
    audit,
    /** What was done on the site, and by whom, the first deed first. */
    actions: async () => (await audit()).map(({ action, actor_id: actor }) => [action, actor] as const),
    /** The guest as a user of the site. */
    member: async () => (await api.get<UserInfoResponse>(`user/${guest.userId}`)).body,
    license: async () =>
      (await api.get<{ licenseTypeId: number }>(`userLicense/${guest.userId}`)).body.licenseTypeId,
    /** So much time has passed for the links of this site and for what is counted. */
    pass: async (ms: number): Promise<void> => {
      const back = interval(ms);
      await sql`update invitation set created_at = created_at - ${back}, expires_at = expires_at - ${back},
        accepted_at = accepted_at - ${back}, revoked_at = revoked_at - ${back} where site_id = ${siteId}`.execute(
        house().db,
      );
      await sql`update throttle set window_started_at = window_started_at - ${back}`.execute(house().db);
    },
    /** So much time has passed for the guest's membership. */
    passMember: async (ms: number): Promise<void> => {
      await sql`update membership set expires_at = expires_at - ${interval(ms)}
        where site_id = ${siteId} and user_id = ${guest.userId}`.execute(house().db);
    },
    sweep: () => endsChore({ db: house().db, services: { wakeMail: () => {} } }).run(),
  };
}
