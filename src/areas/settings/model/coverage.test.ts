import { expect, it } from 'vitest';
import type { TwoFactorCoverage } from '../../../api/generated/types.gen.ts';
import { partsOf, unlisted } from './coverage.ts';

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

it('parts every active user into one of four', () => {
  const { active, setUp, parts } = partsOf(coverage);
  expect([active, setUp]).toEqual([10, 6]);
  expect(parts.map(({ number }) => number)).toEqual([4, 2, 3, 1]);
});

it('says how many are asked for a factor beyond those who are listed', () => {
  expect(unlisted(coverage)).toBe(2);
});
