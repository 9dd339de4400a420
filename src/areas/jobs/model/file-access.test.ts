import { expect, test } from 'vitest';
import type { Capability, Job } from '../../../../contract/generated/types.gen.ts';
import { getSaveRefusal } from './file-access.ts';

const OWNER_ID = 7;
const refusal = (kind: Job['kind'], capabilities: Capability[], userId = OWNER_ID) =>
  getSaveRefusal({ capabilities, user: { id: userId } }, { kind, ownerId: OWNER_ID });

test('the file of a job is saved with the capability that starts such a job, by who started it', () => {
  expect(refusal('users.export', ['Manage Users'])).toBeUndefined();
  expect(refusal('activity.export', ['View Activity'])).toBeUndefined();
  expect(refusal('activity.export', ['Read Data'])).toBe('You need the View Activity capability');
  expect(refusal('report', ['Read Data'])).toBe('You need the Run Reports capability');
  expect(refusal('entries.export', ['Read Data'])).toBeUndefined();
  expect(refusal('entries.export', ['Read Data'], OWNER_ID + 1)).toBe(
    'Only who started the export can save its file',
  );
});
