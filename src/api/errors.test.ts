import { describe, expect, it } from 'vitest';
import { isUnreachable, ServiceError, toServiceError } from './errors.ts';

const answer = (status: number, headers = {}) => new Response(null, { status, headers });

describe('toServiceError', () => {
  it('reads the error body of the contract', () => {
    const body = { message: 'No', requestId: 'r1', errors: [{ path: 'email', message: 'Taken' }, 'odd'] };
    const error = toServiceError(body, answer(409));
    expect(error).toMatchObject({ status: 409, message: 'No', requestId: 'r1' });
    expect(error.fields).toEqual([{ path: 'email', message: 'Taken' }]);
  });

  it('keeps status and request id of an answer outside the contract', () => {
    const error = toServiceError('<html>Bad gateway</html>', answer(502, { 'x-request-id': 'r2' }));
    expect(error).toMatchObject({
      status: 502,
      requestId: 'r2',
      message: 'The service answered with status 502',
    });
    expect(isUnreachable(error)).toBe(true);
  });

  it('reports an answer that breaks off with status 0', () => {
    const error = toServiceError(new TypeError('network error'), answer(200));
    expect(error).toMatchObject({ status: 0, message: 'The service cannot be reached' });
    expect(isUnreachable(error)).toBe(true);
  });

  it('distinguishes an error of the console from a network error', () => {
    expect(toServiceError(new RangeError('x is not a date'))).toMatchObject({
      status: 500,
      message: 'x is not a date',
    });
    expect(toServiceError(new TypeError('x is undefined'))).toMatchObject({
      status: 500,
      message: 'x is undefined',
    });
    expect(toServiceError(undefined).status).toBe(500);
  });

  it('returns a ServiceError unchanged', () => {
    const error = new ServiceError(404, 'missing');
    expect(toServiceError(error, answer(500))).toBe(error);
    expect(Object.keys(error)).toContain('message');
  });
});
