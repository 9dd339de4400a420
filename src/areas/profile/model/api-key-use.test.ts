import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { describeApiKeyUse } from './api-key-use.ts';

const contract = JSON.parse(readFileSync('contract/openapi.json', 'utf8')) as {
  paths: Record<string, { get?: { 'x-scope'?: string } } | undefined>;
};
const key = { clientId: 1042, clientSecret: 's3cret', scopes: ['data'] as const };

test('names the token address and keeps the secret out of the commands', () => {
  const { tokenUrl, env, commands } = describeApiKeyUse('https://steward.example', key);
  expect(tokenUrl).toBe('https://steward.example/api/rest/v1/oauth/token');
  expect(env).toBe(
    'STEWARD_URL=https://steward.example\nSTEWARD_CLIENT_ID=1042\nSTEWARD_CLIENT_SECRET=s3cret\n',
  );
  expect(commands.join('\n')).not.toContain('s3cret');
  expect(commands[1]).toBe(
    'curl -s -H "Authorization: Bearer $TOKEN" "https://steward.example/api/rest/v4/schema/entrytypes"',
  );
});

test.each(['user_management', 'data', 'backup', 'publish', 'ri_import'] as const)(
  'the first call of the scope %s is an operation of the contract that the scope allows',
  (scope) => {
    const [, call = ''] = describeApiKeyUse('', { ...key, scopes: [scope] }).commands;
    const path = /"(\/[^"?]+)[^"]*"$/.exec(call)?.[1] ?? '';
    expect(contract.paths[path]?.get?.['x-scope']).toBe(scope);
  },
);
