import { refusedSwitches } from '../../../../contract/rules/switches.ts';
import type { UserInfo } from '../../../api/generated/types.gen.ts';
import { emailKey } from '../../../files/email-key.ts';
import { licenseWord, statusWord, switchWord } from './field-words.ts';
import type { Field } from './fields.ts';
import { barredGroups, refusals, tooManyGroups } from './limits.ts';
import { joinNames } from '../../../files/name-list.ts';
import type { Fault, FieldChange } from '../../import/plan.ts';
import type { Checking, Known, RowPlan, Work } from './plan.ts';
import type { GroupBook } from './values.ts';
import type { Wish } from './wish.ts';

type Changed = Omit<UserInfo, 'id' | 'groups'>;

/** Somebody known: only what the row says otherwise is changed. */
export function planUpdate(wish: Wish, known: Known, checking: Checking): RowPlan {
  const { book, choices, may } = checking;
  const { after, before } = compare(wish, known);
  const { addGroups, removeGroups } = compareGroups(wish, known, choices.groups);
  const updates = Object.keys(after).length > 0;
  const license = wish.licenseTypeId === known.licenseTypeId ? undefined : wish.licenseTypeId;
  const refused = refusals(
    [
      { what: 'update', field: 'email', when: updates },
      { what: 'license', field: 'licenseTypeId', when: license !== undefined },
      { what: 'assign', field: 'groups', when: addGroups.length > 0 },
      { what: 'unassign', field: 'groups', when: removeGroups.length > 0 },
    ],
    may,
  );
  const work: Work = {
    ...(updates && { update: { id: known.id, ...after }, before }),
    ...(license !== undefined && { licenseTypeId: license, licenseBefore: known.licenseTypeId }),
    ...(addGroups.length > 0 && { addGroups }),
    ...(removeGroups.length > 0 && { removeGroups }),
  };
  return {
    changes: shown(known, work, book),
    work,
    faults: [
      ...impossible(wish, known, after, checking),
      ...tooManyGroups([...addGroups, ...removeGroups]),
      ...barredGroups([...addGroups, ...removeGroups], checking),
      ...refused,
    ],
  };
}

/** Two spellings of one address are the same; spaces around a name are not kept (spec 2.1). */
const same: { [Key in keyof Changed]?: (a: string, b: string) => boolean } = {
  email: (a, b) => emailKey(a) === emailKey(b),
  firstName: (a, b) => a.trim() === b.trim(),
  lastName: (a, b) => a.trim() === b.trim(),
};

function compare(wish: Wish, known: Known): { after: Changed; before: Changed } {
  const now = { ...known, twoFactorEnabled: known.twoFactor, ipRestrictionsEnabled: known.approvedAddresses };
  const after: Changed = {};
  const before: Changed = {};
  const note = <Key extends keyof Changed>(key: Key, wanted: Changed[Key], is: Changed[Key]) => {
    if (wanted === undefined || wanted === null || wanted === is) return;
    if (typeof wanted === 'string' && typeof is === 'string' && same[key]?.(wanted, is)) return;
    after[key] = wanted;
    before[key] = is;
  };
  note('email', wish.email, now.email);
  note('firstName', wish.firstName, now.firstName);
  note('lastName', wish.lastName, now.lastName);
  note('federationId', wish.federationId, now.federationId);
  note('isActive', wish.isActive, now.isActive);
  note('twoFactorEnabled', wish.twoFactorEnabled || undefined, now.twoFactorEnabled);
  note('ipRestrictionsEnabled', wish.ipRestrictionsEnabled || undefined, now.ipRestrictionsEnabled);
  return { after, before };
}

function compareGroups({ groups }: Wish, known: Known, mode: 'add' | 'exact') {
  const addGroups = groups?.filter((group) => !known.groups.includes(group)) ?? [];
  const removeGroups =
    mode === 'exact' && groups ? known.groups.filter((group) => !groups.includes(group)) : [];
  return { addGroups, removeGroups };
}

/** What can be said without asking the service: it would refuse these. */
function impossible(wish: Wish, known: Known, after: Changed, { people, me }: Checking): Fault[] {
  const faults: Fault[] = [];
  const owner = after.email === undefined ? undefined : people.byEmail.get(emailKey(after.email));
  if (owner && owner.id !== known.id) {
    const message = `Belongs to ${owner.firstName} ${owner.lastName} (id ${owner.id})`;
    faults.push({ field: 'email', message });
  }
  if (after.isActive === false && known.id === me)
    faults.push({ field: 'isActive', message: 'This is you: somebody else has to deactivate you' });
  const switches = { twoFactorEnabled: known.twoFactor, ipRestrictionsEnabled: known.approvedAddresses };
  for (const field of refusedSwitches(switches, wish))
    faults.push({ field, message: 'Is on and cannot be switched off' });
  return faults;
}

function shown(known: Known, work: Work, book: GroupBook): FieldChange[] {
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
