import { expect, it } from 'vitest';
import './setup.ts';
import { z } from 'zod';
import { config } from 'zod/v4/core';
import { zNewEntryTypeInfo, zNewPlatformSite } from './api/generated/zod.gen.ts';

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

it('explains the patterns of the contract and never shows them', () => {
  const type = { singularName: 'Company', pluralName: 'Companies', apiName: '1 company' };
  expect(messagesOf(zNewEntryTypeInfo, type)).toEqual([
    'Use letters, digits and underscores, and begin with a letter',
  ]);
  expect(messagesOf(zNewPlatformSite.shape.slug, 'Not Valid')).toEqual([
    'Use lower-case letters, digits and hyphens, and begin with a letter',
  ]);
  expect(messagesOf(z.string().regex(/^x+$/), 'y')).toEqual(['This is not valid']);
});
