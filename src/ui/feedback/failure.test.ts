import { expect, test } from 'vitest';
import { toFailure } from './failure.ts';

test('keeps the errors of single values and the request id', () => {
  const details = { requestId: 'r1', fields: [{ path: 'userIds.0', message: 'is not on this site' }] };
  const refused = Object.assign(new Error('Not accepted'), details);
  expect(toFailure(refused)).toEqual({ message: 'Not accepted', ...details });
  expect(toFailure(new Error('Broken'))).toEqual({ message: 'Broken', requestId: undefined });
});
