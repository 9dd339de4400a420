/** Property test: random sequences of actions on invitations, compared with a model. */
import * as fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { CAN_ACT } from '../../kernel/auth/callers.store.ts';
import { createApiClient, type ApiClient } from '../../testing/calls.ts';
import { as, makePerson, makeSite, onEachApp } from '../../testing/site.ts';
import { runTask } from '../../testing/tasks.ts';
import { membershipExpiryTask } from './membership-expiry.ts';

const HALF_DAY_MS = 12 * 3600_000;
const DAY_MS = 2 * HALF_DAY_MS;
const LINK_MS = 7 * DAY_MS;
const DOMAIN = 'model.example';

type Action =
  | { action: 'invite'; days: number | null }
  | { action: 'accept'; earlier: boolean }
  | { action: 'extend'; days: number }
  | { action: 'advance'; halfDays: number }
  | { action: 'resend' | 'revoke' | 'add' | 'remove' | 'activate' | 'deactivate' | 'runTask' };

// Durations that meet the end dates exactly, stop half a day before them, and exceed them.
const advanceActions = fc
  .constantFrom(1, 2, 3, 13, 14, 15, 28)
  .map((halfDays) => ({ action: 'advance', halfDays }) as const);
const actions: fc.Arbitrary<Action> = fc.oneof(
  {
    arbitrary: fc.constantFrom(null, 1, 7, 14).map((days) => ({ action: 'invite', days }) as const),
    weight: 4,
  },
  { arbitrary: fc.boolean().map((earlier) => ({ action: 'accept', earlier }) as const), weight: 5 },
  { arbitrary: fc.constantFrom(1, 7).map((days) => ({ action: 'extend', days }) as const), weight: 3 },
  { arbitrary: advanceActions, weight: 5 },
  {
    arbitrary: fc
      .constantFrom('resend', 'revoke', 'add', 'remove', 'activate', 'deactivate', 'runTask', 'runTask')
      .map((action) => ({ action }) as const),
    weight: 7,
  },
);

interface Invitation {
  state: 'open' | 'accepted' | 'revoked';
  days: number | null;
  tokens: string[];
  until: number;
  ended: boolean;
}
interface Member {
  active: boolean;
  licensed: boolean;
  endsAt: number | null;
  by: Invitation | null;
}

/** Expected state of one user's invitations and membership, with a clock of its own. */
class Model {
  now = 0;
  invitations: Invitation[] = [];
  member: Member | undefined;

  get newest(): Invitation | undefined {
    return this.invitations.at(-1);
  }
  isPending = (each: Invitation | undefined): boolean => each?.state === 'open' && this.now < each.until;
  getStatus = (each: Invitation): string =>
    each.state !== 'open' ? each.state : this.isPending(each) ? 'pending' : 'expired';
  get mayAct(): boolean {
    const { member } = this;
    return (
      !!member && member.active && member.licensed && (member.endsAt === null || this.now < member.endsAt)
    );
  }

  invite(days: number | null): number {
    if (this.member || this.isPending(this.newest)) return 409;
    this.invitations.push({ state: 'open', days, tokens: [], until: this.now + LINK_MS, ended: false });
    return 200;
  }
  resend(): number {
    const { newest } = this;
    if (!newest) return 404;
    if (newest.state !== 'open' || this.member) return 409;
    newest.until = this.now + LINK_MS;
    return 204;
  }
  revoke(): number {
    const { newest } = this;
    if (!newest) return 404;
    if (!this.isPending(newest)) return 409;
    newest.state = 'revoked';
    return 204;
  }
  accept(isNewest: boolean): number {
    const { newest } = this;
    if (!newest || !isNewest || !this.isPending(newest)) return 404;
    const endsAt = newest.days === null ? null : this.now + newest.days * DAY_MS;
    newest.state = 'accepted';
    this.member = { active: true, licensed: true, endsAt, by: newest };
    return 200;
  }
  extend(days: number): number {
    const { newest, member } = this;
    if (!newest) return 404;
    if (this.isPending(newest)) {
      newest.until += days * DAY_MS;
      return 200;
    }
    if (newest.state !== 'accepted' || member?.by !== newest || newest.days === null) return 409;
    if (newest.ended && member.active) return 409;
    member.endsAt = Math.max(member.endsAt ?? this.now, this.now) + days * DAY_MS;
    if (newest.ended) [member.active, member.licensed, newest.ended] = [true, true, false];
    return 200;
  }
  add(): number {
    if (this.member) return 409;
    if (this.newest && this.isPending(this.newest)) this.newest.state = 'revoked';
    this.member = { active: true, licensed: true, endsAt: null, by: null };
    return 204;
  }
  remove(): number {
    const status = this.member ? 200 : 404;
    this.member = undefined;
    return status;
  }
  activate(active: boolean): number {
    if (!this.member) return 404;
    this.member.active = active;
    return 200;
  }
  runTask(): void {
    const { member } = this;
    if (!member || member.endsAt === null || this.now < member.endsAt) return;
    if (member.by) member.by.ended = true;
    [member.active, member.licensed, member.endsAt] = [false, false, null];
  }
}

