import { sql, type Transaction } from 'kysely';
import { LINK_DAYS } from '../../../contract/rules/invitations.ts';
import type { Tables } from '../../kernel/db/tables.ts';
import { newSecret } from '../../kernel/secret.ts';
import { PARTNERS } from './groups.ts';
import type { Site } from './store.ts';

type Tx = Transaction<Tables>;

const DAY = 24 * 3600_000;

/** People of the first site's firm who began on the neighbouring site: they can be added without confirmation. */
const SECONDED = [
  ['Ines', 'Varga'],
  ['Tomas', 'Lindqvist'],
  ['Amara', 'Diallo'],
] as const;

/** Days before the day of the sample on which things happened; of those that did not, undefined. */
interface Story {
  sent: number;
  accepted?: number;
  revoked?: number;
  duration?: number;
}
const STORIES: readonly Story[] = [
  { sent: 2, duration: 30 },
  { sent: 1 },
  { sent: 20 },
  { sent: 9, revoked: 8 },
];
/** Ends 20 days after the day of the sample. */
const TEMPORARY: Story = { sent: 72, accepted: 70, duration: 90 };

/**
 * The first site invites people of its neighbour: some wait, one did not answer in time, one was revoked, and one is a
 * member for a while. It may add those of its own domain without asking them.
 */
export async function writeInvitations(
  tx: Tx,
  { site, neighbour, asOf }: { site: Site; neighbour: Site; asOf: Date },
): Promise<void> {
  await tx
    .updateTable('site')
    .set({ may_manage_existing_users: true })
    .where('site_id', '=', site.siteId)
    .execute();
  await writeSeconded(tx, site, neighbour, asOf);
  const { rows: guests } = await sql<Guest>`
    select user_id as "userId", email, email_key as "emailKey" from account a
    where home_site_id = ${neighbour.siteId} and split_part(email_key, '@', 2) <> ${`${site.slug}.example`}
      and not exists (select 1 from membership m where m.site_id = ${site.siteId} and m.user_id = a.user_id)
    order by user_id limit ${STORIES.length}`.execute(tx);
  for (const [at, guest] of guests.entries()) {
    const story = STORIES[at];
    // oxlint-disable-next-line no-await-in-loop -- a handful, in order
    if (story) await writeInvitation(tx, site, guest, story, asOf);
  }
  await writeTemporary(tx, site, neighbour, asOf);
}

interface Guest {
  userId: number;
  email: string;
  emailKey: string;
}

const before = (asOf: Date, days: number) => new Date(asOf.getTime() - days * DAY);

async function writeInvitation(tx: Tx, site: Site, guest: Guest, story: Story, asOf: Date): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into invitation (site_id, user_id, email, email_key, type, duration_days, invited_by, token_hash, created_at,
      expires_at, accepted_at, revoked_at)
    values (${site.siteId}, ${guest.userId}, ${guest.email}, ${guest.emailKey}, ${story.duration === undefined ? 0 : 1}::smallint,
      ${story.duration ?? null}::int, (select min(user_id) from membership where site_id = ${site.siteId}),
      ${newSecret().hash}, ${before(asOf, story.sent)}, ${before(asOf, story.sent - LINK_DAYS)},
      ${story.accepted === undefined ? null : before(asOf, story.accepted)}::timestamptz,
      ${story.revoked === undefined ? null : before(asOf, story.revoked)}::timestamptz)
    returning invitation_id as id`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error('An inserted row is answered');
  return row.id;
}

/** One of the people of both sites is on the first one for a while only; nobody who administers it. */
async function writeTemporary(tx: Tx, site: Site, neighbour: Site, asOf: Date): Promise<void> {
  const { rows } = await sql<Guest>`
    select a.user_id as "userId", a.email, a.email_key as "emailKey" from membership here
    join membership there on there.site_id = ${neighbour.siteId} and there.user_id = here.user_id
    join account a on a.user_id = here.user_id
    where here.site_id = ${site.siteId} and here.is_active and not exists (
      select 1 from group_member gm join user_group g using (site_id, group_id)
      where gm.site_id = here.site_id and gm.user_id = here.user_id and 'Manage Users' = any(g.capabilities))
    order by a.email_key like '%@partner.example' desc, a.user_id desc limit 1`.execute(tx);
  const [guest] = rows;
  if (!guest) return;
  const id = await writeInvitation(tx, site, guest, TEMPORARY, asOf);
  const { accepted = 0, duration = 0 } = TEMPORARY;
  await tx
    .updateTable('membership')
    .set({ invitation_id: id, expires_at: before(asOf, accepted - duration) })
    .where('site_id', '=', site.siteId)
    .where('user_id', '=', guest.userId)
    .execute();
}

async function writeSeconded(tx: Tx, site: Site, neighbour: Site, asOf: Date): Promise<void> {
  const emails = SECONDED.map(([first, last]) => `${first}.${last}@${site.slug}.example`.toLowerCase());
  await sql`
    with made as (
      insert into account (email, email_key, first_name, last_name, home_site_id, created_at, modified_at)
      select email, email, first, last, ${neighbour.siteId}, ${before(asOf, 200)}, ${before(asOf, 200)}
      from unnest(${emails}::text[], ${SECONDED.map(([first]) => first)}::text[], ${SECONDED.map(([, last]) => last)}::text[])
        with ordinality as person (email, first, last, place) order by place
      on conflict (email_key) do nothing returning user_id),
    joined as (
      insert into membership (site_id, user_id, license_type_id, created_at, modified_at)
      select ${neighbour.siteId}, user_id, 2, ${before(asOf, 200)}, ${before(asOf, 200)} from made returning user_id)
    insert into group_member (site_id, group_id, user_id)
    select g.site_id, g.group_id, joined.user_id from joined, user_group g
    where g.site_id = ${neighbour.siteId} and g.name = ${PARTNERS}`.execute(tx);
}
