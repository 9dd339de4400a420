import { afterEach, expect, test } from 'vitest';
import { hasUnsavedWork } from '../../../ui/dialog/unsaved-work.ts';
import { appendText, archiveStartedDraft, clearDraft, draft, setDraftText, startedDraft } from './draft.ts';

afterEach(() => {
  clearDraft();
  startedDraft.set(undefined);
});

test('tells whether the entries are those of the text', () => {
  appendText('nobody@');
  expect(draft.get()).toMatchObject({ parsedText: 'nobody@', entries: [{ email: 'nobody@' }] });
  setDraftText('nobody@ and noone@');
  expect(draft.get()).toMatchObject({ parsedText: 'nobody@', entries: [{ email: 'nobody@' }] });
});

test('clears the draft when its job has started, but not what was typed meanwhile', () => {
  setDraftText('nobody@');
  archiveStartedDraft(1, 'nobody@');
  expect(draft.get().text).toBe('');
  setDraftText('nobody@ and noone@');
  archiveStartedDraft(2, 'nobody@');
  expect(draft.get().text).toBe('nobody@ and noone@');
  expect(startedDraft.get()).toEqual({ jobId: 2, text: 'nobody@' });
});

test('is unsaved work while it has a text', () => {
  setDraftText('nobody@');
  expect(hasUnsavedWork()).toBe(true);
  setDraftText(' ');
  expect(hasUnsavedWork()).toBe(false);
  setDraftText('nobody@');
  archiveStartedDraft(1, 'nobody@');
  expect(hasUnsavedWork()).toBe(false);
});
