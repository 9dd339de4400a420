import { expect, test } from 'vitest';
import { suggestApiName } from './api-names.ts';

test('suggests an API name', () => {
  expect(suggestApiName('Deal stage')).toBe('DealStage');
  expect(suggestApiName('3 Überblick (2026)')).toBe('Uberblick2026');
  expect(suggestApiName('会社')).toBe('');
});
