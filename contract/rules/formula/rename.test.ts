import { expect, test } from 'vitest';
import { renameField } from './rename.ts';

test.each([
  ['Revenue / Employees', 'Sales / Employees'],
  ['revenue+[ REVENUE ]', 'Sales+[Sales]'],
  ['if( Revenue>1 ,  "Revenue" , RevenueNet )', 'if( Sales>1 ,  "Revenue" , RevenueNet )'],
  ['revenue(1)', 'revenue(1)'],
])('%s becomes %s', (source, renamed) => {
  expect(renameField(source, 'Revenue', 'Sales')).toBe(renamed);
});

test('names that are words of the language stand in brackets', () => {
  expect(renameField('Rest + 1', 'Rest', 'Not')).toBe('[Not] + 1');
  expect(renameField('not [not]', 'Not', 'Rest')).toBe('not [Rest]');
  expect(renameField('round(Round)', 'round', 'Turn')).toBe('round(Turn)');
});
