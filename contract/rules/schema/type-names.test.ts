import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isReservedTypeName, RESERVED_TYPE_NAMES } from './type-names.ts';

const { paths } = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')) as {
  paths: Record<string, unknown>;
};

test('every word of a path that stands where an entry type is named is reserved, and no other', () => {
  const prefixes = Object.keys(paths).flatMap((path) => {
    const at = path.indexOf('{entryTypeId}');
    return at < 0 ? [] : [path.slice(0, at)];
  });
  // `rows/query/{entryTypeId}` stands beside `rows/{entryTypeId}`, but no operation of a type has a path below the latter.
  const words = Object.keys(paths).flatMap((path) =>
    prefixes
      .filter((prefix) => !prefix.includes('/rows/') && !prefix.includes('/merge/'))
      .filter((prefix) => path.startsWith(prefix) && path.length > prefix.length)
      .map((prefix) => path.slice(prefix.length).split('/')[0]?.toLowerCase() ?? ''),
  );
  const fixed = new Set(words.filter((word) => !word.startsWith('{')));
  expect([...fixed].toSorted()).toEqual([...RESERVED_TYPE_NAMES].toSorted());
});

test('names are compared without regard to case', () => {
  expect(['GET', 'getHistoricalData', 'Rows'].map(isReservedTypeName)).toEqual([true, true, true]);
  expect(isReservedTypeName('Getter')).toBe(false);
});
