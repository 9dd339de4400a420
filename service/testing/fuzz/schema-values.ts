/** Generators of values from the schemas of the contract: valid ones, nearly valid ones, and hostile ones. */
import * as fc from 'fast-check';

/** The part of JSON Schema that the contract uses. */
export interface Schema {
  $ref?: string;
  type?: string | readonly string[];
  enum?: readonly unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  allOf?: readonly Schema[];
}

/** A value that is known only when the request is sent: the `at`-th of the stored values of a kind, such as an id. */
export class Slot {
  readonly kind: string;
  readonly at: number;
  constructor(kind: string, at: number) {
    this.kind = kind;
    this.at = at;
  }
  toString(): string {
    return `<${this.kind} ${this.at}>`;
  }
}

/** Kinds of stored values by names of properties and parameters in lower case. */
const KINDS_BY_NAME: Readonly<Record<string, string>> = {
  userid: 'userId',
  proxyuserid: 'userId',
  principaluserid: 'userId',
  user: 'userId',
  owner: 'userId',
  groupid: 'groupId',
  group: 'groupId',
  usergroupid: 'groupId',
  entrytypeid: 'entryTypeId',
  entrytype: 'entryTypeId',
  entrylistid: 'entryTypeId',
  fieldid: 'fieldId',
  entryid: 'entryId',
  userentryid: 'entryId',
  mergeentry: 'entryId',
  mergeentrie: 'entryId',
  jobid: 'jobId',
  templateid: 'templateId',
  runid: 'runId',
  scheduleid: 'scheduleId',
  with: 'runId',
  topicid: 'topicId',
  topic: 'topicName',
  destinationid: 'destinationId',
  clientid: 'clientId',
  keyid: 'keyId',
  viewid: 'viewId',
  invitationid: 'invitationId',
  exclusionid: 'exclusionId',
  sessionid: 'sessionId',
  filename: 'fileName',
  downloadtoken: 'downloadToken',
  siteid: 'siteId',
  reportid: 'reportId',
  activityid: 'activityId',
  environment: 'environment',
  email: 'email',
  address: 'email',
  currencycode: 'currency',
  timezone: 'timeZone',
  licensetypeid: 'licenseTypeId',
};

/** Kind of the stored values that a property may hold, by its name: `userIds` holds those of `userId`. */
export function findKind(name: string): string | undefined {
  const lower = name.toLowerCase();
  return KINDS_BY_NAME[lower] ?? KINDS_BY_NAME[lower.replace(/s$/, '')];
}

const HOSTILE_TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\u202egnp.exe',
  "=cmd|' /C calc'!A0",
  '<img src=x onerror=alert(1)>',
  "' or 1=1--",
  '../../../etc/passwd',
  '..%2f..%2f',
  '%00',
  'a\r\nx-injected: 1',
  '__proto__',
  'constructor',
  'null',
  'NaN',
  '1e309',
  '\\',
  '%',
  '_',
  '{{7*7}}',
  '${7*7}',
  '(a+)+$',
  '2026-02-30',
  '9999-12-31T23:59:59.999Z',
  '-1',
  'İ',
  '😀'.repeat(64),
  'x'.repeat(5_000),
];
const HOSTILE_NUMBERS = [
  0,
  -0,
  -1,
  1,
  0.5,
  1e-320,
  255,
  32_767,
  32_768,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 53,
  1e21,
  1e308,
];

/** A structure with objects and lists inside each other. */
const nest = (depth: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
};

/** Texts, numbers and structures that break careless code. */
export const hostileValues: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...HOSTILE_TEXTS),
  fc.constantFrom(...HOSTILE_NUMBERS),
  fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [null], { length: 1e9 }, nest(20), nest(40)),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.double(),
  fc.anything({ maxDepth: 2, maxKeys: 3, withNullPrototype: false }).map(toJsonValue),
);

/** What arrives when the value is sent as JSON. */
function toJsonValue(value: unknown): unknown {
  try {
    const text = JSON.stringify(value) as string | undefined;
    return text === undefined ? null : (JSON.parse(text) as unknown);
  } catch {
    return null;
  }
}

