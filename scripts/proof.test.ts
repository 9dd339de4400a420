/** `npm run proof` runs every suite that has a longer form, and none that is gone. */
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PROOF_TESTS } from './proof.ts';
import { describeProof } from './release/proof-record.ts';

const TESTS = globSync('{service,src,contract,bench}/**/*.test.ts');
const LONGER_FORM = /env\['STEWARD_(?:PROOF|FUZZ)'\]|getKillCount\(kind/;

test('every name stands for a test file', () => {
  expect(PROOF_TESTS.filter((name) => !TESTS.some((file) => file.includes(name)))).toEqual([]);
});

test('every test with a longer form is run', () => {
  const long = TESTS.filter((file) => LONGER_FORM.test(readFileSync(file, 'utf8')));
  expect(long.length).toBeGreaterThan(8);
  expect(long.filter((file) => !PROOF_TESTS.some((name) => file.includes(name)))).toEqual([]);
});

test.each([
  ['a', 'a', /^npm run proof passed on this commit/],
  ['a', 'b', /^Warning: .* It passed last on a\./],
  ['', 'a', /^Warning: /],
])('a release of commit %s says whether %s was proved', (proved, commit, sentence) => {
  expect(describeProof(proved, commit)).toMatch(sentence);
});

test('no test of the proof chooses by chance that a seed does not repeat', () => {
  const files = TESTS.filter((file) => PROOF_TESTS.some((name) => file.includes(name)));
  expect(files.filter((file) => readFileSync(file, 'utf8').includes('Math.random'))).toEqual([]);
});
