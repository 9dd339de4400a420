import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, test } from 'vitest';
import { capabilities } from './rules/capabilities.ts';

type Json = Readonly<Record<string, unknown>>;

const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const json = (value: unknown): Json => (isJson(value) ? value : {});
const at = (value: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>((inner, key) => json(inner)[key], value);

const document: unknown = JSON.parse(readFileSync(new URL('openapi.json', import.meta.url), 'utf8'));
const operations = Object.entries(json(at(document, 'paths'))).flatMap(([path, item]) =>
  Object.entries(json(item)).map(([method, spec]) => ({
    name: `${method.toUpperCase()} ${path.replace('/api/rest/', '')}`,
    spec: json(spec),
  })),
);

/** Every operation that spec 4.2-4.5 gives, with the alias of 4.2 rule 2. */
const given = [
  'POST v1/management/user',
  'PUT v1/management/user',
  'GET v1/management/user',
  'GET v1/management/user/{userId}',
  'DELETE v1/management/user/{userId}',
  'POST v1/management/users',
  'GET v1/management/userLicense/{userId}',
  'PUT v1/management/userLicense',
  'GET v1/management/userLicenses',
  'GET v1/management/user/group',
  'PUT v1/management/user/group',
  'DELETE v1/management/user/group',
  'GET v1/management/user/group/{groupId}',
  'POST v1/management/user/activity',
  'GET v1/management/user/proxy',
  'POST v1/management/user/proxy',
  'POST v1/management/user/invite',
  'POST v1/management/user/addExisting',
  'POST v1/management/user/addexistinguser',
  'POST v4/backups/request',
  'GET v4/backups',
  'GET v4/backups/{fileName}',
  'POST v4/backups/delete/{fileName}',
  'GET v4/data/entrydata/{entryTypeId}/entries',
  'GET v4/data/entrydata/{entryTypeId}/entries/history',
  'GET v4/data/entrydata/{entryTypeId}/entries/allHistory',
  'GET v4/data/entrydata/allentrieshistory',
  'GET v4/data/entryfiles/{entryId}/fields/{fieldId}',
  'POST v4/data/entrydata/{entryTypeId}/filter',
  'POST v4/data/entrydata/get',
  'POST v4/data/entrydata/getHistoricalData',
  'POST v4/data/entrydata/{entryTypeId}',
  'PUT v4/data/entrydata/{entryTypeId}',
  'DELETE v4/data/entrydata/{entryTypeId}',
  'GET v4/data/entrydata/rows/{entryTypeId}',
  'POST v4/ri/import/emails',
];

/** Schemas below this value, each once, references followed. */
function reachable(value: unknown, seen = new Set<string>()): Json[] {
  if (Array.isArray(value)) return value.flatMap((item) => reachable(item, seen));
  if (!isJson(value)) return [];
  const reference = value['$ref'];
  if (typeof reference !== 'string')
    return [value, ...Object.values(value).flatMap((item) => reachable(item, seen))];
  if (seen.has(reference)) return [];
  seen.add(reference);
  return reachable(at(document, ...reference.split('/').slice(1)), seen);
}

test('exactly the operations of the specification are marked given', () => {
  const marked = operations.filter(({ spec }) => spec['x-standing'] === 'given').map(({ name }) => name);
  expect(marked).toHaveLength(given.length);
  expect(new Set(marked)).toEqual(new Set(given));
});

test('only the listing that spec 9.3 names is deprecated', () => {
  const deprecated = operations.filter(({ spec }) => spec['deprecated']).map(({ name }) => name);
  expect(deprecated).toEqual(['GET v4/data/entrydata/allentrieshistory']);
});

test.each(operations)('$name says who may call it', ({ spec }) => {
  const scopes = [at(document, 'components', 'schemas', 'Scope', 'enum')].flat();
  const names: readonly string[] = capabilities.map(({ name }) => name);
  const anonymous = Array.isArray(spec['security']) && spec['security'].length === 0;
  const needsNone = spec['x-door'] === 'console' || anonymous;
  expect(needsNone ? [undefined] : scopes).toContain(spec['x-scope']);
  expect(names).toEqual(expect.arrayContaining([spec['x-capability']].flat()));
});

test('request bodies are closed, but for the two that another standard shapes', () => {
  const open = operations
    .filter(({ spec }) =>
      reachable(spec['requestBody']).some(
        (schema) =>
          [schema['type']].flat().includes('object') && schema['additionalProperties'] === undefined,
      ),
    )
    .map(({ spec }) => spec['operationId']);
  expect(new Set(open)).toEqual(new Set(['callAgentServer', 'issueToken']));
});

test('every example fits its schema', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ ...json(document), $id: 'contract' });
  for (const [name, schema] of Object.entries(json(at(document, 'components', 'schemas')))) {
    const validate = ajv.compile({ $ref: `contract#/components/schemas/${name}` });
    for (const example of [json(schema)['examples'] ?? []].flat())
      expect(validate(example), `${name}: ${ajv.errorsText(validate.errors)}`).toBe(true);
  }
});
