import { expect, test } from 'vitest';
import { getConfigurationKind } from '../../../contract/rules/configuration.ts';
import { registry } from '../registry.ts';
import { limitChanges } from './limit-changes.ts';

/** Subjects of audit rows that are configuration of the site as a whole. */
const CONFIGURATION_SUBJECTS = [
  'agent-key',
  'agent-server',
  'destination',
  'entryType',
  'field',
  'key',
  'relationships',
  'report-schedule',
  'report-template',
  'site',
  'topic',
];
/** Actions on users that are configuration: those on their API keys. */
const KEY_ACTION = /\.(api-)?key(-|$)/;
/** Actions on them that change no configuration: they run, read, resend, remind or import something. */
const EVENTS = new Set([
  'destination.resend',
  'report.preview',
  'report.expire',
  'site.administrator-link',
  'site.retry-background-work',
  'site.test-mail',
  'cli.restore',
  'cli.mail-retry',
  'cli.site-sessions-end',
  'relationships.erase',
  'relationships.import',
  'user.api-key-remind',
]);

const listActions = (subject: string) => registry.auditActions[subject] ?? [];

test('every action that changes the configuration is in the configuration log', () => {
  const declared = [
    ...CONFIGURATION_SUBJECTS.map((subject) => ({ subject, actions: listActions(subject) })),
    { subject: 'user', actions: listActions('user').filter((action) => KEY_ACTION.test(action)) },
  ];
  // A subject without any action is misspelled here.
  expect(declared.filter(({ actions }) => actions.length === 0)).toEqual([]);
  const missing = declared.flatMap(({ subject, actions }) =>
    actions.filter((action) => !EVENTS.has(action) && getConfigurationKind(subject, action) === undefined),
  );
  // Add the action to contract/rules/configuration.ts.
  expect(missing).toEqual([]);
});

test('a member who loses a deleted group is no change of the configuration', () => {
  expect(getConfigurationKind('group', 'group.delete')).toBe('group');
  expect(getConfigurationKind('user', 'group.delete')).toBeUndefined();
  expect(getConfigurationKind('user', 'user.update')).toBeUndefined();
});

test('large values are cut and marked as cut', () => {
  const small = { name: ['A', 'B'], members: [[1, 2], []] };
  expect(limitChanges(small)).toEqual({ changes: small, isShortened: false });
  const { changes, isShortened } = limitChanges({
    members: [Array.from({ length: 100_000 }, (_, at) => at), []],
    formula: [null, 'x'.repeat(5_000)],
    topics: [null, { text: 'y'.repeat(5_000) }],
  });
  expect(isShortened).toBe(true);
  expect(JSON.stringify(changes).length).toBeLessThan(5_000);
});
