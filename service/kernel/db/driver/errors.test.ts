import { expect, test } from 'vitest';
import { isDatabaseUnavailable, toDbError } from './errors.ts';

test.each(['EPIPE', 'EPERM', 'ECONNRESET', 'ECONNREFUSED', undefined])(
  'an error of a socket (%s) means that the connection is lost',
  (code) => {
    const error = toDbError(Object.assign(new Error('The socket failed'), { code }));
    expect([error.code, isDatabaseUnavailable(error)]).toEqual(['08006', true]);
  },
);

test.each(['23505', '42P01', '57P01', 'P0001', 'XX000', 'F0000', 'HV000', '0A000'])(
  'the SQLSTATE %s is kept',
  (code) => {
    expect(toDbError(Object.assign(new Error('The statement failed'), { code })).code).toBe(code);
  },
);
