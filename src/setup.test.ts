import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import './setup.ts';
import { z } from 'zod';
import { config } from 'zod/v4/core';
import { zDomainName, zNatsSubject, zNewEntryTypeInfo, zNewPlatformSite } from './api/generated/zod.gen.ts';

const messagesOf = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value).error?.issues.map(({ message }) => message);

it('configures zod: nothing is compiled', () => {
  expect(config().jitless).toBe(true);
});

it('asks for a missing value by the name of its property', () => {
  const person = z.object({ firstName: z.string().min(1), email: z.email(), apiName: z.string() });
  expect(messagesOf(person, { firstName: '', email: '', apiName: undefined })).toEqual([
    'Enter a first name',
    'This is not an e-mail address',
    'Enter an API name',
  ]);
  expect(messagesOf(z.string().min(1), '')).toEqual(['Enter a value']);
});

it('has a sentence for every pattern of the contract', () => {
  const contract = readFileSync('src/api/generated/zod.gen.ts', 'utf8');
  const patterns = new Set([...contract.matchAll(/\.regex\(\/(.*?)\/\)/g)].map(([, source = '']) => source));
  const unexplained = [...patterns].filter(
    (source) => messagesOf(z.string().regex(new RegExp(source)), '\n')?.[0] === 'This is not valid',
  );
  expect(patterns.size).toBeGreaterThan(8);
  expect(unexplained).toEqual([]);
});

it('explains the patterns of the contract and never shows them', () => {
  const type = { singularName: 'Company', pluralName: 'Companies', apiName: '1 company' };
  expect(messagesOf(zNewEntryTypeInfo, type)).toEqual([
    'Use letters, digits and underscores, and begin with a letter',
  ]);
  expect(messagesOf(zNewPlatformSite.shape.slug, 'Not Valid')).toEqual([
    'Use lower-case letters, digits and hyphens, begin with a letter, and end with a letter or digit',
  ]);
  expect(messagesOf(zDomainName, 'nowhere')).toEqual(['Enter a domain such as example.com']);
  expect(messagesOf(zNatsSubject, 'a b')).toEqual([
    'Use letters, digits, hyphens and underscores, with dots between the words',
  ]);
  expect(messagesOf(z.string().regex(/^x+$/), 'y')).toEqual(['This is not valid']);
});
