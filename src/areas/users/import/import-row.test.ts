import { expect, test } from 'vitest';
import { zUserImportRow } from '../../../api/generated/zod.gen.ts';
import type { ImportRowPlan } from '../../../files/import-plan/plan.ts';
import { changesSignIn, toImportRow } from './import-row.ts';
import type { RowWork } from './plan.ts';

const toRow = (work: RowWork, id?: number) => {
  const plan: ImportRowPlan<RowWork> = {
    row: 7,
    outcome: id === undefined ? 'create' : 'update',
    id,
    name: 'Нора 諾拉',
    detail: '',
    changes: [],
    errors: [],
    work,
  };
  return zUserImportRow.parse(toImportRow(plan));
};
const PERSON = { email: 'nora@people.example', firstName: 'Нора', lastName: '諾拉' };

test('sends new users with groups and license, and changed ones with what the review saw', () => {
  expect(toRow({ create: { ...PERSON, groups: [3], isActive: false }, licenseTypeId: 2 })).toEqual({
    row: 7,
    set: { ...PERSON, isActive: false },
    addGroups: [3],
    licenseTypeId: 2,
  });
  const update = { id: 5, lastName: 'Moor', federationId: 'f-1' };
  const before = { lastName: 'Marsh', federationId: '' };
  const row = toRow({ update, before, licenseTypeId: 2, licenseBefore: 1, removeGroups: [4] }, 5);
  expect(row).toEqual({
    row: 7,
    userId: 5,
    set: { lastName: 'Moor', federationId: 'f-1' },
    expected: { lastName: 'Marsh', federationId: null },
    licenseTypeId: 2,
    expectedLicenseTypeId: 1,
    removeGroups: [4],
  });
  expect(toRow({ addGroups: [4] }, 5)).toEqual({ row: 7, userId: 5, addGroups: [4] });
});

test('asks for proof of presence only when existing users sign in otherwise', () => {
  const create = toRow({ create: { ...PERSON, twoFactorEnabled: true } });
  const rename = toRow({ update: { id: 5, lastName: 'Moor' }, before: { lastName: 'Marsh' } }, 5);
  const readdress = toRow(
    { update: { id: 5, email: PERSON.email }, before: { email: 'a@people.example' } },
    5,
  );
  expect([create, rename, readdress].map((row) => changesSignIn([row]))).toEqual([false, false, true]);
});
