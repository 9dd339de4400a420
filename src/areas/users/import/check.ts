import type { NewUserInfo, UserInfo } from '../../../../contract/generated/types.gen.ts';
import { resolveTimeZone } from '../../../../contract/rules/dates/time-zones.ts';
import { STANDARD_LICENSE } from '../../../../contract/rules/people/licenses.ts';
import { findRefusedSwitches } from '../../../../contract/rules/people/users.ts';
import { formatNameList } from '../../../../contract/rules/tables/name-list.ts';
import type { RowError, ImportRowPlan, FieldChange } from '../../../files/import-plan/plan.ts';
import { toEmailKey } from '../../../lib/text/email-key.ts';
import type { Field } from './fields.ts';
import type { RowTarget, GroupLookup } from './parse-row.ts';
import { formatLicense, formatStatus, formatSwitch } from './parse-row.ts';
import type { CheckContext, KnownUser, KnownUsers, RowWork, RowPlan } from './plan.ts';
import { checkGrantable, checkCapabilities, checkGroupCount } from './plan.ts';

/** Plans every row. Rows that mean the same user are refused. */
export function checkRows(targets: readonly RowTarget[], checking: CheckContext): ImportRowPlan<RowWork>[] {
  const found = targets.map((target) => findPerson(target, checking.people));
  const duplicates = findDuplicates(targets, found);
  return targets.map((target, at) => planRow(target, found[at], duplicates.get(target.row), checking));
}

function findPerson({ id, email }: RowTarget, { byId, byEmail }: KnownUsers): KnownUser | undefined {
  if (id !== undefined) return byId.get(id);
  return email === undefined ? undefined : byEmail.get(toEmailKey(email));
}

/** Errors of rows with the same address or the same user, by row. */
function findDuplicates(
  targets: readonly RowTarget[],
  found: readonly (KnownUser | undefined)[],
): Map<number, RowError> {
  const rowsBy = new Map<string, number[]>();
  const note = (key: string, row: number) => {
    const rows = rowsBy.get(key);
    if (rows) rows.push(row);
    else rowsBy.set(key, [row]);
  };
  for (const [at, { row, id, email }] of targets.entries()) {
    if (email !== undefined) note(`@${toEmailKey(email)}`, row);
    const userId = found[at]?.id ?? id;
    if (userId !== undefined) note(`#${userId}`, row);
  }
  const duplicates = new Map<number, RowError>();
  for (const [key, rows] of rowsBy) {
    if (rows.length < 2) continue;
    const field = key.startsWith('@') ? 'email' : 'id';
    for (const row of rows) {
      const others = rows.filter((other) => other !== row);
      const what = field === 'email' ? 'The same address is' : 'The same person is';
      duplicates.set(row, duplicates.get(row) ?? { field, message: `${what} in ${formatRows(others)}` });
    }
  }
  return duplicates;
}

const MAX_LISTED_ROWS = 5;
function formatRows(rows: readonly number[]): string {
  const named = rows.slice(0, MAX_LISTED_ROWS).join(', ');
  const more = rows.length - MAX_LISTED_ROWS;
  return `row${rows.length === 1 ? '' : 's'} ${named}${more > 0 ? ` and ${more} more` : ''}`;
}

function planRow(
  target: RowTarget,
  user: KnownUser | undefined,
  duplicate: RowError | undefined,
  checking: CheckContext,
): ImportRowPlan<RowWork> {
  const errors = [...target.errors, ...(duplicate ? [duplicate] : [])];
  const firstName = target.firstName ?? user?.firstName ?? '';
  const lastName = target.lastName ?? user?.lastName ?? '';
  const planned = {
    row: target.row,
    id: user?.id,
    name: `${firstName} ${lastName}`.trim(),
    detail: target.email ?? user?.email ?? '',
  };
  const cannot = (more: readonly RowError[]): ImportRowPlan<RowWork> => ({
    ...planned,
    outcome: 'cannot',
    changes: [],
    errors: more,
    work: {},
  });
  if (user === undefined && target.id !== undefined)
    return cannot([...errors, { field: 'id', message: `There is no user ${target.id} on this site` }]);
  if (target.isUnreadable) return cannot(errors);
  const {
    changes,
    work,
    errors: own,
  } = user ? planUpdate(target, user, checking) : planCreate(target, checking);
  if (errors.length + own.length > 0) return cannot([...errors, ...own]);
  const outcome = user ? (changes.length > 0 ? 'update' : 'skip') : 'create';
  return { ...planned, outcome, changes, errors: [], work };
}

