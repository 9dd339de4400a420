/** Accounts are of the whole platform: people of a backup are found by their addresses, or made anew without a password. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { FORMER, RefusedFile, SHEETS } from '../../areas/backups/index.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { normaliseEmail } from '../../kernel/email.ts';
import { raise } from './place.ts';
import type { Restoring } from './restoring.ts';
import { recordsOf } from './sheets.ts';

interface Person {
  id: number;
  email: string;
  firstName: string;
  lastName: string;
  federationId: string | null;
  isHome: boolean;
}

const text = (value: string | null | undefined): string => {
  if (value === null || value === undefined)
    throw new RefusedFile('The file is damaged: a person has no name');
  return value;
};

/** Gives each person of the sheets an account here; `ids` says which. */
export async function restorePeople(tx: Tx, restoring: Restoring): Promise<void> {
  for (const sheet of [SHEETS.members, FORMER])
    for await (const rows of recordsOf(restoring.file, sheet))
      await restoreSome(
        tx,
        restoring,
        rows.map((row) => ({
          id: Number(row['user_id']),
          email: text(row['email']),
          firstName: text(row['first_name']),
          lastName: text(row['last_name']),
          federationId: row['federation_id'] ?? null,
          isHome: row['is_home'] === 't',
        })),
      );
}

async function restoreSome(tx: Tx, restoring: Restoring, people: readonly Person[]): Promise<void> {
  const { ids, report } = restoring;
  const keys = people.map(({ email }) => normaliseEmail(email).key);
  const { rows: known } = await sql<{ id: number; key: string }>`
    select user_id as id, email_key as key from account where email_key = any(${keys}::text[])`.execute(tx);
  const { rows: taken } = await sql<{ id: number }>`
    select user_id as id from account where user_id = any(${people.map(({ id }) => id)}::int[])`.execute(tx);
  const byKey = new Map(known.map(({ id, key }) => [key, id]));
  const used = new Set(taken.map(({ id }) => id));
  const fresh = people.filter((_, at) => !byKey.has(keys[at] ?? ''));
  const drawn = await drawIds(tx, 'account', 'user_id', fresh.filter(({ id }) => used.has(id)).length);
  for (const [at, person] of people.entries()) {
    const here = byKey.get(keys[at] ?? '');
    const id = here ?? (used.has(person.id) ? drawn.shift() : person.id);
    if (id === undefined) throw new Error('There are ids for everybody');
    ids.user.set(person.id, id);
  }
  report.accounts.found += people.length - fresh.length;
  report.accounts.made += fresh.length;
  await raise(tx, ['account', 'user_id'], Math.max(0, ...fresh.map(({ id }) => ids.user.get(id) ?? 0)));
  await restoring.write(
    tx,
    'account',
    ['user_id', 'email', 'email_key', 'first_name', 'last_name', 'federation_id', 'home_site_id'],
    fresh.map((person) => [
      String(ids.user.get(person.id)),
      person.email,
      normaliseEmail(person.email).key,
      person.firstName,
      person.lastName,
      person.federationId,
      String(person.isHome ? restoring.siteId : restoring.homeOfStrangers),
    ]),
  );
}

