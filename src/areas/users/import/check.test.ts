import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { HEADINGS } from '../../../../contract/rules/tables/user-columns.ts';
import { zNewUserInfo } from '../../../api/generated/zod.gen.ts';
import { formatRowError } from '../../../files/import-plan/plan.ts';
import type { ImportRowPlan } from '../../../files/import-plan/plan.ts';
import { toEmailKey } from '../../../lib/text/email-key.ts';
import { checkRows } from './check.ts';
import { FIELDS } from './fields.ts';
import type { Field } from './fields.ts';
import { createGroupLookup, parseRow } from './parse-row.ts';
import { getRowBillableChange } from './plan.ts';
import type { CheckContext, ImportOptions, KnownUser, MissingCapabilities, RowWork } from './plan.ts';

const ann: KnownUser = {
  id: 7,
  email: 'ann@people.example',
  firstName: 'Ann',
  lastName: 'Marsh',
  isActive: true,
  licenseTypeId: 1,
  groups: [1],
  twoFactor: true,
  approvedAddresses: false,
  timeZone: 'Europe/Kyiv',
  federationId: 'f-7',
};
const ben: KnownUser = { ...ann, id: 8, email: 'ben@people.example', firstName: 'Ben', twoFactor: false };
const GROUPS = [
  { id: 1, name: 'Sales' },
  { id: 2, name: 'North; South' },
  { id: 3, name: '2024' },
];
const FREE: MissingCapabilities = {
  create: undefined,
  update: undefined,
  license: undefined,
  assign: undefined,
  unassign: undefined,
};

interface Against {
  choices?: ImportOptions;
  missingCapabilities?: Partial<MissingCapabilities>;
  barred?: ReadonlyMap<number, string>;
}

function checking({
  choices = { groups: 'add' },
  missingCapabilities: may,
  barred = new Map(),
}: Against): CheckContext {
  return {
    people: {
      byId: new Map([ann, ben].map((one) => [one.id, one])),
      byEmail: new Map([ann, ben].map((one) => [toEmailKey(one.email), one])),
    },
    groupLookup: createGroupLookup(GROUPS),
    options: choices,
    missingCapabilities: { ...FREE, ...may },
    ungrantableGroups: barred,
    ownUserId: 8,
  };
}

type Line = Partial<Record<Field, string>>;

function check(lines: readonly Line[], against: Against = {}): ImportRowPlan<RowWork>[] {
  const all = checking(against);
  const rows = lines.map((line, at) => ({ row: at + 2, cells: FIELDS.map((field) => line[field] ?? '') }));
  return checkRows(
    rows.map((row) => parseRow(row, FIELDS, all.groupLookup)),
    all,
  );
}

const NEW = { email: 'new@people.example', firstName: 'Nora', lastName: 'New' };
const faultsOf = (lines: readonly Line[], against?: Against) =>
  check(lines, against).map(({ errors }) =>
    errors.map((error) => formatRowError(error, HEADINGS)).join('. '),
  );

