/** Restores users, groups, invitations and members. Accounts belong to the platform: they are found by e-mail address or created. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { FORMER_USERS_SHEET, InvalidBackupError } from '../../areas/backups/index.ts';
import { SHEETS } from '../../areas/registry.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { normalizeEmail } from '../../kernel/email.ts';
import { mapId, type RestoreContext } from './restore-context.ts';
import { readRecords } from './sheets.ts';
import { raiseSequence } from './site.ts';

interface BackupUser {
  id: number;
  email: string;
  firstName: string;
  lastName: string;
  federationId: string | null;
  isHome: boolean;
}

const requireText = (value: string | null | undefined): string => {
  if (value === null || value === undefined)
    throw new InvalidBackupError('The file is damaged: a user has no name');
  return value;
};

/** Finds or creates an account for each user in the sheets, and records its id in `ids`. */
export async function restorePeople(tx: Tx, context: RestoreContext): Promise<void> {
  for (const sheet of [SHEETS.members, FORMER_USERS_SHEET])
    for await (const rows of readRecords(context.file, sheet))
      await restoreAccounts(
        tx,
        context,
        rows.map((row) => ({
          id: Number(row['user_id']),
          email: requireText(row['email']),
          firstName: requireText(row['first_name']),
          lastName: requireText(row['last_name']),
          federationId: row['federation_id'] ?? null,
          isHome: row['is_home'] === 't',
        })),
      );
}

async function restoreAccounts(
  tx: Tx,
  context: RestoreContext,
  people: readonly BackupUser[],
): Promise<void> {
  const { ids, report } = context;
  const keys = people.map(({ email }) => normalizeEmail(email).key);
  const { rows: existingAccounts } = await sql<{ id: number; key: string }>`
    select user_id as id, email_key as key from account where email_key = any(${keys}::text[])`.execute(tx);
  const { rows: existingIds } = await sql<{ id: number }>`
    select user_id as id from account where user_id = any(${people.map(({ id }) => id)}::int[])`.execute(tx);
  const idsByKey = new Map(existingAccounts.map(({ id, key }) => [key, id]));
  const takenIds = new Set(existingIds.map(({ id }) => id));
  const newUsers = people.filter((_, at) => !idsByKey.has(keys[at] ?? ''));
  // Before ids are allocated: one of them could be that of a user who keeps it.
  await raiseSequence(tx, ['account', 'user_id'], Math.max(0, ...newUsers.map(({ id }) => id)));
  const allocatedIds = await allocateIds(
    tx,
    'account',
    'user_id',
    newUsers.filter(({ id }) => takenIds.has(id)).length,
  );
  for (const [at, person] of people.entries()) {
    const existingId = idsByKey.get(keys[at] ?? '');
    const id = existingId ?? (takenIds.has(person.id) ? allocatedIds.shift() : person.id);
    if (id === undefined) throw new Error('Too few ids were allocated');
    ids.user.set(person.id, id);
  }
  report.accounts.found += people.length - newUsers.length;
  report.accounts.made += newUsers.length;
  await context.write(
    tx,
    'account',
    ['user_id', 'email', 'email_key', 'first_name', 'last_name', 'federation_id', 'home_site_id'],
    newUsers.map((person) => [
      String(ids.user.get(person.id)),
      person.email,
      normalizeEmail(person.email).key,
      person.firstName,
      person.lastName,
      person.federationId,
      String(person.isHome ? context.siteId : context.foreignHomeSiteId),
    ]),
  );
}

