/** Whatever is done with invitations, in whatever order and whenever, a small model says what comes of it. */
import * as fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { MAY_ACT } from '../../kernel/auth/store.ts';
import { callsWith, type Calls } from '../../testing/calls.ts';
import { as, makePerson, makeSite, onEachApp, services } from '../../testing/site.ts';
import { endsChore } from './ends.ts';

const HALF_DAY = 12 * 3600_000;
const DAY = 2 * HALF_DAY;
const LINK = 7 * DAY;
const DOMAIN = 'model.example';

type Deed =
  | { deed: 'invite'; days: number | null }
  | { deed: 'accept'; earlier: boolean }
  | { deed: 'extend'; days: number }
  | { deed: 'pass'; halfDays: number }
  | { deed: 'resend' | 'revoke' | 'add' | 'remove' | 'activate' | 'deactivate' | 'sweep' };

// Times that meet the ends exactly, stop half a day short of them, and go well beyond.
const passing = fc
  .constantFrom(1, 2, 3, 13, 14, 15, 28)
  .map((halfDays) => ({ deed: 'pass', halfDays }) as const);
const deeds: fc.Arbitrary<Deed> = fc.oneof(
  {
    arbitrary: fc.constantFrom(null, 1, 7, 14).map((days) => ({ deed: 'invite', days }) as const),
    weight: 4,
  },
  { arbitrary: fc.boolean().map((earlier) => ({ deed: 'accept', earlier }) as const), weight: 5 },
  { arbitrary: fc.constantFrom(1, 7).map((days) => ({ deed: 'extend', days }) as const), weight: 3 },
  { arbitrary: passing, weight: 5 },
  {
    arbitrary: fc
      .constantFrom('resend', 'revoke', 'add', 'remove', 'activate', 'deactivate', 'sweep', 'sweep')
      .map((deed) => ({ deed }) as const),
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

/** What the invitations and the membership of one person should be, at a time of its own. */
class Model {
  now = 0;
  invitations: Invitation[] = [];
  member: Member | undefined;

  get newest(): Invitation | undefined {
    return this.invitations.at(-1);
  }
  isPending = (each: Invitation | undefined): boolean => each?.state === 'open' && this.now < each.until;
  statusOf = (each: Invitation): string =>
    each.state !== 'open' ? each.state : this.isPending(each) ? 'pending' : 'expired';
  get mayAct(): boolean {
    const { member } = this;
    return (
      !!member && member.active && member.licensed && (member.endsAt === null || this.now < member.endsAt)
    );
  }

  invite(days: number | null): number {
    if (this.member || this.isPending(this.newest)) return 409;
    this.invitations.push({ state: 'open', days, tokens: [], until: this.now + LINK, ended: false });
    return 200;
  }
  resend(): number {
    const { newest } = this;
    if (!newest) return 404;
    if (newest.state !== 'open' || this.member) return 409;
    newest.until = this.now + LINK;
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
    const endsAt = newest.days === null ? null : this.now + newest.days * DAY;
    newest.state = 'accepted';
    this.member = { active: true, licensed: true, endsAt, by: newest };
    return 200;
  }
  extend(days: number): number {
    const { newest, member } = this;
    if (!newest) return 404;
    if (this.isPending(newest)) {
      newest.until += days * DAY;
      return 200;
    }
    if (newest.state !== 'accepted' || member?.by !== newest || newest.days === null) return 409;
    if (newest.ended && member.active) return 409;
    member.endsAt = Math.max(member.endsAt ?? this.now, this.now) + days * DAY;
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
  sweep(): void {
    const { member } = this;
    if (!member || member.endsAt === null || this.now < member.endsAt) return;
    if (member.by) member.by.ended = true;
    [member.active, member.licensed, member.endsAt] = [false, false, null];
  }
}

const FITS = 'as the model says';
const agree = async (expected: number, reply: Promise<{ status: number }>): Promise<string> => {
  const { status } = await reply;
  return status === expected ? FITS : `${status}, where the model says ${expected}`;
};

onEachApp((house) => {
  test('the service does what the model says', { timeout: 120_000 }, async () => {
    const { db, app, database } = house();
    const elsewhere = await makeSite(db);
    await fc.assert(
      fc.asyncProperty(fc.array(deeds, { minLength: 8, maxLength: 24 }), async (plan) => {
        const siteId = await makeSite(db);
        await db
          .updateTable('site')
          .set({ dedicated_domain: DOMAIN, may_manage_existing_users: true })
          .where('site_id', '=', siteId)
          .execute();
        const api = as(app, await makePerson(db, siteId));
        const guest = await makePerson(db, elsewhere, { email: `${crypto.randomUUID()}@${DOMAIN}` });
        const model = new Model();
        for (const step of plan) {
          // How often anything may be done is another test's.
          await sql`delete from throttle`.execute(db);
          expect([step, await run(api, siteId, guest, model, step)]).toEqual([step, FITS]);
          await compare(api, siteId, guest.userId, model);
        }
      }),
      { numRuns: database.kind === 'postgres' ? 40 : 15 },
    );
  });

  async function run(
    api: Calls,
    siteId: number,
    guest: { userId: number; email: string },
    model: Model,
    step: Deed,
  ): Promise<string> {
    const id = await newestId(siteId);
    const { userId, email } = guest;
    const path = `user/invitations/${id}`;
    switch (step.deed) {
      case 'invite': {
        const { days } = step;
        const body = days === null ? { email, type: 0 } : { email, type: 1, duration: days };
        return agree(model.invite(days), api.post('user/invite', body));
      }
      case 'resend':
        return agree(model.resend(), api.post(`${path}/resend`));
      case 'revoke':
        return agree(model.revoke(), api.del(path));
      case 'extend':
        return agree(model.extend(step.days), api.post(`${path}/extend`, { days: step.days }));
      case 'accept': {
        const tokens = await mailedTokens(siteId, email);
        const token = (step.earlier ? tokens.at(-2) : tokens.at(-1)) ?? 'x'.repeat(43);
        const visitor = callsWith(house().app, '/console', { 'x-steward-console': '1' });
        const expected = model.accept(!step.earlier && tokens.length > 0);
        return agree(expected, visitor.post('/api/session/invitation/accept', { token }));
      }
      case 'add':
        return agree(model.add(), api.post('user/addExisting', { email }));
      case 'remove':
        return agree(model.remove(), api.del(`user/${userId}`));
      case 'activate':
      case 'deactivate': {
        const isActive = step.deed === 'activate';
        return agree(model.activate(isActive), api.put('user', { id: userId, isActive }));
      }
      case 'sweep':
        await endsChore({ db: house().db, services }).run();
        model.sweep();
        break;
      case 'pass':
        await pass(siteId, step.halfDays);
        model.now += step.halfDays * HALF_DAY;
    }
    return FITS;
  }

  /** Time has passed for this site: its rows are older, by the clock of the database. */
  async function pass(siteId: number, halfDays: number): Promise<void> {
    const back = sql`make_interval(hours => 12 * ${halfDays}::int)`;
    await sql`update invitation set created_at = created_at - ${back}, expires_at = expires_at - ${back},
      accepted_at = accepted_at - ${back}, revoked_at = revoked_at - ${back}, ended_at = ended_at - ${back}
      where site_id = ${siteId}`.execute(house().db);
    await sql`update membership set expires_at = expires_at - ${back} where site_id = ${siteId}`.execute(
      house().db,
    );
  }

  async function newestId(siteId: number): Promise<number> {
    const { rows } = await sql<{ id: number | null }>`
      select max(invitation_id) as id from invitation where site_id = ${siteId}`.execute(house().db);
    return rows[0]?.id ?? 2_147_483_647;
  }

  async function mailedTokens(siteId: number, email: string): Promise<string[]> {
    const mails = await house()
      .db.selectFrom('mail')
      .select('body_text')
      .where('site_id', '=', siteId)
      .where('recipient', '=', email)
      .orderBy('mail_id')
      .execute();
    return mails.flatMap((mail) => /\/invitation#([\w-]+)/.exec(mail.body_text)?.[1] ?? []);
  }

  async function compare(api: Calls, siteId: number, userId: number, model: Model): Promise<void> {
    const list = (await api.get<{ status: string }[]>('user/invitations?pageSize=1000')).body;
    expect(list.map(({ status }) => status)).toEqual(model.invitations.map(model.statusOf).toReversed());
    const { rows } = await sql<{ active: boolean; licensed: boolean; acts: boolean }>`
      select m.is_active as active, m.license_type_id <> 4 as licensed, ${MAY_ACT} as acts
      from membership m where site_id = ${siteId} and user_id = ${userId}`.execute(house().db);
    const { member } = model;
    expect(rows).toEqual(
      member ? [{ active: member.active, licensed: member.licensed, acts: model.mayAct }] : [],
    );
  }
});
