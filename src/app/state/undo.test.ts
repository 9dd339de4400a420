import { beforeEach, expect, test, vi } from 'vitest';
import { ServiceError, UnknownOutcomeError } from '../../api/errors.ts';
import { toastStore } from '../../ui/toast.ts';
import { toastUndoable } from './undo.ts';

beforeEach(() => toastStore.set([]));

const listTitles = () => toastStore.get().map(({ title }) => title);
const pressUndo = () => toastStore.get()[0]?.action?.onSelect();
const announce = (versions: readonly (string | undefined)[], revert: () => Promise<unknown>) => {
  const left = [...versions];
  toastUndoable({
    title: 'Ada is inactive',
    subject: 'Ada',
    undone: 'Ada is active again',
    readVersion: () => Promise.resolve(left.shift()),
    revert,
  });
};

test('reverts with the version after the change', async () => {
  const revert = vi.fn<(ifMatch: object) => Promise<void>>(() => Promise.resolve());
  const versions = ['"2"', '"2"'];
  toastUndoable({
    title: 'Ada is inactive',
    subject: 'Ada',
    undone: 'Ada is active again',
    readVersion: () => Promise.resolve(versions.shift()),
    revert,
  });
  expect(revert).not.toHaveBeenCalled();
  pressUndo();
  await vi.waitFor(() => expect(listTitles()).toContain('Ada is active again'), { timeout: 20_000 });
  expect(revert).toHaveBeenCalledExactlyOnceWith({ headers: { 'If-Match': '"2"' } });
});

test.each([
  ['was changed by someone else', ['"2"', '"3"']],
  ['could not be read after the change', [undefined, '"2"']],
])('sends nothing when it %s', async (_, versions) => {
  const revert = vi.fn<() => Promise<void>>(() => Promise.resolve());
  announce(versions, revert);
  pressUndo();
  await vi.waitFor(() => expect(listTitles()).toContain('Not undone: Ada'), { timeout: 20_000 });
  expect(revert).not.toHaveBeenCalled();
});

test('does not say that nothing was undone if the outcome is unknown', async () => {
  announce(['"2"', '"2"'], () => Promise.reject(new UnknownOutcomeError(504, 'It is unknown')));
  pressUndo();
  await vi.waitFor(() => expect(listTitles()).toContain('Possibly undone: Ada'), { timeout: 20_000 });
});

test('says why the service refused', async () => {
  announce(['"2"', '"2"'], () => Promise.reject(new ServiceError(412, 'The user has changed')));
  pressUndo();
  await vi.waitFor(
    () => expect(toastStore.get().at(-1)?.description).toContain('Someone else has changed it'),
    { timeout: 20_000 },
  );
  toastStore.set([]);
  announce(['"2"', '"2"'], () => Promise.reject(new ServiceError(409, 'The last administrator')));
  pressUndo();
  await vi.waitFor(() => expect(toastStore.get().at(-1)?.description).toBe('The last administrator.'), {
    timeout: 20_000,
  });
});
