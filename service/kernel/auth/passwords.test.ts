import { expect, test } from 'vitest';
import { validateNewPassword } from './passwords.ts';

const COMMON_PASSWORDS = [
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

test.each(COMMON_PASSWORDS)('rejects %s as a common password or a simple extension of one', (password) => {
  expect(validateNewPassword(password, 'ada@example.com')).toContain('most common');
});

test.each([
  'correct horse battery',
  'another long password',
  'vT9#kq2LmPx7',
  'Zwölf Häuser am Bach',
  '旅行が好きな人の合言葉です',
])('accepts %s', (password) => {
  expect(validateNewPassword(password, 'ada@example.com')).toBeUndefined();
});

test('applies the rules that the console checks as well', () => {
  expect(validateNewPassword('  ada@example.com', 'ada@example.com')).toContain('e-mail');
});
