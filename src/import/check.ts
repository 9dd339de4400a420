import { licenseType, STANDARD_LICENSE } from '../../contract/rules/licenses.ts';
import { refusedSwitches } from '../../contract/rules/switches.ts';
import type { NewUserInfo, UserInfo } from '../api/generated/types.gen.ts';
import { emailKey } from './email-key.ts';
import type { Field } from './fields.ts';
import { joinNames } from './name-list.ts';
import type { Choices, Fault, FieldChange, Known, Permissions, Planned, Work } from './plan.ts';
import type { GroupBook } from './values.ts';
import type { Wish } from './wish.ts';

/** Everybody of the site, to be found by id and by address. */
export interface People {
  byId: ReadonlyMap<number, Known>;
  byEmail: ReadonlyMap<string, Known>;
}

/** What rows are checked against. */
export interface Checking {
  people: People;
  book: GroupBook;
  choices: Choices;
  may: Permissions;
  /** Who imports: they cannot shut themselves out. */
  me: number;
}

const MOST_GROUPS = 1000;

/** Decides for every row what would become of it. Rows that mean the same person spoil each other. */
export function checkWishes(wishes: readonly Wish[], checking: Checking): Planned[] {
  const found = wishes.map((wish) => findPerson(wish, checking.people));
  const twins = findTwins(wishes, found);
  return wishes.map((wish, at) => planRow(wish, found[at], twins.get(wish.row), checking));
}

function findPerson({ id, email }: Wish, { byId, byEmail }: People): Known | undefined {
  if (id !== undefined) return byId.get(id);
  return email === undefined ? undefined : byEmail.get(emailKey(email));
}

/** Rows with the same address or the same person, each with what to say of it. */
function findTwins(wishes: readonly Wish[], found: readonly (Known | undefined)[]): Map<number, Fault> {
  const rowsBy = new Map<string, number[]>();
  const note = (key: string, row: number) => {
    const rows = rowsBy.get(key);
    if (rows) rows.push(row);
    else rowsBy.set(key, [row]);
  };
  for (const [at, { row, id, email }] of wishes.entries()) {
    if (email !== undefined) note(`@${emailKey(email)}`, row);
    const userId = found[at]?.id ?? id;
    if (userId !== undefined) note(`#${userId}`, row);
  }
  const twins = new Map<number, Fault>();
  for (const [key, rows] of rowsBy) {
    if (rows.length < 2) continue;
    const field = key.startsWith('@') ? 'email' : 'id';
    for (const row of rows) {
      const others = rows.filter((other) => other !== row);
      const what = field === 'email' ? 'The same address stands' : 'The same person stands';
      twins.set(row, twins.get(row) ?? { field, message: `${what} in ${rowsWord(others)}` });
    }
  }
  return twins;
}

const MOST_NAMED = 5;
function rowsWord(rows: readonly number[]): string {
  const named = rows.slice(0, MOST_NAMED).join(', ');
  const more = rows.length - MOST_NAMED;
  return `row${rows.length === 1 ? '' : 's'} ${named}${more > 0 ? ` and ${more} more` : ''}`;
}

function planRow(wish: Wish, known: Known | undefined, twin: Fault | undefined, checking: Checking): Planned {
  const faults = [...wish.faults, ...(twin ? [twin] : [])];
  const firstName = wish.firstName ?? known?.firstName ?? '';
  const lastName = wish.lastName ?? known?.lastName ?? '';
  const planned = {
    row: wish.row,
    userId: known?.id,
    name: `${firstName} ${lastName}`.trim(),
    email: wish.email ?? known?.email ?? '',
  };
  const cannot = (more: readonly Fault[]): Planned => ({
    ...planned,
    outcome: 'cannot',
    changes: [],
    faults: more,
    work: {},
  });
  if (known === undefined && wish.id !== undefined)
    return cannot([...faults, { field: 'id', message: `There is no user ${wish.id} on this site` }]);
  const {
    changes,
    work,
    faults: own,
  } = known ? planUpdate(wish, known, checking) : planCreate(wish, checking);
  if (faults.length + own.length > 0) return cannot([...faults, ...own]);
  const outcome = known ? (changes.length > 0 ? 'update' : 'skip') : 'create';
  return { ...planned, outcome, changes, faults: [], work };
}