/** Numbers that nothing has. */
async function drawIds(tx: Tx, table: string, column: string, count: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence(${table}, ${column}))::int as id from generate_series(1, ${count}::int)`.execute(
    tx,
  );
  return rows.map(({ id }) => id);
}

/** Keeps the ids that are free on this installation and gives others for the rest: groups and invitations. */
async function placeIds(
  tx: Tx,
  { ids }: Restoring,
  what: { table: 'user_group' | 'invitation'; column: string; kind: 'group' | 'invitation' },
  given: readonly number[],
): Promise<void> {
  const column = sql.ref(what.column);
  const { rows } = await sql<{ id: number }>`
    select ${column} as id from ${sql.table(what.table)} where ${column} = any(${[...given]}::int[])`.execute(
    tx,
  );
  const taken = new Set(rows.map(({ id }) => id));
  const drawn = await drawIds(tx, what.table, what.column, taken.size);
  await raise(tx, [what.table, what.column], Math.max(0, ...given));
  for (const id of given) ids[what.kind].set(id, taken.has(id) ? (drawn.shift() ?? id) : id);
}

export async function restoreGroups(tx: Tx, restoring: Restoring): Promise<void> {
  const { file, ids } = restoring;
  for await (const rows of recordsOf(file, SHEETS.groups))
    await placeIds(
      tx,
      restoring,
      { table: 'user_group', column: 'group_id', kind: 'group' },
      rows.map((row) => Number(row['group_id'])),
    );
  await restoring.copySheet(tx, SHEETS.groups, 'user_group');
  restoring.report.groups = ids.group.size;
}

/** Nobody has their links: those that are still open are sent again by whoever administers the site. */
export async function restoreInvitations(tx: Tx, restoring: Restoring): Promise<void> {
  const { file, ids, report, siteId } = restoring;
  const groupsOf = (list: string | null) =>
    `{${(list ?? '')
      .slice(1, -1)
      .split(',')
      .map((id) => ids.group.get(Number(id)))
      .filter((id) => id !== undefined)
      .join(',')}}`;
  for await (const rows of recordsOf(file, SHEETS.invitations)) {
    const given = rows.map((row) => Number(row['invitation_id']));
    // oxlint-disable-next-line no-await-in-loop -- one connection
    await placeIds(
      tx,
      restoring,
      { table: 'invitation', column: 'invitation_id', kind: 'invitation' },
      given,
    );
    const kept = Object.keys(rows[0] ?? {}).filter(
      (name) => !['account_email', 'first_name', 'last_name'].includes(name),
    );
    const whole = rows.filter((row) => ids.user.has(Number(row['user_id'])));
    report.openInvitations += whole.filter(
      (row) => row['accepted_at'] === null && row['revoked_at'] === null,
    ).length;
    // oxlint-disable-next-line no-await-in-loop
    await restoring.write(
      tx,
      'invitation',
      ['site_id', 'token_hash', ...kept],
      whole.map((row) => [
        String(siteId),
        `\\x${randomBytes(32).toString('hex')}`,
        ...kept.map((name) => {
          const value = row[name] ?? null;
          if (name === 'group_ids') return groupsOf(value);
          if (name === 'invitation_id') return String(ids.invitation.get(Number(value)));
          return name === 'user_id' || name === 'invited_by' ? mapped(ids.user, value) : value;
        }),
      ]),
    );
  }
}

/** The id that somebody has here; null for whom the backup does not know. */
export const mapped = (ids: ReadonlyMap<number, number>, id: string | null): string | null =>
  id === null ? null : (ids.get(Number(id))?.toString() ?? null);

export async function restoreMembers(tx: Tx, restoring: Restoring): Promise<void> {
  const { file, ids, report, siteId } = restoring;
  const licenses = new Map<string | null, string | null>();
  for await (const rows of recordsOf(file, SHEETS.licenses))
    for (const row of rows) licenses.set(row['user_id'] ?? null, row['license_type_id'] ?? null);
  const ofAccount = ['email', 'first_name', 'last_name', 'federation_id', 'is_home'];
  const names = SHEETS.members.columns.map(({ name }) => name).filter((name) => !ofAccount.includes(name));
  for await (const rows of recordsOf(file, SHEETS.members)) {
    report.members += rows.length;
    // oxlint-disable-next-line no-await-in-loop -- one connection
    await restoring.write(
      tx,
      'membership',
      ['site_id', 'license_type_id', ...names],
      rows.map((row) => [
        String(siteId),
        licenses.get(row['user_id'] ?? null) ?? null,
        ...names.map((name) => {
          const value = row[name] ?? null;
          if (name === 'invitation_id') return mapped(ids.invitation, value);
          return ['user_id', 'created_by', 'modified_by'].includes(name) ? mapped(ids.user, value) : value;
        }),
      ]),
    );
  }
  await restoring.copySheet(tx, SHEETS.groupMembers, 'group_member');
  await restoring.copySheet(tx, SHEETS.proxies, 'proxy_assignment');
}
