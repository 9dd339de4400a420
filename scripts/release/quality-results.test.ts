import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { hashFiles } from '../source-hash.ts';
import { explainQualityResults } from './quality-results.ts';

const folder = mkdtempSync(join(tmpdir(), 'steward-results-'));
afterAll(() => rmSync(folder, { recursive: true }));

const page = { path: '/users', isAccessible: true };
const results = { measuredAt: '2026-03-01T08:00:00.000Z', sources: 'a1', pages: [page], keyboard: [] };

test('a release says what its quality page lacks', () => {
  const file = join(folder, 'results.json');
  const explain = (content: unknown) => {
    writeFileSync(file, JSON.stringify(content));
    return explainQualityResults(file, 'a1');
  };
  expect(explainQualityResults(file, 'a1')).toContain('is missing');
  expect(explain({ pages: [] })).toContain('another form');
  expect(explain({ ...results, sources: 'b2' })).toContain('earlier console, measured at 2026-03-01');
  expect(explain({ ...results, pages: [page, { path: '/jobs', isAccessible: false }] })).toContain(
    'checks: /jobs.',
  );
  expect(explain({ ...results, keyboard: [{ name: 'creates users', passed: false }] })).toContain(
    'creates users',
  );
  expect(explain(results)).toBeUndefined();
});

const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
const hash = () => hashFiles(['*.ts'], folder);

test('the hash of sources follows names and contents, but not tests', () => {
  write('one.ts', '1');
  const first = hash();
  write('one.test.ts', 'any');
  expect(hash()).toBe(first);
  write('one.ts', '2');
  expect(hash()).not.toBe(first);
});