interface Plan {
  changes: FieldChange[];
  work: Work;
  faults: Fault[];
}

function planCreate(wish: Wish, { book, may }: Checking): Plan {
  const { email, firstName, lastName, licenseTypeId, groups = [] } = wish;
  const faults: Fault[] = [];
  // Where a cell was read in vain, that is said already.
  const missing = (field: Field, value: unknown) => {
    if (value === undefined && !wish.faults.some((fault) => fault.field === field))
      faults.push({ field, message: 'Is missing' });
  };
  missing('email', email);
  missing('firstName', firstName);
  missing('lastName', lastName);
  const otherLicense = licenseTypeId !== undefined && licenseTypeId !== STANDARD_LICENSE;
  faults.push(
    ...refusals(
      [
        ['create', 'email', true],
        ['license', 'licenseTypeId', otherLicense],
      ],
      may,
    ),
  );
  faults.push(...tooManyGroups(groups));
  const create: NewUserInfo = {
    email: email ?? '',
    firstName: firstName ?? '',
    lastName: lastName ?? '',
    ...(wish.isActive !== undefined && { isActive: wish.isActive }),
    ...(groups.length > 0 && { groups: [...groups] }),
    ...(wish.twoFactorEnabled && { twoFactorEnabled: true }),
    ...(wish.ipRestrictionsEnabled && { ipRestrictionsEnabled: true }),
    ...(wish.federationId !== undefined && { federationId: wish.federationId }),
  };
  const after = { ...shownOf(wish, book), licenseTypeId: licenseWord(licenseTypeId ?? STANDARD_LICENSE) };
  const changes = Object.entries(after)
    .filter(([field]) => !['email', 'firstName', 'lastName'].includes(field))
    .map(([field, value]) => ({ field: field as Field, before: '', after: value }));
  return { changes, work: { create, ...(otherLicense && { licenseTypeId }) }, faults };
}

function planUpdate(wish: Wish, known: Known, checking: Checking): Plan {
  const { people, book, choices, may, me } = checking;
  const { id } = known;
  const update: UserInfo = { id };
  const faults: Fault[] = [];
  if (wish.email !== undefined && !sameEmail(wish.email, known.email)) {
    update.email = wish.email;
    const other = people.byEmail.get(emailKey(wish.email));
    if (other && other.id !== id)
      faults.push({
        field: 'email',
        message: `Belongs to ${other.firstName} ${other.lastName} (id ${other.id})`,
      });
  }
  for (const field of ['firstName', 'lastName'] as const)
    if (wish[field] !== undefined && wish[field] !== known[field].trim()) update[field] = wish[field];
  if (wish.federationId !== undefined && wish.federationId !== known.federationId)
    update.federationId = wish.federationId;
  if (wish.isActive !== undefined && wish.isActive !== known.isActive) update.isActive = wish.isActive;
  if (update.isActive === false && id === me)
    faults.push({ field: 'isActive', message: 'This is you: somebody else has to deactivate you' });
  const switches = { twoFactorEnabled: known.twoFactor, ipRestrictionsEnabled: known.approvedAddresses };
  for (const field of refusedSwitches(switches, wish))
    faults.push({ field, message: 'Is on and cannot be switched off' });
  if (wish.twoFactorEnabled && !known.twoFactor) update.twoFactorEnabled = true;
  if (wish.ipRestrictionsEnabled && !known.approvedAddresses) update.ipRestrictionsEnabled = true;
  const licenseTypeId = wish.licenseTypeId === known.licenseTypeId ? undefined : wish.licenseTypeId;
  const addGroups = wish.groups?.filter((group) => !known.groups.includes(group)) ?? [];
  const removeGroups =
    choices.groups === 'exact' && wish.groups
      ? known.groups.filter((group) => wish.groups?.includes(group) === false)
      : [];
  const updates = Object.keys(update).length > 1;
  faults.push(
    ...tooManyGroups([...addGroups, ...removeGroups]),
    ...refusals(
      [
        ['update', 'email', updates],
        ['license', 'licenseTypeId', licenseTypeId !== undefined],
        ['assign', 'groups', addGroups.length > 0],
        ['unassign', 'groups', removeGroups.length > 0],
      ],
      may,
    ),
  );
  const work: Work = {
    ...(updates && { update }),
    ...(licenseTypeId !== undefined && { licenseTypeId }),
    ...(addGroups.length > 0 && { addGroups }),
    ...(removeGroups.length > 0 && { removeGroups }),
  };
  return { changes: changesOf(known, work, book), work, faults };
}

