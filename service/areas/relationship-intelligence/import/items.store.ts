import { sql, type RawBuilder } from 'kysely';
import type { ImportKind } from '../../../../contract/generated/types.gen.ts';
import { copyRows, type Db, executeLater, type Tx, withSavepoint } from '../../../kernel/db/database.ts';
import { dbErrorCodes, getDbError } from '../../../kernel/db/driver/errors.ts';
import type { AddressRules } from './addresses.ts';
import type { CopyBatch } from './copy-batch.ts';
import type { EnabledUser, ItemBatch } from './item-reader.ts';

/** ri_item.kind. */
export const KIND_NUMBER: Record<ImportKind, number> = { emails: 1, meetings: 2 };

/** The users and address rules that an import needs, read at once. */
export async function loadImportState(
  db: Db,
  siteId: number,
): Promise<{ users: EnabledUser[]; rules: Omit<AddressRules, 'internalDomains'> }> {
  const { rows } = await sql<{ users: EnabledUser[]; addresses: string; exclusions: string[] }>`
    select coalesce((select jsonb_agg(jsonb_build_object('userId', u.user_id, 'address', a.email_key,
        'isHistoryComplete', u.history_completed_at is not null))
      from ri_user u join account a using (user_id) where u.site_id = ${siteId} and u.is_enabled), '[]') as users,
      coalesce((select string_agg(a.email_key, chr(10)) from membership m join account a using (user_id)
        where m.site_id = ${siteId}), '') as addresses,
      coalesce((select array_agg(value) from ri_exclusion where site_id = ${siteId}), '{}') as exclusions`.execute(
    db,
  );
  const [state] = rows;
  if (!state) throw new Error('The state of the site was not read');
  return {
    users: state.users,
    rules: { exclusions: state.exclusions, userAddresses: state.addresses.split('\n') },
  };
}

/** The last erasure of the site; 0 before the first. Erasures lock the settings of the site, so that their ids are in the order of their commits. */
export async function findLastErasure(db: Db | Tx, siteId: number): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select coalesce(max(erasure_id), 0) as id from ri_erasure where site_id = ${siteId}`.execute(db);
  return rows[0]?.id ?? 0;
}

/** What a statement did with the rows of a batch. */
export interface BatchResult {
  /** Number of added items by the user whose request added them. */
  added: { userId: number; count: number }[];
  /** Keys of items that were stored before with other content. */
  differing: string[];
}

const LINE_FEED = sql`chr(10)`;

const buildStage = (rows: ItemBatch): RawBuilder<unknown> => sql`
  select * from unnest(${rows.keys}::uuid[], ${rows.users}::int[], ${rows.times}::timestamptz[], ${rows.modified}::timestamptz[],
    ${rows.contents}::uuid[], ${rows.addresses}::text[], ${rows.isFirst}::boolean[], ${rows.directions}::smallint[],
    ${rows.counterparts}::text[], ${rows.names}::text[])
    as s(item_key, user_id, at, modified_at, content, addresses, is_first, direction, counterparts, names)`;

/** Adds what was inserted to the relationship that exists already. A contact is looked for again if there is none. */
const RAISE_RELATION = sql`on conflict (site_id, user_id, address) do update set
  name = case when excluded.last_at >= r.last_at then coalesce(excluded.name, r.name) else coalesce(r.name, excluded.name) end,
  first_at = least(r.first_at, excluded.first_at), last_at = greatest(r.last_at, excluded.last_at),
  sent = r.sent + excluded.sent, received = r.received + excluded.received, meetings = r.meetings + excluded.meetings,
  contact_at = case when r.entry_id is null then null else r.contact_at end`;

/**
 * Makes the contacts of relationships be looked for again if they were deleted. `selectPairs` selects user ids with addresses. A statement of
 * its own: Citus takes no other table within `on conflict`.
 */
const buildContactReset = (siteId: number, selectPairs: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  update ri_relation r set contact_at = null from (${selectPairs}) as s(user_id, address)
  where r.site_id = ${siteId} and r.user_id = s.user_id and r.address = s.address and r.entry_id is not null and r.contact_at is not null
    and not exists (select from entry e where e.site_id = ${siteId} and e.entry_id = r.entry_id)`;

/**
 * Stores the items of a batch, the users who have them, and what they add to relationships. An item that is stored already is kept,
 * and counts for a relationship only if the user did not have it.
 */
