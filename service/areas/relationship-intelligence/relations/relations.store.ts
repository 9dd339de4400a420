import { sql } from 'kysely';
import type {
  Relationship,
  RelationshipPage,
  ScoreReason,
} from '../../../../contract/generated/types.gen.ts';
import type { Db } from '../../../kernel/db/database.ts';
import type { Page } from '../../../kernel/db/list-page.ts';
import { pluralize } from '../../../kernel/numbers.ts';
import { findEntriesById, listMergedIds } from '../../entries/index.ts';

/** Which relationships to list. */
interface RelationFilter {
  userId?: number;
  address?: string;
  domain?: string;
  entryId?: number;
}

interface StoredRelation extends Omit<Relationship, 'reasons' | 'firstDate' | 'lastDate' | 'entryTypeId'> {
  firstDate: Date;
  lastDate: Date;
  recent: number;
  emails: number;
  mutual: number;
  meetingPoints: number;
  lasting: number;
  daysSince: number;
  months: number;
}

/** Days since the last contact, not negative. */
const DAYS_SINCE = sql`greatest(0, extract(epoch from now() - r.last_at) / 86400)`;
const MONTHS = sql`(extract(epoch from r.last_at - r.first_at) / 2629800)`;

/**
 * Parts of the score, at most 100 in total (docs/relationship-intelligence.md): up to 30 for a contact today, halved every 30 days; up to
 * 25 for the number of e-mails, doubling from one step to the next; up to 15 for the balance of both directions; up to 20 for
 * meetings; 1 for each month between first and last contact, up to 10.
 */
const POINTS = sql`round(30 * power(0.5, ${DAYS_SINCE} / 30))::int as recent,
  least(25, round(5 * log(2, (1 + r.sent + r.received)::numeric)))::int as emails,
  case when r.sent > 0 and r.received > 0
    then round(15.0 * least(r.sent, r.received) / greatest(r.sent, r.received))::int else 0 end as mutual,
  least(20, round(8 * log(2, (1 + r.meetings)::numeric)))::int as meeting_points,
  least(10, floor(${MONTHS}))::int as lasting`;

/** A page of relationships, the strongest first. */
export async function listRelations(
  db: Db,
  siteId: number,
  { userId, address, domain, entryId }: RelationFilter,
  page: Page,
): Promise<RelationshipPage> {
  const entryIds = entryId === undefined ? undefined : await listMergedIds(db, siteId, entryId);
  const conditions = sql`r.site_id = ${siteId}
    ${userId === undefined ? sql`` : sql`and r.user_id = ${userId}`}
    ${address === undefined ? sql`` : sql`and r.address = ${address.toLowerCase()}`}
    ${domain === undefined ? sql`` : sql`and right(r.address, ${domain.length + 1}) in (${`@${domain.toLowerCase()}`}, ${`.${domain.toLowerCase()}`})`}
    ${entryIds === undefined ? sql`` : sql`and r.entry_id = any(${entryIds}::int[])`}`;
  const { rows: counts } = await sql<{ n: number }>`
    select count(*)::int as n from ri_relation r where ${conditions}`.execute(db);
  const { rows } = await sql<StoredRelation>`
    select x.user_id as "userId", case when m.user_id is not null then a.first_name || ' ' || a.last_name end as "userName",
      x.address, x.name, x.first_at as "firstDate", x.last_at as "lastDate", x.sent, x.received, x.meetings, x.entry_id as "entryId",
      x.recent, x.emails, x.mutual, x.meeting_points as "meetingPoints", x.lasting, x.score,
      floor(${sql`greatest(0, extract(epoch from now() - x.last_at) / 86400)`})::int as "daysSince",
      floor(extract(epoch from x.last_at - x.first_at) / 2629800)::int as months
    from (select p.*, recent + emails + mutual + meeting_points + lasting as score
      from (select r.*, ${POINTS} from ri_relation r where ${conditions}) as p
      order by score desc, user_id, address limit ${page.limit} offset ${page.offset}) as x
    left join account a on a.user_id = x.user_id
    left join membership m on m.site_id = ${siteId} and m.user_id = x.user_id
    order by x.score desc, x.user_id, x.address`.execute(db);
  const entries = await findLinkedEntries(
    db,
    siteId,
    rows.flatMap((row) => row.entryId ?? []),
  );
  return {
    totalCount: counts[0]?.n ?? 0,
    relationships: rows.map((row) =>
      toRelationship(row, row.entryId === null ? undefined : entries.get(row.entryId)),
    ),
  };
}

interface LinkedEntry {
  id: number;
  entryListId: number;
}

/** The entries to which relationships are linked, or those that they were merged into, by the linked id; deleted ones are left out. */
export async function findLinkedEntries(
  db: Db,
  siteId: number,
  linkedIds: readonly number[],
): Promise<Map<number, LinkedEntry>> {
  if (linkedIds.length === 0) return new Map();
  const found = await findEntriesById(db, siteId, [...new Set(linkedIds)]);
  return new Map(
    found.flatMap((entry): [number, LinkedEntry][] => {
      if (entry.deletedAt === null) return [[entry.id, entry]];
      return entry.survivor && !entry.survivor.isDeleted ? [[entry.id, entry.survivor]] : [];
    }),
  );
}

function toRelationship(relation: StoredRelation, entry: LinkedEntry | undefined): Relationship {
  const { recent, emails, mutual, meetingPoints, lasting, daysSince, months, ...rest } = relation;
  const { sent, received, meetings } = rest;
  const reasons: ScoreReason[] = [
    {
      code: 'RECENT',
      points: recent,
      text:
        daysSince === 0 ? 'Last contact today' : `Last contact ${pluralize(daysSince, 'day', 'days')} ago`,
    },
    { code: 'EMAILS', points: emails, text: pluralize(sent + received, 'e-mail', 'e-mails') },
    { code: 'MUTUAL', points: mutual, text: `${sent} sent and ${received} received` },
    { code: 'MEETINGS', points: meetingPoints, text: pluralize(meetings, 'meeting', 'meetings') },
    { code: 'LASTING', points: lasting, text: `In contact for ${pluralize(months, 'month', 'months')}` },
  ];
  return {
    ...rest,
    entryId: entry?.id ?? null,
    entryTypeId: entry?.entryListId ?? null,
    firstDate: rest.firstDate.toISOString(),
    lastDate: rest.lastDate.toISOString(),
    reasons: reasons.filter(({ points }) => points > 0),
  };
}