const MATCHES = 'matches the model';
const compareStatus = async (expected: number, reply: Promise<{ status: number }>): Promise<string> => {
  const { status } = await reply;
  return status === expected ? MATCHES : `${status}, but the model expects ${expected}`;
};

onEachApp((context) => {
  test('the service behaves like the model', { timeout: 120_000 }, async () => {
    const { db, app, database } = context();
    const elsewhere = await makeSite(db);
    await fc.assert(
      fc.asyncProperty(fc.array(actions, { minLength: 8, maxLength: 24 }), async (plan) => {
        const siteId = await makeSite(db);
        await db
          .updateTable('site')
          .set({ dedicated_domain: DOMAIN, may_manage_existing_users: true })
          .where('site_id', '=', siteId)
          .execute();
        const api = as(app, await makePerson(db, siteId));
        const guest = await makePerson(db, elsewhere, { email: `${crypto.randomUUID()}@${DOMAIN}` });
        const model = new Model();
        for (const planned of plan) {
          // Rate limits are tested elsewhere.
          await sql`delete from throttle`.execute(db);
          expect([planned, await run(api, siteId, guest, model, planned)]).toEqual([planned, MATCHES]);
          await compare(api, siteId, guest.userId, model);
        }
      }),
      { numRuns: database.kind === 'postgres' ? 40 : 15 },
    );
  });

  async function run(
    api: ApiClient,
    siteId: number,
    guest: { userId: number; email: string },
    model: Model,
    planned: Action,
  ): Promise<string> {
    const id = await getNewestId(siteId);
    const { userId, email } = guest;
    const path = `user/invitations/${id}`;
    switch (planned.action) {
      case 'invite': {
        const { days } = planned;
        const body = days === null ? { email, type: 0 } : { email, type: 1, duration: days };
        return compareStatus(model.invite(days), api.post('user/invite', body));
      }
      case 'resend':
        return compareStatus(model.resend(), api.post(`${path}/resend`));
      case 'revoke':
        return compareStatus(model.revoke(), api.del(path));
      case 'extend':
        return compareStatus(model.extend(planned.days), api.post(`${path}/extend`, { days: planned.days }));
      case 'accept': {
        const tokens = await listMailedTokens(siteId, email);
        const token = (planned.earlier ? tokens.at(-2) : tokens.at(-1)) ?? 'x'.repeat(43);
        const anonymous = createApiClient(context().app, '/console', { 'x-steward-console': '1' });
        const expected = model.accept(!planned.earlier && tokens.length > 0);
        return compareStatus(expected, anonymous.post('/api/session/invitation/accept', { token }));
      }
      case 'add':
        return compareStatus(model.add(), api.post('user/addExisting', { email }));
      case 'remove':
        return compareStatus(model.remove(), api.del(`user/${userId}`));
      case 'activate':
      case 'deactivate': {
        const isActive = planned.action === 'activate';
        return compareStatus(model.activate(isActive), api.put('user', { id: userId, isActive }));
      }
      case 'runTask':
        await runTask(membershipExpiryTask({ db: context().db }));
        model.runTask();
        break;
      case 'advance':
        await advanceTime(siteId, planned.halfDays);
        model.now += planned.halfDays * HALF_DAY_MS;
    }
    return MATCHES;
  }

  /** Moves the dates of the site's rows back, as if time had passed. */
  async function advanceTime(siteId: number, halfDays: number): Promise<void> {
    const back = sql`make_interval(hours => 12 * ${halfDays}::int)`;
    await sql`update invitation set created_at = created_at - ${back}, expires_at = expires_at - ${back},
      accepted_at = accepted_at - ${back}, revoked_at = revoked_at - ${back}, ended_at = ended_at - ${back}
      where site_id = ${siteId}`.execute(context().db);
    await sql`update membership set expires_at = expires_at - ${back} where site_id = ${siteId}`.execute(
      context().db,
    );
  }

  async function getNewestId(siteId: number): Promise<number> {
    const { rows } = await sql<{ id: number | null }>`
      select max(invitation_id) as id from invitation where site_id = ${siteId}`.execute(context().db);
    return rows[0]?.id ?? 2_147_483_647;
  }

  async function listMailedTokens(siteId: number, email: string): Promise<string[]> {
    const mails = await context()
      .db.selectFrom('mail')
      .select('body_text')
      .where('site_id', '=', siteId)
      .where('recipient', '=', email)
      .orderBy('mail_id')
      .execute();
    return mails.flatMap((mail) => /\/invitation#([\w-]+)/.exec(mail.body_text)?.[1] ?? []);
  }

  async function compare(api: ApiClient, siteId: number, userId: number, model: Model): Promise<void> {
    const list = (await api.get<{ status: string }[]>('user/invitations?pageSize=1000')).body;
    expect(list.map(({ status }) => status)).toEqual(model.invitations.map(model.getStatus).toReversed());
    const { rows } = await sql<{ active: boolean; licensed: boolean; acts: boolean }>`
      select m.is_active as active, m.license_type_id <> 4 as licensed, ${CAN_ACT} as acts
      from membership m where site_id = ${siteId} and user_id = ${userId}`.execute(context().db);
    const { member } = model;
    expect(rows).toEqual(
      member ? [{ active: member.active, licensed: member.licensed, acts: model.mayAct }] : [],
    );
  }
});