const WORDS = fc.stringMatching(/^[A-Z][a-z]{2,9}$/);
/** Names that rarely repeat, as many must be unique. */
const NAMES = fc.tuple(WORDS, fc.nat(1e6)).map(([word, number]) => `${word}${number}`);
const RECENT_DATES = fc.date({
  min: new Date('2024-01-01'),
  max: new Date('2027-01-01'),
  noInvalidDate: true,
});
const ALL_DATES = fc.date({
  min: new Date('0001-01-01'),
  max: new Date('9999-12-31'),
  noInvalidDate: true,
});
const DATES = fc.oneof({ weight: 5, arbitrary: RECENT_DATES }, { weight: 1, arbitrary: ALL_DATES });
/** Levels of references and nested schemas that are followed. */
const MAX_DEPTH = 7;
const MAX_ITEMS = 4;

const slots = (kind: string): fc.Arbitrary<Slot> => fc.nat(40).map((at) => new Slot(kind, at));

/** Prefers the first generator; the others appear often enough to be met in every run. */
const prefer = (usual: fc.Arbitrary<unknown>, ...others: fc.Arbitrary<unknown>[]): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 6, arbitrary: usual }, ...others.map((arbitrary) => ({ weight: 1, arbitrary })));

function createTexts({ minLength = 0, maxLength, pattern, format }: Schema): fc.Arbitrary<unknown> {
  if (pattern === '^[0-9a-f]{64}$') return fc.stringMatching(/^[0-9a-f]{64}$/);
  if (pattern?.startsWith(String.raw`^\d{4}-\d{2}-\d{2}(T`)) return DATES.map((date) => date.toISOString());
  if (pattern !== undefined && pattern !== String.raw`\S`)
    return prefer(
      fc.stringMatching(new RegExp(pattern)).map((text) => text.slice(0, Math.min(maxLength ?? 40, 40))),
      NAMES.map((name) => name.toLowerCase()),
    );
  switch (format) {
    case 'date-time':
      return DATES.map((date) => date.toISOString());
    case 'date':
      return DATES.map((date) => date.toISOString().slice(0, 10));
    case 'uuid':
      return fc.uuid();
    case 'email':
      return prefer(
        slots('email'),
        NAMES.map((name) => `${name}@fuzz.test`),
      );
    case undefined:
    default:
  }
  const longest = Math.min(maxLength ?? 200, 5_000);
  const fit = (text: string) => text.padEnd(minLength, 'x').slice(0, longest);
  return prefer(
    NAMES.map(fit),
    fc.string({ unit: 'binary', minLength, maxLength: Math.max(minLength, Math.min(longest, 30)) }),
    fc.constantFrom('x'.repeat(longest), fit(''), 'Ω'.repeat(longest)),
    fc.constantFrom(...HOSTILE_TEXTS).map(fit),
  );
}

function createNumbers({ minimum, maximum }: Schema, isInteger: boolean): fc.Arbitrary<unknown> {
  const [low, high] = [minimum ?? -1_000, maximum ?? Math.max(minimum ?? 0, 1_000)];
  const small = fc.integer({ min: low, max: Math.min(high, low + 100) });
  const edges = fc.constantFrom(low, high);
  return isInteger
    ? prefer(small, edges)
    : prefer(small, edges, fc.double({ min: low, max: high, noNaN: true }));
}

type Deref = (schema: Schema) => Schema;

/** Generates values that mostly fit the schema; ids and other values that must exist are slots. `name`: of the property or parameter. */
export function createValues(schema: Schema, deref: Deref, name = '', depth = 0): fc.Arbitrary<unknown> {
  const node = deref(schema);
  if (depth > MAX_DEPTH) return fc.constantFrom<unknown>(null, 1, 'x');
  if (node.const !== undefined) return fc.constant(node.const);
  if (node.enum) return fc.constantFrom(...node.enum);
  const choices = node.anyOf ?? node.oneOf;
  if (choices && !node.properties)
    return fc.oneof(...choices.map((choice) => createValues(choice, deref, name, depth + 1)));
  if (node.allOf && !node.properties) {
    const parts = node.allOf.map(deref);
    const properties = Object.assign({}, ...parts.map((part) => part.properties ?? {})) as NonNullable<
      Schema['properties']
    >;
    const required = parts.flatMap((part) => part.required ?? []);
    return createObjects({ properties, required }, deref, depth);
  }
  const types = [node.type ?? (node.properties ? 'object' : [])].flat();
  const kind = findKind(name);
  const perType = types.map((type): fc.Arbitrary<unknown> => {
    switch (type) {
      case 'object':
        return createObjects(node, deref, depth);
      case 'array':
        return fc.array(createValues(node.items ?? {}, deref, name, depth + 1), {
          minLength: Math.min(node.minItems ?? 0, 50),
          maxLength: Math.max(Math.min(node.maxItems ?? MAX_ITEMS, MAX_ITEMS), node.minItems ?? 0),
        });
      case 'string':
        return kind === undefined ? createTexts(node) : prefer(slots(kind), createTexts(node));
      case 'integer':
      case 'number': {
        const numbers = createNumbers(node, type === 'integer');
        return kind === undefined ? numbers : prefer(slots(kind), numbers);
      }
      case 'boolean':
        return fc.boolean();
      default:
        return fc.constant(null);
    }
  });
  return perType.length === 0 ? hostileValues : fc.oneof(...perType);
}