const REQUIRED = ['email', 'firstName', 'lastName'] as const;

/** Plans a new user: one request creates the user, another sets a license other than Standard (spec 4.2). */
function planCreate(target: RowTarget, checking: CheckContext): RowPlan {
  const { groupLookup, missingCapabilities } = checking;
  const { licenseTypeId, groups = [] } = target;
  const otherLicense = licenseTypeId !== undefined && licenseTypeId !== STANDARD_LICENSE;
  const refused = checkCapabilities(
    [
      { what: 'create', field: 'email', when: true },
      { what: 'license', field: 'licenseTypeId', when: otherLicense },
    ],
    missingCapabilities,
  );
  return {
    changes: describeCreate(target, groupLookup),
    work: { create: toNewUser(target), ...(otherLicense && { licenseTypeId }) },
    errors: [...missing(target), ...refused, ...checkGroupCount(groups), ...checkGrantable(groups, checking)],
  };
}

/** Missing required fields, unless the cell had an error. */
const missing = (target: RowTarget): RowError[] =>
  REQUIRED.filter(
    (field) => target[field] === undefined && !target.errors.some((error) => error.field === field),
  ).map((field) => ({ field, message: 'Is missing' }));

const toNewUser = (target: RowTarget): NewUserInfo => ({
  email: target.email ?? '',
  firstName: target.firstName ?? '',
  lastName: target.lastName ?? '',
  ...(target.isActive !== undefined && { isActive: target.isActive }),
  ...(target.groups && target.groups.length > 0 && { groups: [...target.groups] }),
  ...(target.twoFactorEnabled && { twoFactorEnabled: true }),
  ...(target.ipRestrictionsEnabled && { ipRestrictionsEnabled: true }),
  ...(target.timeZone !== undefined && { timeZone: target.timeZone }),
  ...(target.federationId !== undefined && { federationId: target.federationId }),
});

/** Changes shown for a new user besides name and e-mail. */
function describeCreate(target: RowTarget, groupLookup: GroupLookup): FieldChange[] {
  const { groups = [], timeZone, federationId } = target;
  const values: readonly [Field, string | undefined][] = [
    ['isActive', target.isActive === false ? formatStatus(false) : undefined],
    ['licenseTypeId', formatLicense(target.licenseTypeId ?? STANDARD_LICENSE)],
    ['groups', groups.length > 0 ? formatNameList(groups.map(groupLookup.getName)) : undefined],
    ['twoFactorEnabled', target.twoFactorEnabled ? formatSwitch(true) : undefined],
    ['ipRestrictionsEnabled', target.ipRestrictionsEnabled ? formatSwitch(true) : undefined],
    ['timeZone', timeZone],
    ['federationId', federationId],
  ];
  return values.flatMap(([field, after]) => (after === undefined ? [] : [{ field, before: '', after }]));
}

type ProfileFields = Omit<UserInfo, 'id' | 'groups'>;

/** Plans an existing user: only differing fields are changed. */
function planUpdate(target: RowTarget, user: KnownUser, checking: CheckContext): RowPlan {
  const { groupLookup, options, missingCapabilities } = checking;
  const { after, before } = compare(target, user);
  const { addGroups, removeGroups } = compareGroups(target, user, options.groups);
  const updates = Object.keys(after).length > 0;
  const license = target.licenseTypeId === user.licenseTypeId ? undefined : target.licenseTypeId;
  const refused = checkCapabilities(
    [
      { what: 'update', field: 'email', when: updates },
      { what: 'license', field: 'licenseTypeId', when: license !== undefined },
      { what: 'assign', field: 'groups', when: addGroups.length > 0 },
      { what: 'unassign', field: 'groups', when: removeGroups.length > 0 },
    ],
    missingCapabilities,
  );
  const work: RowWork = {
    ...(updates && { update: { id: user.id, ...after }, before }),
    ...(license !== undefined && { licenseTypeId: license, licenseBefore: user.licenseTypeId }),
    ...(addGroups.length > 0 && { addGroups }),
    ...(removeGroups.length > 0 && { removeGroups }),
  };
  return {
    changes: describeUpdate(user, work, groupLookup),
    work,
    errors: [
      ...findConflicts(target, user, after, checking),
      ...checkGroupCount([...addGroups, ...removeGroups]),
      ...checkGrantable([...addGroups, ...removeGroups], checking),
      ...refused,
    ],
  };
}

