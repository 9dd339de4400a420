import { expect, it } from 'vitest';
import { buildSetUps } from './set-up.ts';

it('names the address and the header in the set-up text of every client', () => {
  const setUps = buildSetUps('https://data.example/api/agent/mcp', 'northlight');
  expect(setUps.map(({ client }) => client)).toEqual([
    'Claude Code',
    'Codex',
    'Cursor',
    'Gemini CLI',
    'VS Code',
    'Inspector',
  ]);
  for (const { text } of setUps) {
    expect(text).toContain('https://data.example/api/agent/mcp');
    expect(text).toMatch(/Bearer (\$|\$\{)|bearer_token_env_var/);
  }
  // The Inspector stores nothing, so it needs no name.
  for (const { text } of setUps.filter(({ client }) => client !== 'Inspector'))
    expect(text).toContain('steward-northlight');
  for (const { text } of setUps.filter(({ place }) => place.endsWith('.json')))
    expect(() => void JSON.parse(text)).not.toThrow();
});
