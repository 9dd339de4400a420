import { expect, test } from 'vitest';
import { readPastedTokens } from './pasted-tokens.ts';

test('reads the cells of lists and tables once', () => {
  expect(readPastedTokens('Hafen Logistik\n"Werft, Kiel"\tHafen Logistik;58231\r\n').cells).toEqual([
    'Hafen Logistik',
    'Werft, Kiel',
    '58231',
    'Werft',
    'Kiel',
  ]);
});

test('reads ids that stand alone or are named, not times, ports and counts', () => {
  const log = '10:11:13 INFO merged entry 58231 into entry #58232, took 7 ms on port 443\n58233\n"id":58234';
  expect(readPastedTokens(log).ids).toEqual([58233, 58231, 58232, 58234]);
});

test('reads addresses and request ids from a log', () => {
  const log =
    '2026-11-20T10:11:12Z refused 203.0.113.7, [2001:db8::7] 198.51.100.0/24 v1.2.3 requestId=0B1F9A2E-6F0D-4B7C-9B3A-1D2E3F405162';
  const { addresses, requestIds } = readPastedTokens(log);
  expect(addresses.filter((address) => !address.includes('10:11'))).toEqual([
    '203.0.113.7',
    '2001:db8::7',
    '198.51.100.0/24',
  ]);
  expect(requestIds).toEqual(['0b1f9a2e-6f0d-4b7c-9b3a-1d2e3f405162']);
});

test('stays fast with long texts', () => {
  const text = `${'1:'.repeat(100_000)}${'entry '.repeat(20_000)}`;
  const start = performance.now();
  readPastedTokens(text);
  expect(performance.now() - start).toBeLessThan(2_000);
});
