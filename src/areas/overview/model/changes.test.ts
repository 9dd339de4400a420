import { expect, test } from 'vitest';
import type { ChangedEntry, ConfigurationChange } from '../../../../contract/generated/types.gen.ts';
import { formatAct, mergeChanges } from './changes.ts';

const createEntry = (id: number, at: string) => ({ id, at }) as ChangedEntry;
const createChange = (more: Partial<ConfigurationChange>) =>
  ({ subjectType: 'group', subjectId: '7', subjectName: 'Analysts', ...more }) as ConfigurationChange;

test('changes of entries and of the configuration are one list, newest first', () => {
  const entries = [createEntry(1, '2026-03-02T10:00:00.000Z'), createEntry(2, '2026-03-02T08:00:00.000Z')];
  const configuration = [createChange({ date: '2026-03-02T09:00:00.000Z', action: 'group.update' })];
  expect(
    mergeChanges(entries, configuration, 8).map(({ kind, at }) => `${kind} ${at.slice(11, 13)}`),
  ).toEqual(['data 10', 'configuration 09', 'data 08']);
  expect(mergeChanges(entries, configuration, 2)).toHaveLength(2);
});

test('the sentence of a change follows its author, except where the service only noticed it', () => {
  expect(formatAct(createChange({ action: 'group.update' }))).toEqual({
    needsAuthor: true,
    text: 'changed the group Analysts',
  });
  expect(
    formatAct(
      createChange({ action: 'user.api-key-expire', subjectType: 'user', subjectName: 'Ada Okafor' }),
    ),
  ).toEqual({ needsAuthor: false, text: 'The API key of Ada Okafor expired' });
});