/** The spelling counts, the case of the domain does not. */
const sameEmail = (a: string, b: string): boolean => a.trim() === b.trim() || emailKey(a) === emailKey(b);

const tooManyGroups = (groups: readonly number[]): Fault[] =>
  groups.length > MOST_GROUPS
    ? [{ field: 'groups', message: `Are ${groups.length}; at most ${MOST_GROUPS} are possible at once` }]
    : [];

function refusals(
  wanted: readonly (readonly [keyof Permissions, Field, boolean])[],
  may: Permissions,
): Fault[] {
  return wanted.flatMap(([what, field, needed]) => {
    const reason = needed ? may[what] : undefined;
    return reason === undefined ? [] : [{ field, message: reason }];
  });
}

const licenseWord = (id: number | undefined): string => licenseType(id ?? 0)?.description ?? '';
const statusWord = (isActive: boolean): string => (isActive ? 'Active' : 'Inactive');
const switchWord = (on: boolean): string => (on ? 'On' : 'Off');

/** What a wish says, in words; only what it says. */
function shownOf(wish: Wish, book: GroupBook): Partial<Record<Field, string>> {
  return {
    ...(wish.isActive === false && { isActive: statusWord(false) }),
    ...(wish.groups && wish.groups.length > 0 && { groups: joinNames(wish.groups.map(book.nameOf)) }),
    ...(wish.twoFactorEnabled && { twoFactorEnabled: switchWord(true) }),
    ...(wish.ipRestrictionsEnabled && { ipRestrictionsEnabled: switchWord(true) }),
    ...(wish.federationId !== undefined && { federationId: wish.federationId }),
  };
}

function changesOf(known: Known, work: Work, book: GroupBook): FieldChange[] {
  const { update, licenseTypeId, addGroups = [], removeGroups = [] } = work;
  const changes: FieldChange[] = [];
  const note = (field: Field, before: string, after: string) => changes.push({ field, before, after });
  if (update?.email !== undefined) note('email', known.email, update.email);
  if (update?.firstName !== undefined) note('firstName', known.firstName, update.firstName);
  if (update?.lastName !== undefined) note('lastName', known.lastName, update.lastName);
  if (update?.isActive !== undefined)
    note('isActive', statusWord(known.isActive), statusWord(update.isActive));
  if (licenseTypeId !== undefined)
    note('licenseTypeId', licenseWord(known.licenseTypeId), licenseWord(licenseTypeId));
  if (addGroups.length + removeGroups.length > 0) {
    const after = [...known.groups.filter((group) => !removeGroups.includes(group)), ...addGroups];
    note('groups', joinNames(known.groups.map(book.nameOf)), joinNames(after.map(book.nameOf)));
  }
  if (update?.twoFactorEnabled) note('twoFactorEnabled', switchWord(false), switchWord(true));
  if (update?.ipRestrictionsEnabled) note('ipRestrictionsEnabled', switchWord(false), switchWord(true));
  if (update?.federationId !== undefined)
    note('federationId', known.federationId ?? '', update.federationId ?? '');
  return changes;
}