function createObjects(
  { properties = {}, required = [] }: Schema,
  deref: Deref,
  depth: number,
): fc.Arbitrary<unknown> {
  const model = Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      createValues(property, deref, name, depth + 1),
    ]),
  );
  return chooseProperties(
    model,
    required.filter((name) => name in model),
  );
}

/** Objects of which two thirds have the required properties only: each of the others may be one that a rule refuses. */
export function chooseProperties(
  model: Readonly<Record<string, fc.Arbitrary<unknown>>>,
  requiredKeys: readonly string[],
): fc.Arbitrary<Record<string, unknown>> {
  const needed = Object.fromEntries(Object.entries(model).filter(([name]) => requiredKeys.includes(name)));
  return fc.oneof(
    { weight: 2, arbitrary: fc.record<Record<string, unknown>>(needed, { noNullPrototype: true }) },
    {
      weight: 1,
      arbitrary: fc.record<Record<string, unknown>>(model, {
        requiredKeys: [...requiredKeys],
        noNullPrototype: true,
      }),
    },
  );
}

/** A change that makes a valid value nearly valid. */
export interface Mutation {
  /** Number of the changed node, in the order of a walk through the value. */
  node: number;
  change: 'replace' | 'remove' | 'rename' | 'wrap' | 'add' | 'repeat' | 'stringify';
  value: unknown;
}

export const mutations: fc.Arbitrary<Mutation> = fc.record(
  {
    node: fc.nat(30),
    change: fc.constantFrom<Mutation['change']>(
      'replace',
      'replace',
      'remove',
      'rename',
      'wrap',
      'add',
      'repeat',
      'stringify',
    ),
    value: hostileValues,
  },
  { noNullPrototype: true },
);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Slot);

/** Applies a mutation. */
export function mutate(value: unknown, { node, change, value: replacement }: Mutation): unknown {
  const count = countNodes(value);
  let index = 0;
  const walk = (current: unknown): unknown => {
    const isHere = index === node % count;
    index += 1;
    if (isHere && change === 'replace') return replacement;
    if (isHere && change === 'wrap') return [current];
    if (isHere && change === 'stringify') return typeof current === 'string' ? 0 : JSON.stringify(current);
    if (Array.isArray(current)) {
      const list = current.map(walk);
      if (isHere && change === 'repeat') return [...list, ...list];
      if (isHere && change === 'add') return [...list, replacement];
      return isHere && change === 'remove' ? list.slice(1) : list;
    }
    if (!isObject(current)) return current;
    const entries = Object.entries(current).map(([key, child]) => [key, walk(child)] as const);
    if (!isHere) return Object.fromEntries(entries);
    const [first, ...rest] = entries;
    if (change === 'remove') return Object.fromEntries(rest);
    if (change === 'rename' && first) return Object.fromEntries([[`${first[0]}X`, first[1]], ...rest]);
    if (change === 'add') return { ...Object.fromEntries(entries), unknownProperty: replacement };
    return Object.fromEntries(entries);
  };
  return walk(value);
}

function countNodes(value: unknown): number {
  const children = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  return children.reduce<number>((sum, child) => sum + countNodes(child), 1);
}

/** Replaces the slots in a value. */
export function fillSlots(value: unknown, find: (slot: Slot) => unknown): unknown {
  if (value instanceof Slot) return find(value);
  if (Array.isArray(value)) return value.map((item) => fillSlots(item, find));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, fillSlots(child, find)]));
}