/** Allocates unused ids from the sequence of a column. */
async function allocateIds(tx: Tx, table: string, column: string, count: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence(${table}, ${column}))::int as id from generate_series(1, ${count}::int)`.execute(
    tx,
  );
  return rows.map(({ id }) => id);
}

/** Keeps the ids of groups or invitations that are unused in this installation and allocates new ones for the others. */
async function assignIds(
  tx: Tx,
  { ids }: RestoreContext,
  target: { table: 'user_group' | 'invitation'; column: string; kind: 'group' | 'invitation' },
  backupIds: readonly number[],
): Promise<void> {
  const column = sql.ref(target.column);
  const { rows } = await sql<{ id: number }>`
    select ${column} as id from ${sql.table(target.table)} where ${column} = any(${[...backupIds]}::int[])`.execute(
    tx,
  );
  const takenIds = new Set(rows.map(({ id }) => id));
  // Before ids are allocated: one of them could be that of a row that keeps it.
  await raiseSequence(tx, [target.table, target.column], Math.max(0, ...backupIds));
  const allocatedIds = await allocateIds(tx, target.table, target.column, takenIds.size);
  for (const id of backupIds) ids[target.kind].set(id, takenIds.has(id) ? (allocatedIds.shift() ?? id) : id);
}

export async function restoreGroups(tx: Tx, context: RestoreContext): Promise<void> {
  const { file, ids } = context;
  for await (const rows of readRecords(file, SHEETS.groups))
    await assignIds(
      tx,
      context,
      { table: 'user_group', column: 'group_id', kind: 'group' },
      rows.map((row) => Number(row['group_id'])),
    );
  await context.copySheet(tx, SHEETS.groups, 'user_group');
  context.report.groups = ids.group.size;
}

/** Restores invitations with new tokens that nobody has: open ones must be sent again by an administrator. */
export async function restoreInvitations(tx: Tx, context: RestoreContext): Promise<void> {
  const { file, ids, report, siteId } = context;
  const mapGroupIds = (list: string | null) =>
    `{${(list ?? '')
      .slice(1, -1)
      .split(',')
      .map((id) => ids.group.get(Number(id)))
      .filter((id) => id !== undefined)
      .join(',')}}`;
  for await (const rows of readRecords(file, SHEETS.invitations)) {
    const invitationIds = rows.map((row) => Number(row['invitation_id']));
    await assignIds(
      tx,
      context,
      { table: 'invitation', column: 'invitation_id', kind: 'invitation' },
      invitationIds,
    );
    const columns = Object.keys(rows[0] ?? {}).filter(
      (name) => !['account_email', 'first_name', 'last_name'].includes(name),
    );
    const invitations = rows.filter((row) => ids.user.has(Number(row['user_id'])));
    report.openInvitations += invitations.filter(
      (row) => row['accepted_at'] === null && row['revoked_at'] === null,
    ).length;
    await context.write(
      tx,
      'invitation',
      ['site_id', 'token_hash', ...columns],
      invitations.map((row) => [
        String(siteId),
        `\\x${randomBytes(32).toString('hex')}`,
        ...columns.map((name) => {
          const value = row[name] ?? null;
          if (name === 'group_ids') return mapGroupIds(value);
          if (name === 'invitation_id') return String(ids.invitation.get(Number(value)));
          return name === 'user_id' || name === 'invited_by' ? mapId(ids.user, value) : value;
        }),
      ]),
    );
  }
}

export async function restoreMembers(tx: Tx, context: RestoreContext): Promise<void> {
  const { file, ids, report, siteId } = context;
  const licenses = new Map<string | null, string | null>();
  for await (const rows of readRecords(file, SHEETS.licenses))
    for (const row of rows) licenses.set(row['user_id'] ?? null, row['license_type_id'] ?? null);
  const accountColumns = ['email', 'first_name', 'last_name', 'federation_id', 'is_home'];
  const columns = SHEETS.members.columns
    .map(({ name }) => name)
    .filter((name) => !accountColumns.includes(name));
  for await (const rows of readRecords(file, SHEETS.members)) {
    report.members += rows.length;
    await context.write(
      tx,
      'membership',
      ['site_id', 'license_type_id', ...columns],
      rows.map((row) => [
        String(siteId),
        licenses.get(row['user_id'] ?? null) ?? null,
        ...columns.map((name) => {
          const value = row[name] ?? null;
          if (name === 'invitation_id') return mapId(ids.invitation, value);
          return ['user_id', 'created_by', 'modified_by'].includes(name) ? mapId(ids.user, value) : value;
        }),
      ]),
    );
  }
  await context.copySheet(tx, SHEETS.groupMembers, 'group_member');
  await context.copySheet(tx, SHEETS.proxies, 'proxy_assignment');
}
