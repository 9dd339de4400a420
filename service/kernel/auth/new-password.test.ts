import { expect, test } from 'vitest';
import { newPasswordFault } from './new-password.ts';

const common = [
  'password1234',
  'Password2026!',
  'passwordpassword',
  '123456789012',
  'qwertyuiop12',
  'Qwerty123456',
  'leavemealone',
  'abcabcabcabc',
  'aaaaaaaaaaaa',
  'Steward-2026-!!',
  '!!!!iloveyou!!!!',
  'Administrator1',
];

test.each(common)('%s is refused: it is common, or made longer the way everybody does', (password) => {
  expect(newPasswordFault(password, 'ada@example.com')).toContain('most common');
});

test.each([
  'correct horse battery',
  'another long password',
  'vT9#kq2LmPx7',
  'Zwölf Häuser am Bach',
  '旅行が好きな人の合言葉です',
])('%s is not', (password) => {
  expect(newPasswordFault(password, 'ada@example.com')).toBeUndefined();
});

test('what the console refuses is refused here too', () => {
  expect(newPasswordFault('  ada@example.com', 'ada@example.com')).toContain('e-mail');
});
