import { expect, test } from 'vitest';
import { SecretFinder } from './secrets.ts';

const TOKEN = 'q1w2e3r4t5y6u7i8o9p0';

test.each([
  ['a cookie', undefined, [`steward=${TOKEN}; Path=/; HttpOnly`]],
  ['a token', { access_token: TOKEN, token_type: 'Bearer' }, []],
  ['a key within a list', [{ id: 1, key: { secret: TOKEN } }], []],
  ['a recovery code', { recoveryCodes: ['aaaa-bbbb-cccc', TOKEN] }, []],
  ['a link', { url: `http://steward.test/downloads/${TOKEN}` }, []],
  ['a code of a client', { address: `http://127.0.0.1/callback?state=1&code=${TOKEN}` }, []],
])('%s that a response issues is found in later lines', (_name, body, cookies) => {
  const secrets = new SecretFinder();
  secrets.add('q1w2e3r4t5-another');
  secrets.harvest(body, cookies);
  expect(secrets.find(`{"message":"request","path":"/x/${TOKEN}/y"}`)).toBe(TOKEN);
  expect(secrets.find(`{"message":"request","path":"/x/${TOKEN.slice(0, -1)}/y"}`)).toBeUndefined();
});
