import { expect, it } from 'vitest';
import { formatParameters, parseParameters } from './filter-text.ts';

it('formats parameters one per line and parses them back', () => {
  const search = 'q=Mar%C3%ADa+%3D+%26&license=2-4';
  expect(formatParameters(`?${search}`)).toBe('q=María = &\nlicense=2-4');
  expect(parseParameters(formatParameters(search))).toEqual({ parameters: search });
  expect(parseParameters('\n status = active \n')).toEqual({ parameters: 'status=active' });
  expect(parseParameters('')).toEqual({ parameters: '' });
});

it('names the line that is no parameter', () => {
  for (const line of ['status', 'status=', '=active'])
    expect(parseParameters(`q=a\n${line}`)).toEqual({ parameters: '', invalidLine: line });
});