export async function storeItems(
  tx: Tx,
  { siteId, kind }: { siteId: number; kind: ImportKind },
  rows: ItemBatch,
): Promise<BatchResult> {
  const number = KIND_NUMBER[kind];
  const result = await sql<BatchResult>`
    with stage as materialized (${buildStage(rows)}),
    item as (insert into ri_item (site_id, kind, item_key, at, modified_at, content, addresses)
      select ${siteId}, ${number}, item_key, at, modified_at, content, string_to_array(addresses, ${LINE_FEED})
      from stage where is_first on conflict do nothing returning item_key),
    link as (insert into ri_item_user (site_id, user_id, kind, item_key, at, direction, counterparts)
      select ${siteId}, user_id, ${number}, item_key, at, direction, string_to_array(counterparts, ${LINE_FEED})
      from stage on conflict do nothing returning user_id, item_key),
    relation as (insert into ri_relation as r (site_id, user_id, address, name, first_at, last_at, sent, received, meetings)
      select ${siteId}, s.user_id, person.address, (array_agg(person.name order by s.at desc) filter (where person.name <> ''))[1],
        min(s.at), max(s.at), count(*) filter (where direction = 1), count(*) filter (where direction = 2),
        count(*) filter (where direction = 3)
      from link join stage s using (user_id, item_key),
        unnest(string_to_array(s.counterparts, ${LINE_FEED}), string_to_array(s.names, ${LINE_FEED})) as person(address, name)
      group by s.user_id, person.address order by s.user_id, person.address
      ${RAISE_RELATION})
    select (select coalesce(jsonb_agg(jsonb_build_object('userId', user_id, 'count', count)), '[]')
        from (select user_id, count(*) from item join stage s using (item_key) where s.is_first group by user_id) as x) as added,
      (select coalesce(jsonb_agg(s.item_key), '[]') from stage s
        join ri_item known on known.site_id = ${siteId} and known.kind = ${number} and known.item_key = s.item_key
        where s.is_first and known.content <> s.content) as differing`.execute(tx);
  const pairs = sql`select distinct item.user_id, person.address
    from unnest(${rows.users}::int[], ${rows.counterparts}::text[]) as item(user_id, counterparts),
      unnest(string_to_array(item.counterparts, ${LINE_FEED})) as person(address)`;
  executeLater(buildContactReset(siteId, pairs), tx);
  return toBatchResult(result.rows);
}

/** Stores a batch by COPY, as `storeItems` would if the database has nothing of it. */
async function insertCopies(tx: Tx, siteId: number, { items, links, relations }: CopyBatch): Promise<void> {
  const { users, addresses, names, first, last, sent, received, meetings } = relations;
  const written = await Promise.allSettled([
    copyRows(
      tx,
      sql`copy ri_item (site_id, kind, item_key, at, modified_at, content, addresses) from stdin`,
      items,
    ),
    copyRows(
      tx,
      sql`copy ri_item_user (site_id, user_id, kind, item_key, at, direction, counterparts) from stdin`,
      links,
    ),
    sql`insert into ri_relation as r (site_id, user_id, address, name, first_at, last_at, sent, received, meetings)
      select ${siteId}, user_id, address, nullif(name, ''), first_at, last_at, sent, received, meetings
      from unnest(${users}::int[], ${addresses}::text[], ${names}::text[], ${first}::timestamptz[], ${last}::timestamptz[],
        ${sent}::int[], ${received}::int[], ${meetings}::int[])
        as s(user_id, address, name, first_at, last_at, sent, received, meetings)
      ${RAISE_RELATION}`.execute(tx),
    buildContactReset(siteId, sql`select * from unnest(${users}::int[], ${addresses}::text[])`).execute(tx),
  ]);
  // After the first error the others say only that the transaction has failed.
  for (const result of written) if (result.status === 'rejected') throw result.reason;
}

/**
 * Stores a batch by COPY, which is faster than `storeItems` and possible only if the database has nothing of it: the unique keys decide.
 * PostgreSQL only.
 * @returns whether it was stored; if not, nothing was written
 */
export async function copyItems(tx: Tx, siteId: number, batch: CopyBatch): Promise<boolean> {
  try {
    await withSavepoint(tx, () => insertCopies(tx, siteId, batch));
    return true;
  } catch (error) {
    const code = getDbError(error)?.code;
    // Citus reports a violation by copied rows as an internal error. One with another cause is thrown by `storeItems` again.
    if (code === dbErrorCodes.uniqueViolation || code === dbErrorCodes.internalError) return false;
    throw error;
  }
}

/** The result of a statement over a batch; the database writes keys as UUIDs. */
function toBatchResult([row]: readonly BatchResult[]): BatchResult {
  if (!row) throw new Error('The statement returned nothing');
  return { added: row.added, differing: row.differing.map((key) => key.replaceAll('-', '')) };
}

