/** The actions of the audit log that the service declares, writes, and the console describes. */
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { registry } from '../service/areas/registry.ts';

const { auditActions } = registry;

test('the console has a sentence for each audit action on a user, and for no other action', async () => {
  // The address is computed because the type checker must not read the console with the settings of the scripts.
  const consoleRegistry = new URL('../src/app/registry.ts', import.meta.url).href;
  const { auditSentences } = z
    .object({ registry: z.object({ auditSentences: z.record(z.string(), z.string()) }) })
    .parse(await import(consoleRegistry)).registry;
  // Only the history of a user shows audit rows (listUserChanges).
  expect(Object.keys(auditSentences).toSorted()).toEqual(auditActions['user']?.toSorted());
});

test('the service writes every declared audit action', () => {
  const code = globSync('service/**/*.ts')
    .filter((file) => !/\.test\.ts$|\/area\.ts$|^service\/testing\//.test(file))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  const unused = Object.values(auditActions)
    .flat()
    .filter((action) => !code.includes(`'${action}'`));
  expect(unused).toEqual([]);
});
