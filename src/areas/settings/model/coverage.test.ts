import { expect, it } from 'vitest';
import type { TwoFactorCoverage } from '../../../../contract/generated/types.gen.ts';
import { getCoverageGroups, countUnlisted } from './coverage.ts';

const person = {
  userId: 1,
  userName: 'a@b.example',
  fullName: 'A B',
  twoFactorEnabled: true,
  isAdministrator: false,
};
const coverage: TwoFactorCoverage = {
  requiredSetUp: 4,
  requiredNotSetUp: 3,
  optionalSetUp: 2,
  optionalNotSetUp: 1,
  administratorsNotSetUp: 1,
  people: [person, { ...person, userId: 2, twoFactorEnabled: false, isAdministrator: true }],
};

it('assigns every active user to one of four groups', () => {
  const { active, setUp, groups } = getCoverageGroups(coverage);
  expect([active, setUp]).toEqual([10, 6]);
  expect(groups.map(({ count }) => count)).toEqual([4, 2, 3, 1]);
});

it('counts users without a required factor beyond those listed', () => {
  expect(countUnlisted(coverage)).toBe(2);
});
