import { expect, test } from 'vitest';
import { CONFIGURATION_ACTIONS } from '../../../../contract/rules/configuration.ts';
import {
  findShortChange,
  formatConfigurationAction,
  formatConfigurationValues,
} from './configuration-format.ts';
import { parseConfigurationView, serializeConfigurationView } from './configuration-view.ts';

const names = {
  getGroupName: (id: number) => `Group ${id}`,
  getUserName: (id: number) => `Person ${id}`,
  getTypeName: (id: number) => `Type ${id}`,
};

test('every action of the log has a sentence of its own', () => {
  const sentences = Object.values(CONFIGURATION_ACTIONS)
    .flat()
    .map((action) =>
      formatConfigurationAction({ action, subjectType: 'group', subjectId: '7', subjectName: '$& {name}' }),
    );
  expect(sentences.filter((sentence) => sentence.includes(':'))).toEqual([]);
  expect(new Set(sentences).size).toBe(sentences.length);
  expect(sentences).toContain('Changed the group $& {name}');
});

test('names things without a recorded name by their id', () => {
  const subject = { subjectId: '7', subjectName: null };
  expect(formatConfigurationAction({ ...subject, action: 'group.update', subjectType: 'group' })).toBe(
    'Changed the group 7',
  );
  expect(formatConfigurationAction({ ...subject, action: 'user.api-key-off', subjectType: 'user' })).toBe(
    'Turned off the API key of user 7',
  );
});

test('shows values before and after, and of lists what was added and removed', () => {
  expect(
    formatConfigurationValues(
      {
        dedicatedDomain: [null, 'a.example'],
        timeZone: ['Europe/Vienna', 'UTC'],
        capabilities: [
          ['Read Data', 'Write Data'],
          ['Read Data', 'Manage Users'],
        ],
        addresses: [[{ network: '10.0.0.0/8', note: '' }], [{ network: '10.0.0.0/8', note: 'Office' }]],
        clientSecret: 'another one',
      },
      names,
    ),
  ).toEqual([
    { property: 'Dedicated domain', before: undefined, after: 'a.example' },
    { property: 'Time zone', before: 'Europe/Vienna', after: 'UTC' },
    { property: 'Capabilities', added: ['Manage Users'], removed: ['Write Data'], unchangedCount: 1 },
    { property: 'Addresses', added: ['10.0.0.0/8 · Office'], removed: ['10.0.0.0/8'], unchangedCount: 0 },
    { property: 'Client secret', before: undefined, after: 'another one' },
  ]);
});

test('a single small change is short, every other one is not', () => {
  expect(findShortChange({ hasAgentServer: [false, true] })).toEqual({
    property: 'Agent server license',
    before: 'Off',
    after: 'On',
  });
  expect(findShortChange({ seats: [100, 120] })).toMatchObject({ before: '100', after: '120' });
  for (const changes of [
    {},
    { name: ['A', 'B'], timeZone: ['UTC', 'Europe/Berlin'] },
    { name: ['A', 'B'.repeat(17)] },
    { name: [null, 'B'] },
    { name: 'B' },
    { entryTypeId: [1, 2] },
    { capabilities: [[], ['Manage Users']] },
  ])
    expect(findShortChange(changes)).toBeUndefined();
});

test('the view survives the address, and unknown values are dropped', () => {
  const search = { q: 42, kind: 'group-topic-nothing', people: '3-x-4', range: 90, other: 'x' };
  const view = parseConfigurationView(search);
  expect(view).toEqual({ q: '42', kinds: ['group', 'topic'], people: [3, 4], period: '90' });
  expect(parseConfigurationView({ ...serializeConfigurationView(view) })).toEqual(view);
  expect(serializeConfigurationView(parseConfigurationView({}))).toEqual({});
});

test('shows names instead of ids', () => {
  const values = formatConfigurationValues(
    {
      userId: 544,
      entryTypeIds: [1],
      entryTypes: [[], [{ entryTypeId: 3, fieldIds: [7, 9] }]],
      entryTypeId: [2, 3],
    },
    names,
  );
  expect(values).toEqual([
    { property: 'Person', before: undefined, after: 'Person 544' },
    { property: 'Entry types', added: ['Type 1'], removed: [], unchangedCount: 0 },
    { property: 'Entry types', added: ['Type 3 · 2 fields'], removed: [], unchangedCount: 0 },
    { property: 'Entry type', before: 'Type 2', after: 'Type 3' },
  ]);
});
