import { emailKey } from '../../../files/email-key.ts';
import type { Fault, Planned, FieldChange } from '../../import/plan.ts';
import type { Checking, Known, People, Work, RowPlan } from './plan.ts';
import { planUpdate } from './update-plan.ts';
import type { Wish } from './wish.ts';
import { STANDARD_LICENSE } from '../../../../contract/rules/licenses.ts';
import type { NewUserInfo } from '../../../api/generated/types.gen.ts';
import { licenseWord, statusWord, switchWord } from './field-words.ts';
import type { Field } from './fields.ts';
import { barredGroups, refusals, tooManyGroups } from './limits.ts';
import { joinNames } from '../../../files/name-list.ts';
import type { GroupBook } from './values.ts';

/** Decides for every row what would become of it. Rows that mean the same person spoil each other. */
export function checkWishes(wishes: readonly Wish[], checking: Checking): Planned<Work>[] {
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

function planRow(
  wish: Wish,
  known: Known | undefined,
  twin: Fault | undefined,
  checking: Checking,
): Planned<Work> {
  const faults = [...wish.faults, ...(twin ? [twin] : [])];
  const firstName = wish.firstName ?? known?.firstName ?? '';
  const lastName = wish.lastName ?? known?.lastName ?? '';
  const planned = {
    row: wish.row,
    id: known?.id,
    name: `${firstName} ${lastName}`.trim(),
    detail: wish.email ?? known?.email ?? '',
  };
  const cannot = (more: readonly Fault[]): Planned<Work> => ({
    ...planned,
    outcome: 'cannot',
    changes: [],
    faults: more,
    work: {},
  });
  if (known === undefined && wish.id !== undefined)
    return cannot([...faults, { field: 'id', message: `There is no user ${wish.id} on this site` }]);
  if (wish.broken) return cannot(faults);
  const {
    changes,
    work,
    faults: own,
  } = known ? planUpdate(wish, known, checking) : planCreate(wish, checking);
  if (faults.length + own.length > 0) return cannot([...faults, ...own]);
  const outcome = known ? (changes.length > 0 ? 'update' : 'skip') : 'create';
  return { ...planned, outcome, changes, faults: [], work };
}

const REQUIRED = ['email', 'firstName', 'lastName'] as const;

/** Somebody new: one call creates them, and a license other than Standard is a second one (spec 4.2). */
function planCreate(wish: Wish, checking: Checking): RowPlan {
  const { book, may } = checking;
  const { licenseTypeId, groups = [] } = wish;
  const otherLicense = licenseTypeId !== undefined && licenseTypeId !== STANDARD_LICENSE;
  const refused = refusals(
    [
      { what: 'create', field: 'email', when: true },
      { what: 'license', field: 'licenseTypeId', when: otherLicense },
    ],
    may,
  );
  return {
    changes: shown(wish, book),
    work: { create: toNewUser(wish), ...(otherLicense && { licenseTypeId }) },
    faults: [...missing(wish), ...refused, ...tooManyGroups(groups), ...barredGroups(groups, checking)],
  };
}

/** Where a cell was read in vain, that is said already. */
const missing = (wish: Wish): Fault[] =>
  REQUIRED.filter(
    (field) => wish[field] === undefined && !wish.faults.some((fault) => fault.field === field),
  ).map((field) => ({ field, message: 'Is missing' }));

const toNewUser = (wish: Wish): NewUserInfo => ({
  email: wish.email ?? '',
  firstName: wish.firstName ?? '',
  lastName: wish.lastName ?? '',
  ...(wish.isActive !== undefined && { isActive: wish.isActive }),
  ...(wish.groups && wish.groups.length > 0 && { groups: [...wish.groups] }),
  ...(wish.twoFactorEnabled && { twoFactorEnabled: true }),
  ...(wish.ipRestrictionsEnabled && { ipRestrictionsEnabled: true }),
  ...(wish.federationId !== undefined && { federationId: wish.federationId }),
});

/** What they will have beside name and address, which stand in the row anyway. */
function shown(wish: Wish, book: GroupBook): FieldChange[] {
  const { groups = [], federationId } = wish;
  const values: readonly [Field, string | undefined][] = [
    ['isActive', wish.isActive === false ? statusWord(false) : undefined],
    ['licenseTypeId', licenseWord(wish.licenseTypeId ?? STANDARD_LICENSE)],
    ['groups', groups.length > 0 ? joinNames(groups.map(book.nameOf)) : undefined],
    ['twoFactorEnabled', wish.twoFactorEnabled ? switchWord(true) : undefined],
    ['ipRestrictionsEnabled', wish.ipRestrictionsEnabled ? switchWord(true) : undefined],
    ['federationId', federationId],
  ];
  return values.flatMap(([field, after]) => (after === undefined ? [] : [{ field, before: '', after }]));
}