test('creates new users, with a separate request for licenses other than Standard', () => {
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

test('counts the billable licenses that rows add and release; a refused row counts nothing', () => {
  const plans = check([
    NEW,
    { ...NEW, email: 'free@people.example', licenseTypeId: 'free' },
    { ...NEW, email: 'limited@people.example', licenseTypeId: '2' },
    { email: ann.email, licenseTypeId: 'no license' },
    { email: ben.email, licenseTypeId: 'Limited' },
    { ...NEW, email: 'not an address' },
  ]);
  expect(plans.map(({ work }) => getRowBillableChange(work))).toEqual([1, 0, 1, -1, 0, 0]);
});

test('sends only changed fields of users found by id or e-mail', () => {
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

test('sets time zones that exist, whatever the case and the name of a renamed one', () => {
  const [created, changed, same, unknown, offset] = check([
    { ...NEW, timeZone: 'europe/lisbon' },
    { id: '7', timeZone: ' Pacific/Kiritimati ' },
    { id: '8', timeZone: 'Europe/Kiev' },
    { ...NEW, email: 'b@people.example', timeZone: 'Moon' },
    { ...NEW, email: 'c@people.example', timeZone: '+02:00' },
  ]);
  expect(created).toMatchObject({
    outcome: 'create',
    changes: [
      { field: 'licenseTypeId', before: '', after: 'Standard' },
      { field: 'timeZone', before: '', after: 'Europe/Lisbon' },
    ],
    work: { create: { ...NEW, timeZone: 'Europe/Lisbon' } },
  });
  expect(changed).toMatchObject({
    changes: [{ field: 'timeZone', before: 'Europe/Kyiv', after: 'Pacific/Kiritimati' }],
    work: { update: { id: 7, timeZone: 'Pacific/Kiritimati' }, before: { timeZone: 'Europe/Kyiv' } },
  });
  expect(same).toMatchObject({ outcome: 'skip', changes: [] });
  for (const [row, text] of [
    [unknown, '“Moon”'],
    [offset, '“+02:00”'],
  ] as const)
    expect(row?.errors).toEqual([
      { field: 'timeZone', message: `${text} is not a time zone such as Europe/Berlin` },
    ]);
});

test('ignores empty cells and removes groups only in exact mode', () => {
  expect(check([{ id: '7' }])).toMatchObject([{ outcome: 'skip', changes: [], work: {} }]);
  expect(check([{ id: '7', groups: '2024' }])[0]?.work).toEqual({ addGroups: [3] });
  const exact = { choices: { groups: 'exact' } } as const;
  expect(check([{ id: '7', groups: '2024' }], exact)[0]?.work).toEqual({ addGroups: [3], removeGroups: [1] });
  expect(check([{ id: '7' }], exact)).toMatchObject([{ outcome: 'skip' }]);
});

test.each<[string, Line, string]>([
  ['nobody', { firstName: 'Ann' }, 'E-mail: Is missing. Last name: Is missing'],
  ['a wrong address', { ...NEW, email: 'new' }, 'E-mail: “new” is not an e-mail address'],
  ['no id', { ...NEW, id: '1.5' }, 'Id: “1.5” is not a user id'],
  ['an unknown id', { ...NEW, id: '99' }, 'Id: There is no user 99 on this site'],
  ['someone else’s address', { id: '7', email: 'ben@people.example' }, 'E-mail: Belongs to Ben Marsh (id 8)'],
  ['an unknown license', { ...NEW, licenseTypeId: 'Platinum' }, 'License: “Platinum” is not a license'],
  ['unknown groups', { ...NEW, groups: 'Sales; North; 9' }, 'Groups: There are no groups “North”, “9”'],
  ['a status', { ...NEW, isActive: 'perhaps' }, 'Status: “perhaps” is neither Active nor Inactive'],
  ['a switch', { ...NEW, twoFactorEnabled: 'maybe' }, 'Two-factor: “maybe” is neither yes nor no'],
  [
    'what cannot be undone',
    { id: '7', twoFactorEnabled: 'no' },
    'Two-factor: Is on and cannot be turned off',
  ],
  ['oneself', { id: '8', isActive: 'inactive' }, 'Status: This is you: someone else has to deactivate you'],
  [
    'a long name',
    { ...NEW, firstName: 'x'.repeat(101) },
    'First name: Has 101 characters; the maximum is 100',
  ],
])('refuses rows with %s', (_, line, words) => {
  expect(faultsOf([line])).toEqual([words]);
  expect(check([line])).toMatchObject([{ outcome: 'cannot', work: {} }]);
});

test('names the other rows that mean the same user', () => {
  expect(faultsOf([NEW, { ...NEW, email: 'NEW@people.example' }, { id: '7' }, { email: ann.email }])).toEqual(
    [
      'E-mail: The same address is in row 3',
      'E-mail: The same address is in row 2',
      'Id: The same person is in row 5',
      'Id: The same person is in row 4',
    ],
  );
});

test('refuses rows that need a missing capability', () => {
  const missingCapabilities = { create: 'Needs A', license: 'Needs L', assign: 'Needs G', update: 'Needs U' };
  expect(
    faultsOf([NEW, { id: '7', licenseTypeId: '2' }, { id: '8', groups: '2024', licenseTypeId: '1' }], {
      missingCapabilities,
    }),
  ).toEqual(['E-mail: Needs A', 'License: Needs L', 'Groups: Needs G']);
});

test("refuses groups with more capabilities than the importer's", () => {
  const barred = new Map([[1, 'Manage Users']]);
  const refusal = 'Groups: “Sales” grants Manage Users, which you do not have';
  const lines = [
    { ...NEW, groups: 'Sales' },
    { id: '7', groups: 'Sales; 2024' },
    { id: '8', groups: '2024' },
  ];
  // Existing memberships are not added again.
  expect(faultsOf(lines, { barred })).toEqual([refusal, '', '']);
  expect(faultsOf(lines, { barred, choices: { groups: 'exact' } })).toEqual([refusal, '', refusal]);
});

test('accepts only what the contract accepts', () => {
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
