import { describe, expect, test } from 'vitest';
import type { InviteeCheck } from '../../../api/generated/types.gen.ts';
import { countChoices, planInvitees } from './choices.ts';
import type { Choice, Settings } from './choices.ts';
import { entryOf, faulty } from './entry.ts';
import type { Entry } from './entry.ts';

const settings: Settings = { type: 0, days: 30, groups: [7], addable: 'add' };
const may = { invite: undefined, add: undefined };
const book = new Map([
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
  entries?: Entry[];
  settings?: Partial<Settings>;
  may?: Partial<Record<'invite' | 'add', string>>;
  chosen?: [string, Choice][];
  unanswered?: boolean;
}
const plan = ({ entries, chosen = [], unanswered = false, ...given }: Given = {}) =>
  planInvitees({
    entries: entries ?? OUTCOMES.map((outcome) => entryOf(emailOf(outcome))),
    checks,
    unanswered,
    settings: { ...settings, ...given.settings },
    chosen: new Map(chosen),
    may: { ...may, ...given.may },
    book,
  });
const choices = (given?: Given) =>
  Object.fromEntries(plan(given).map(({ outcome, choice }) => [outcome, choice]));

describe('what happens to whom, unless something else is chosen', () => {
  const rest = { invited: 'skip', member: 'skip', unknown: 'skip', 'not-an-address': 'skip' };

  test('who may be added is added, the others on the platform are invited', () => {
    expect(choices()).toEqual({ addable: 'add', invitable: 'invite', ...rest });
  });
  test('everybody is invited where that is wished, or the membership is to end', () => {
    const invited = { addable: 'invite', invitable: 'invite', ...rest };
    expect(choices({ settings: { addable: 'invite' } })).toEqual(invited);
    expect(choices({ settings: { type: 1 } })).toEqual(invited);
  });
  test('without the capability to add, or to invite', () => {
    expect(choices({ may: { add: 'Needs it' } })).toEqual({
      addable: 'invite',
      invitable: 'invite',
      ...rest,
    });
    const { unknown: closed, ...others } = rest;
    expect(choices({ may: { invite: 'Needs it' }, settings: { addable: 'invite' } })).toEqual({
      addable: 'add',
      invitable: 'skip',
      closed,
      ...others,
    });
  });
});

describe('a choice for one address', () => {
  test('stands', () => {
    const chosen: [string, Choice][] = [
      [emailOf('addable'), 'skip'],
      [emailOf('invited'), 'resend'],
    ];
    expect(choices({ chosen })).toMatchObject({ addable: 'skip', invited: 'resend', invitable: 'invite' });
  });
  test('gives way where it is not possible', () => {
    expect(
      choices({
        chosen: [
          [emailOf('member'), 'invite'],
          [emailOf('invitable'), 'add'],
        ],
      }),
    ).toMatchObject({
      member: 'skip',
      invitable: 'invite',
    });
    expect(choices({ chosen: [[emailOf('addable'), 'add']], settings: { type: 1 } })).toMatchObject({
      addable: 'invite',
    });
  });
  test('what is off says why: who can be invited only, the reason of the service', () => {
    const [, invitable] = plan();
    expect(invitable?.options.find(({ choice }) => choice === 'add')?.reason).toBe('Invitable');
  });
});

test('the same address again is left out, however it is written', () => {
  const found = plan({ entries: [entryOf(emailOf('addable')), entryOf('ADDABLE@x.example')] });
  expect(found.map(({ outcome, choice }) => [outcome, choice])).toEqual([
    ['addable', 'add'],
    ['repeated', 'skip'],
  ]);
});

test('columns of a file go before what is set for all', () => {
  const own = { type: 1, days: 90, groups: ['Sales'] };
  const [one, two, three] = plan({
    entries: [
      entryOf(emailOf('addable'), own),
      entryOf('b@x.example', { groups: ['Nowhere'] }),
      entryOf('c@x.example', { groups: ['stewards'] }),
    ],
  });
  expect(one).toMatchObject({ terms: { type: 1, days: 90, groups: [3] }, choice: 'invite' });
  expect(two).toMatchObject({ outcome: 'faulty', message: 'No group is called “Nowhere”', choice: 'skip' });
  expect(three?.message).toBe('stewards: Gives Manage Users, which you do not have');
});

test('what is not answered waits; where nobody answers, the service decides later', () => {
  const entries = [entryOf('new@x.example'), faulty('nobody')];
  expect(plan({ entries }).map(({ outcome, choice }) => [outcome, choice])).toEqual([
    ['checking', 'skip'],
    ['not-an-address', 'skip'],
  ]);
  expect(plan({ entries, unanswered: true })[0]).toMatchObject({ outcome: 'unchecked', choice: 'invite' });
});

test('they are counted', () => {
  expect(countChoices(plan())).toEqual({ invite: 1, add: 1, resend: 0, skip: 4 });
});
