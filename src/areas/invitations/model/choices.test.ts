import { describe, expect, test } from 'vitest';
import type { InviteeCheck } from '../../../../contract/generated/types.gen.ts';
import { createEntry, createInvalidEntry } from './addresses.ts';
import type { AddressEntry } from './addresses.ts';
import { countChoices, planInvitees } from './choices.ts';
import type { Choice, MembershipSettings } from './choices.ts';

const settings: MembershipSettings = { type: 0, days: 30, groups: [7], addable: 'add' };
const missingCapabilities = { invite: undefined, add: undefined };
const groupLookup = new Map([
  ['sales', { id: 3, reason: undefined }],
  ['stewards', { id: 4, reason: 'Gives Manage Users, which you do not have' }],
]);
const OUTCOMES: InviteeCheck['outcome'][] = [
  'addable',
  'invitable',
  'invited',
  'member',
  'unknown',
  'not-an-address',
];
const emailOf = (outcome: string) => `${outcome}@x.example`;
const checks = new Map(
  OUTCOMES.map((outcome) => [
    emailOf(outcome),
    { email: emailOf(outcome), outcome, message: `Told: ${outcome}` },
  ]),
);

interface Given {
  entries?: AddressEntry[];
  settings?: Partial<MembershipSettings>;
  missingCapabilities?: Partial<Record<'invite' | 'add', string>>;
  choices?: [string, Choice][];
  unanswered?: boolean;
}
const plan = ({ entries, choices: chosen = [], unanswered = false, ...given }: Given = {}) =>
  planInvitees({
    entries: entries ?? OUTCOMES.map((outcome) => createEntry(emailOf(outcome))),
    checks,
    couldNotCheck: unanswered,
    settings: { ...settings, ...given.settings },
    choices: new Map(chosen),
    missingCapabilities: { ...missingCapabilities, ...given.missingCapabilities },
    groupLookup,
  });
const choices = (given?: Given) =>
  Object.fromEntries(plan(given).map(({ outcome, choice }) => [outcome, choice]));

describe('default choices', () => {
  const rest = { invited: 'skip', member: 'skip', unknown: 'skip', 'not-an-address': 'skip' };

  test('adds eligible people and invites the others on the platform', () => {
    expect(choices()).toEqual({ addable: 'add', invitable: 'invite', ...rest });
  });
  test('invites everyone if chosen or for a temporary membership', () => {
    const invited = { addable: 'invite', invitable: 'invite', ...rest };
    expect(choices({ settings: { addable: 'invite' } })).toEqual(invited);
    expect(choices({ settings: { type: 1 } })).toEqual(invited);
  });
  test('without the capability to add, or to invite', () => {
    expect(choices({ missingCapabilities: { add: 'Needs it' } })).toEqual({
      addable: 'invite',
      invitable: 'invite',
      ...rest,
    });
    const { unknown: closed, ...others } = rest;
    expect(choices({ missingCapabilities: { invite: 'Needs it' }, settings: { addable: 'invite' } })).toEqual(
      {
        addable: 'add',
        invitable: 'skip',
        closed,
        ...others,
      },
    );
  });
});

describe('choice for one address', () => {
  test('is kept', () => {
    const chosen: [string, Choice][] = [
      [emailOf('addable'), 'skip'],
      [emailOf('invited'), 'resend'],
    ];
    expect(choices({ choices: chosen })).toMatchObject({
      addable: 'skip',
      invited: 'resend',
      invitable: 'invite',
    });
  });
  test('is ignored if not possible', () => {
    expect(
      choices({
        choices: [
          [emailOf('member'), 'invite'],
          [emailOf('invitable'), 'add'],
        ],
      }),
    ).toMatchObject({
      member: 'skip',
      invitable: 'invite',
    });
    expect(choices({ choices: [[emailOf('addable'), 'add']], settings: { type: 1 } })).toMatchObject({
      addable: 'invite',
    });
  });
  test('explains disabled options with the reason of the service', () => {
    const [, invitable] = plan();
    expect(invitable?.options.find(({ choice }) => choice === 'add')?.reason).toBe('Invitable');
  });
});

test('skips repeated addresses in any spelling', () => {
  const found = plan({ entries: [createEntry(emailOf('addable')), createEntry('ADDABLE@x.example')] });
  expect(found.map(({ outcome, choice }) => [outcome, choice])).toEqual([
    ['addable', 'add'],
    ['repeated', 'skip'],
  ]);
});

test('applies terms of a file row before the settings', () => {
  const own = { type: 1, days: 90, groups: ['Sales'] };
  const [one, two, three] = plan({
    entries: [
      createEntry(emailOf('addable'), own),
      createEntry('b@x.example', { groups: ['Nowhere'] }),
      createEntry('c@x.example', { groups: ['stewards'] }),
    ],
  });
  expect(one).toMatchObject({ terms: { type: 1, days: 90, groups: [3] }, choice: 'invite' });
  expect(two).toMatchObject({ outcome: 'faulty', message: 'There is no group “Nowhere”', choice: 'skip' });
  expect(three?.message).toBe('stewards: Gives Manage Users, which you do not have');
});

test('waits for answers, or leaves the decision to the service', () => {
  const entries = [createEntry('new@x.example'), createInvalidEntry('nobody')];
  expect(plan({ entries }).map(({ outcome, choice }) => [outcome, choice])).toEqual([
    ['checking', 'skip'],
    ['not-an-address', 'skip'],
  ]);
  expect(plan({ entries, unanswered: true })[0]).toMatchObject({ outcome: 'unchecked', choice: 'invite' });
});

test('counts choices', () => {
  expect(countChoices(plan())).toEqual({ invite: 1, add: 1, resend: 0, skip: 4 });
});
