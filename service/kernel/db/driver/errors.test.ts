import { expect, test } from 'vitest';
import { isDatabaseUnavailable, isPassingFailure, toDbError } from './errors.ts';

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

test.each(['08006', '57P01', '57P03'])(
  'the code %s of a session that goes on is that of another server',
  (code) => {
    const error = toDbError(Object.assign(new Error('A worker is down'), { code, severity: 'ERROR' }));
    expect([error.code, isDatabaseUnavailable(error), isPassingFailure(error)]).toEqual([
      '57U04',
      false,
      true,
    ]);
    const own = toDbError(Object.assign(new Error('The server is down'), { code, severity: 'FATAL' }));
    expect([own.code, isDatabaseUnavailable(own)]).toEqual([code, true]);
  },
);
