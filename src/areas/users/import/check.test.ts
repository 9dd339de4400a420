import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { zNewUserInfo } from '../../../api/generated/zod.gen.ts';
import { checkWishes } from './check.ts';
import { emailKey } from '../../../files/email-key.ts';
import { faultWords } from '../../import/row-words.ts';
import { FIELDS, HEADINGS } from './fields.ts';
import type { Field } from './fields.ts';
import type { Planned } from '../../import/plan.ts';
import type { Checking, Choices, Known, Permissions, Work } from './plan.ts';
import { groupBook } from './values.ts';
import { readWish } from './wish.ts';

const ann: Known = {
  id: 7,
  email: 'ann@people.example',
  firstName: 'Ann',
  lastName: 'Marsh',
  isActive: true,
  licenseTypeId: 1,
  groups: [1],
  twoFactor: true,
  approvedAddresses: false,
  federationId: 'f-7',
};
const ben: Known = { ...ann, id: 8, email: 'ben@people.example', firstName: 'Ben', twoFactor: false };
const GROUPS = [
  { id: 1, name: 'Sales' },
  { id: 2, name: 'North; South' },
  { id: 3, name: '2024' },
];
const FREE: Permissions = {
  create: undefined,
  update: undefined,
  license: undefined,
  assign: undefined,
  unassign: undefined,
};

interface Against {
  choices?: Choices;
  may?: Partial<Permissions>;
  barred?: ReadonlyMap<number, string>;
}

function checking({ choices = { groups: 'add' }, may, barred = new Map() }: Against): Checking {
  return {
    people: {
      byId: new Map([ann, ben].map((one) => [one.id, one])),
      byEmail: new Map([ann, ben].map((one) => [emailKey(one.email), one])),
    },
    book: groupBook(GROUPS),
    choices,
    may: { ...FREE, ...may },
    barred,
    me: 8,
  };
}

type Line = Partial<Record<Field, string>>;

function check(lines: readonly Line[], against: Against = {}): Planned<Work>[] {
  const all = checking(against);
  const rows = lines.map((line, at) => ({ row: at + 2, cells: FIELDS.map((field) => line[field] ?? '') }));
  return checkWishes(
    rows.map((row) => readWish(row, FIELDS, all.book)),
    all,
  );
}

const NEW = { email: 'new@people.example', firstName: 'Nora', lastName: 'New' };
const faultsOf = (lines: readonly Line[], against?: Against) =>
  check(lines, against).map(({ faults }) => faults.map((fault) => faultWords(fault, HEADINGS)).join('. '));

test('somebody new is created with what the row says; a license other than Standard is a call of its own', () => {
  const [plan] = check([
    {
      ...NEW,
      licenseTypeId: 'free',
      groups: 'sales; "North; South"',
      twoFactorEnabled: 'yes',
      isActive: 'No',
    },
  ]);
  expect(plan).toMatchObject({
    outcome: 'create',
    work: {
      create: { ...NEW, isActive: false, groups: [1, 2], twoFactorEnabled: true },
      licenseTypeId: 3,
    },
  });
});

test('somebody known by id or address gets only what differs', () => {
  const [byId, byEmail, same] = check([
    { id: '7', email: 'ann.marsh@people.example', firstName: ' Ann ', licenseTypeId: '2' },
    { email: 'BEN@people.example', lastName: 'Moor', groups: '2024' },
  ]);
  expect(same).toBeUndefined();
  expect(byId).toMatchObject({
    outcome: 'update',
    work: {
      update: { id: 7, email: 'ann.marsh@people.example' },
      before: { email: 'ann@people.example' },
      licenseTypeId: 2,
      licenseBefore: 1,
    },
  });
  expect(byId?.changes).toEqual([
    { field: 'email', before: 'ann@people.example', after: 'ann.marsh@people.example' },
    { field: 'licenseTypeId', before: 'Standard', after: 'Limited' },
  ]);
  expect(byEmail?.work).toEqual({
    update: { id: 8, lastName: 'Moor' },
    before: { lastName: 'Marsh' },
    addGroups: [3],
  });
});

