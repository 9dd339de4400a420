import { expect, test } from 'vitest';
import type { ConfigurationChange } from '../../../contract/generated/types.gen.ts';
import { findAuthor } from './find-author.ts';

const createChange = (subjectId: string, changedByName: string | null, proxyUserName: string | null = null) =>
  ({
    action: 'topic.update',
    subjectType: 'topic',
    subjectId,
    changedByName,
    proxyUserName,
  }) as ConfigurationChange;

test('a conflict names the author of the newest change of the thing', () => {
  const changes = [
    createChange('8', 'Eve Moss'),
    createChange('7', 'Ada Okafor'),
    createChange('7', 'Ben Li'),
  ];
  const topic = { action: 'topic.update', subjectType: 'topic', subjectId: 7 };
  expect(findAuthor(changes, topic)).toBe('Ada Okafor');
  expect(findAuthor(changes, { ...topic, subjectId: 9 })).toBeUndefined();
  expect(findAuthor(changes, { ...topic, action: 'topic.delete' })).toBeUndefined();
  expect(findAuthor([createChange('7', 'Ada Okafor', 'Ben Li')], topic)).toBe('Ben Li for Ada Okafor');
  // Someone who has left the site, or the service.
  expect(findAuthor([createChange('7', null)], topic)).toBeUndefined();
});