/** Counts what `storeItems` would add, and stores nothing. */
export async function countNewItems(
  db: Db,
  { siteId, kind }: { siteId: number; kind: ImportKind },
  rows: ItemBatch,
): Promise<BatchResult> {
  const number = KIND_NUMBER[kind];
  const result = await sql<BatchResult>`
    with stage as materialized (${buildStage(rows)}),
    known as (select s.item_key, k.content <> s.content as differs from stage s
      join ri_item k on k.site_id = ${siteId} and k.kind = ${number} and k.item_key = s.item_key where s.is_first)
    select (select coalesce(jsonb_agg(jsonb_build_object('userId', user_id, 'count', count)), '[]')
        from (select user_id, count(*) from stage s where s.is_first
          and not exists (select from known k where k.item_key = s.item_key) group by user_id) as x) as added,
      (select coalesce(jsonb_agg(item_key), '[]') from known where differs) as differing`.execute(db);
  return toBatchResult(result.rows);
}

/**
 * Replaces the stored items whose `modifiedDate` is older, with what they add to the relationships of this user (shapes 6).
 * @returns the keys of replaced items
 */
export async function replaceItems(
  tx: Tx,
  { siteId, kind }: { siteId: number; kind: ImportKind },
  rows: ItemBatch,
): Promise<string[]> {
  const number = KIND_NUMBER[kind];
  const { rows: replaced } = await sql<{ key: string }>`
    with stage as materialized (${buildStage(rows)})
    update ri_item k set at = s.at, modified_at = s.modified_at, content = s.content,
      addresses = string_to_array(s.addresses, ${LINE_FEED})
    from stage s where k.site_id = ${siteId} and k.kind = ${number} and k.item_key = s.item_key
      and k.modified_at < s.modified_at and k.content <> s.content returning k.item_key as key`.execute(tx);
  const keys = replaced.map(({ key }) => key.replaceAll('-', ''));
  if (keys.length === 0) return keys;
  await sql`
    with stage as materialized (${buildStage(rows)}),
    old as materialized (select l.* from ri_item_user l join stage s on s.user_id = l.user_id and s.item_key = l.item_key
      where l.site_id = ${siteId} and l.kind = ${number} and l.item_key = any(${keys}::uuid[])),
    change as (
      select user_id, counterpart as address, null::text as name, at, direction, -1 as n from old, unnest(counterparts) as counterpart
      union all select s.user_id, person.address, nullif(person.name, ''), s.at, s.direction, 1 from old
        join stage s on s.user_id = old.user_id and s.item_key = old.item_key,
        unnest(string_to_array(s.counterparts, ${LINE_FEED}), string_to_array(s.names, ${LINE_FEED})) as person(address, name)),
    link as (update ri_item_user l set at = s.at, direction = s.direction,
        counterparts = string_to_array(s.counterparts, ${LINE_FEED})
      from old join stage s on s.user_id = old.user_id and s.item_key = old.item_key
      where l.site_id = ${siteId} and l.user_id = old.user_id and l.kind = ${number} and l.item_key = old.item_key)
    insert into ri_relation as r (site_id, user_id, address, name, first_at, last_at, sent, received, meetings)
    select ${siteId}, user_id, address, max(name), min(at), max(at), coalesce(sum(n) filter (where direction = 1), 0),
      coalesce(sum(n) filter (where direction = 2), 0), coalesce(sum(n) filter (where direction = 3), 0)
    from change group by user_id, address order by user_id, address
    on conflict (site_id, user_id, address) do update set name = coalesce(r.name, excluded.name),
      first_at = least(r.first_at, excluded.first_at), last_at = greatest(r.last_at, excluded.last_at),
      sent = r.sent + excluded.sent, received = r.received + excluded.received, meetings = r.meetings + excluded.meetings`.execute(
    tx,
  );
  await deleteEmptyRelations(tx, siteId, rows.users);
  return keys;
}

/** Deletes relationships of users to which no item contributes. */
async function deleteEmptyRelations(tx: Tx, siteId: number, userIds: readonly number[]): Promise<void> {
  await sql`delete from ri_relation where site_id = ${siteId} and user_id = any(${[...new Set(userIds)]}::int[])
    and sent <= 0 and received <= 0 and meetings <= 0`.execute(tx);
}

/** Records the import for the users. @returns whether all of them are still enabled */
export async function touchUsers(
  tx: Tx,
  { siteId, kind, now }: { siteId: number; kind: ImportKind; now: Date },
  users: readonly { userId: number; latest: string | null }[],
): Promise<boolean> {
  const [sync, last] =
    kind === 'emails'
      ? [sql`last_email_sync_at`, sql`last_email_at`]
      : [sql`last_meeting_sync_at`, sql`last_meeting_at`];
  const { numAffectedRows = 0n } = await sql`
    update ri_user u set ${sync} = ${now}::timestamptz, ${last} = greatest(${last}, s.latest)
    from unnest(${users.map(({ userId }) => userId)}::int[], ${users.map(({ latest }) => latest)}::timestamptz[]) as s(user_id, latest)
    where u.site_id = ${siteId} and u.user_id = s.user_id and u.is_enabled`.execute(tx);
  return Number(numAffectedRows) === users.length;
}