test('an empty cell changes nothing, and groups are taken away only where that was chosen', () => {
  expect(check([{ id: '7' }])).toMatchObject([{ outcome: 'skip', changes: [], work: {} }]);
  expect(check([{ id: '7', groups: '2024' }])[0]?.work).toEqual({ addGroups: [3] });
  const exact = { choices: { groups: 'exact' } } as const;
  expect(check([{ id: '7', groups: '2024' }], exact)[0]?.work).toEqual({ addGroups: [3], removeGroups: [1] });
  expect(check([{ id: '7' }], exact)).toMatchObject([{ outcome: 'skip' }]);
});

test.each<[string, Line, string]>([
  ['nobody', { firstName: 'Ann' }, 'E-mail: Is missing. Last name: Is missing'],
  ['a wrong address', { ...NEW, email: 'new' }, 'E-mail: “new” is not an e-mail address'],
  ['no id', { ...NEW, id: '1.5' }, 'Id: “1.5” is no user id'],
  ['an unknown id', { ...NEW, id: '99' }, 'Id: There is no user 99 on this site'],
  [
    'somebody else’s address',
    { id: '7', email: 'ben@people.example' },
    'E-mail: Belongs to Ben Marsh (id 8)',
  ],
  ['an unknown license', { ...NEW, licenseTypeId: 'Platinum' }, 'License: “Platinum” is no license'],
  ['unknown groups', { ...NEW, groups: 'Sales; North; 9' }, 'Groups: There are no groups “North”, “9”'],
  ['a status', { ...NEW, isActive: 'perhaps' }, 'Status: “perhaps” is neither Active nor Inactive'],
  ['a switch', { ...NEW, twoFactorEnabled: 'maybe' }, 'Two-factor: “maybe” is neither yes nor no'],
  [
    'what cannot be undone',
    { id: '7', twoFactorEnabled: 'no' },
    'Two-factor: Is on and cannot be switched off',
  ],
  ['oneself', { id: '8', isActive: 'inactive' }, 'Status: This is you: somebody else has to deactivate you'],
  [
    'a long name',
    { ...NEW, firstName: 'x'.repeat(101) },
    'First name: Has 101 characters; at most 100 are possible',
  ],
])('a row about %s is refused in words', (_, line, words) => {
  expect(faultsOf([line])).toEqual([words]);
  expect(check([line])).toMatchObject([{ outcome: 'cannot', work: {} }]);
});

test('rows that mean the same person name each other', () => {
  expect(faultsOf([NEW, { ...NEW, email: 'NEW@people.example' }, { id: '7' }, { email: ann.email }])).toEqual(
    [
      'E-mail: The same address stands in row 3',
      'E-mail: The same address stands in row 2',
      'Id: The same person stands in row 5',
      'Id: The same person stands in row 4',
    ],
  );
});

test('what the person who imports may not do is refused, and only where it is needed', () => {
  const may = { create: 'Needs A', license: 'Needs L', assign: 'Needs G', update: 'Needs U' };
  expect(
    faultsOf([NEW, { id: '7', licenseTypeId: '2' }, { id: '8', groups: '2024', licenseTypeId: '1' }], {
      may,
    }),
  ).toEqual(['E-mail: Needs A', 'License: Needs L', 'Groups: Needs G']);
});

test('a group that gives more than the importer holds is neither given nor taken', () => {
  const barred = new Map([[1, 'Manage Users']]);
  const refusal = 'Groups: “Sales” gives Manage Users, which you do not have';
  const lines = [
    { ...NEW, groups: 'Sales' },
    { id: '7', groups: 'Sales; 2024' },
    { id: '8', groups: '2024' },
  ];
  // Who is in it already is not put in again.
  expect(faultsOf(lines, { barred })).toEqual([refusal, '', '']);
  expect(faultsOf(lines, { barred, choices: { groups: 'exact' } })).toEqual([refusal, '', refusal]);
});

test('what is let through is what the contract takes', () => {
  const text = fc.oneof(fc.string({ maxLength: 130 }), fc.string({ unit: 'binary', maxLength: 300 }));
  const email = fc.oneof(fc.emailAddress(), text);
  fc.assert(
    fc.property(fc.record({ email, firstName: text, lastName: text, federationId: text }), (line) => {
      const [plan] = check([line]);
      if (plan?.outcome !== 'create') return;
      expect(zNewUserInfo.safeParse(plan.work.create).success).toBe(true);
    }),
  );
});