/** E-mail addresses are compared by key; spaces around names are trimmed (spec 2.1); a renamed zone stays the same. */
const EQUALITY_BY_FIELD: { [Key in keyof ProfileFields]?: (a: string, b: string) => boolean } = {
  email: (a, b) => toEmailKey(a) === toEmailKey(b),
  firstName: (a, b) => a.trim() === b.trim(),
  lastName: (a, b) => a.trim() === b.trim(),
  timeZone: (a, b) => resolveTimeZone(a) === resolveTimeZone(b),
};

function compare(target: RowTarget, user: KnownUser): { after: ProfileFields; before: ProfileFields } {
  const now = { ...user, twoFactorEnabled: user.twoFactor, ipRestrictionsEnabled: user.approvedAddresses };
  const after: ProfileFields = {};
  const before: ProfileFields = {};
  const note = <Key extends keyof ProfileFields>(
    key: Key,
    expected: ProfileFields[Key],
    is: ProfileFields[Key],
  ) => {
    if (expected === undefined || expected === null || expected === is) return;
    if (typeof expected === 'string' && typeof is === 'string' && EQUALITY_BY_FIELD[key]?.(expected, is))
      return;
    after[key] = expected;
    before[key] = is;
  };
  note('email', target.email, now.email);
  note('firstName', target.firstName, now.firstName);
  note('lastName', target.lastName, now.lastName);
  note('timeZone', target.timeZone, now.timeZone);
  note('federationId', target.federationId, now.federationId);
  note('isActive', target.isActive, now.isActive);
  note('twoFactorEnabled', target.twoFactorEnabled || undefined, now.twoFactorEnabled);
  note('ipRestrictionsEnabled', target.ipRestrictionsEnabled || undefined, now.ipRestrictionsEnabled);
  return { after, before };
}

function compareGroups({ groups }: RowTarget, user: KnownUser, mode: 'add' | 'exact') {
  const addGroups = groups?.filter((group) => !user.groups.includes(group)) ?? [];
  const removeGroups =
    mode === 'exact' && groups ? user.groups.filter((group) => !groups.includes(group)) : [];
  return { addGroups, removeGroups };
}

/** Errors that the service would report. */
function findConflicts(
  target: RowTarget,
  user: KnownUser,
  after: ProfileFields,
  { people, ownUserId }: CheckContext,
): RowError[] {
  const errors: RowError[] = [];
  const owner = after.email === undefined ? undefined : people.byEmail.get(toEmailKey(after.email));
  if (owner && owner.id !== user.id) {
    const message = `Belongs to ${owner.firstName} ${owner.lastName} (id ${owner.id})`;
    errors.push({ field: 'email', message });
  }
  if (after.isActive === false && user.id === ownUserId)
    errors.push({ field: 'isActive', message: 'This is you: someone else has to deactivate you' });
  const switches = { twoFactorEnabled: user.twoFactor, ipRestrictionsEnabled: user.approvedAddresses };
  for (const field of findRefusedSwitches(switches, target))
    errors.push({ field, message: 'Is on and cannot be turned off' });
  return errors;
}

function describeUpdate(user: KnownUser, work: RowWork, groupLookup: GroupLookup): FieldChange[] {
  const { update, licenseTypeId, addGroups = [], removeGroups = [] } = work;
  const changes: FieldChange[] = [];
  const note = (field: Field, before: string, after: string) => changes.push({ field, before, after });
  if (update?.email !== undefined) note('email', user.email, update.email);
  if (update?.firstName !== undefined) note('firstName', user.firstName, update.firstName);
  if (update?.lastName !== undefined) note('lastName', user.lastName, update.lastName);
  if (update?.isActive !== undefined)
    note('isActive', formatStatus(user.isActive), formatStatus(update.isActive));
  if (licenseTypeId !== undefined)
    note('licenseTypeId', formatLicense(user.licenseTypeId), formatLicense(licenseTypeId));
  if (addGroups.length + removeGroups.length > 0) {
    const after = [...user.groups.filter((group) => !removeGroups.includes(group)), ...addGroups];
    note(
      'groups',
      formatNameList(user.groups.map(groupLookup.getName)),
      formatNameList(after.map(groupLookup.getName)),
    );
  }
  if (update?.twoFactorEnabled) note('twoFactorEnabled', formatSwitch(false), formatSwitch(true));
  if (update?.ipRestrictionsEnabled) note('ipRestrictionsEnabled', formatSwitch(false), formatSwitch(true));
  if (update?.timeZone !== undefined) note('timeZone', user.timeZone ?? '', update.timeZone ?? '');
  if (update?.federationId !== undefined)
    note('federationId', user.federationId ?? '', update.federationId ?? '');
  return changes;
}
