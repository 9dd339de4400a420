import { readFileSync } from 'node:fs';
import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { capabilities } from './rules/people/capabilities.ts';

type JsonObject = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const toObject = (value: unknown): JsonObject => (isObject(value) ? value : {});
/** Value at a path of keys; undefined where a key is missing. */
const getPath = (value: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>((inner, key) => toObject(inner)[key], value);

const document: unknown = JSON.parse(readFileSync(new URL('openapi.json', import.meta.url), 'utf8'));
const operations = Object.entries(toObject(getPath(document, 'paths'))).flatMap(([path, item]) =>
  Object.entries(toObject(item)).map(([method, spec]) => ({
    name: `${method.toUpperCase()} ${path.replace('/api/rest/', '')}`,
    spec: toObject(spec),
  })),
);

/** Operations defined by spec 4.2-4.5, including the alias of 4.2 rule 2. */
const GIVEN_OPERATIONS = [
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
  // Spec 6 rule 7 and 9.4: the environment-based address, which works temporarily.
  'POST v1/publication/environments/{environment}/poll',
  'POST v1/publication/environments/{environment}/acknowledge',
];

/** Lists all objects below `value`, following each reference once. */
function collectObjects(value: unknown, visited = new Set<string>()): JsonObject[] {
  if (Array.isArray(value)) return value.flatMap((item) => collectObjects(item, visited));
  if (!isObject(value)) return [];
  const reference = value['$ref'];
  if (typeof reference !== 'string')
    return [value, ...Object.values(value).flatMap((item) => collectObjects(item, visited))];
  if (visited.has(reference)) return [];
  visited.add(reference);
  return collectObjects(getPath(document, ...reference.split('/').slice(1)), visited);
}

test('marks exactly the operations of the specification as given', () => {
  const marked = operations.filter(({ spec }) => spec['x-standing'] === 'given').map(({ name }) => name);
  expect(marked).toHaveLength(GIVEN_OPERATIONS.length);
  expect(new Set(marked)).toEqual(new Set(GIVEN_OPERATIONS));
});

test('deprecates only the operations of spec 9.3 and 9.4', () => {
  const deprecated = operations.filter(({ spec }) => spec['deprecated']).map(({ name }) => name);
  expect(new Set(deprecated)).toEqual(
    new Set([
      'GET v4/data/entrydata/allentrieshistory',
      'POST v1/publication/environments/{environment}/poll',
      'POST v1/publication/environments/{environment}/acknowledge',
    ]),
  );
});

/** Operations on a job, which a token may call whose scopes allow to start the job. */
const JOB_PATH = /^\w+ v1\/management\/jobs(\/events|\/\{jobId\}.*)?$/;

test.each(operations)('$name declares a known scope and known capabilities', ({ name, spec }) => {
  const scopes = [getPath(document, 'components', 'schemas', 'Scope', 'enum')].flat();
  const names: readonly string[] = capabilities.map((capability) => capability.name);
  const anonymous = Array.isArray(spec['security']) && spec['security'].length === 0;
  const needsNone = spec['x-door'] === 'console' || anonymous || JOB_PATH.test(name);
  const isAgent = spec['operationId'] === 'callAgentServer';
  expect(needsNone ? [undefined] : isAgent ? ['agent'] : scopes).toContain(spec['x-scope']);
  expect(names).toEqual(expect.arrayContaining([spec['x-capability']].flat()));
});

/** Verbs of operations that read. A download by a link also ends the link, and a stream its predecessor. */
const READING =
  /^(?:get|list|read|query|search|count|compare|explain|forecast|summarize|download|stream)[A-Z]/;

test('operations with GET only read: their names say so, and they have no body (ASVS 3.5.3)', () => {
  const gets = operations.filter(({ name }) => name.startsWith('GET '));
  expect(gets.length).toBeGreaterThan(100);
  const wrong = gets.filter(({ spec }) => !READING.test(String(spec['operationId'])) || spec['requestBody']);
  expect(wrong.map(({ name }) => name)).toEqual([]);
  const others = operations.filter(({ name }) => !/^(?:GET|POST|PUT|DELETE|PATCH) /.test(name));
  expect(others.map(({ name }) => name)).toEqual([]);
});

test('every operation lists 403, which both APIs send before they know the caller', () => {
  const missing = operations.filter(({ spec }) => !Object.hasOwn(toObject(spec.responses), '403'));
  expect(missing.map(({ name }) => name)).toEqual([]);
});

test('forbids additional properties in request bodies, except in the two defined by another standard', () => {
  const open = operations
    .filter(({ spec }) =>
      collectObjects(spec['requestBody']).some(
        (schema) =>
          [schema['type']].flat().includes('object') && schema['additionalProperties'] === undefined,
      ),
    )
    .map(({ spec }) => spec['operationId']);
  expect(new Set(open)).toEqual(new Set(['callAgentServer', 'issueToken']));
});

test('every example is valid against its schema', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ ...toObject(document), $id: 'contract' });
  for (const [name, schema] of Object.entries(toObject(getPath(document, 'components', 'schemas')))) {
    const validate = ajv.compile({ $ref: `contract#/components/schemas/${name}` });
    for (const example of [toObject(schema)['examples'] ?? []].flat())
      expect(validate(example), `${name}: ${ajv.errorsText(validate.errors)}`).toBe(true);
  }
});
