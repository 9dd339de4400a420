import { STANDARD_LICENSE } from '../../../contract/rules/licenses.ts';
import type { NewUserInfo } from '../../api/generated/types.gen.ts';
import { licenseWord, statusWord, switchWord } from './field-words.ts';
import type { Field } from './fields.ts';
import { barredGroups, refusals, tooManyGroups } from './limits.ts';
import { joinNames } from '../name-list.ts';
import type { Fault, FieldChange } from '../plan.ts';
import type { Checking, RowPlan } from './plan.ts';
import type { GroupBook } from './values.ts';
import type { Wish } from './wish.ts';

const REQUIRED = ['email', 'firstName', 'lastName'] as const;

/** Somebody new: one call creates them, and a license other than Standard is a second one (spec 4.2). */
export function planCreate(wish: Wish, checking: Checking): RowPlan {
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
