/** Normalization of requests before validation: property names in the contract's spelling, parameters as values of their types. */
import { formatPathName } from '../../../contract/rules/json/scan.ts';
import { type FieldError, hasEnoughErrors } from '../api-error.ts';

/** The parts of a JSON Schema that normalization uses. */
export interface JsonSchema {
  type?: string | string[];
  $ref?: string;
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  maxItems?: number;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  /** Other names under which a request may send this property. */
  'x-alias'?: string[];
}

type Deref = (node: JsonSchema | { $ref: string }) => JsonSchema;

/** Name as spelled and in lower case → name in the contract's spelling, and its schema. */
type NameMap = ReadonlyMap<string, readonly [name: string, schema: JsonSchema]>;

/** Names by schema, which do not change. */
const namesBySchema = new WeakMap<JsonSchema, NameMap>();

/** The names of all properties of the objects that `schema` may describe. */
function collectNames(schema: JsonSchema, deref: Deref): NameMap {
  const resolved = schema.$ref ? deref(schema) : schema;
  const cached = namesBySchema.get(resolved);
  if (cached) return cached;
  const names = new Map<string, readonly [name: string, schema: JsonSchema]>();
  addNames(names, resolved, deref, new Set());
  namesBySchema.set(resolved, names);
  return names;
}

/** `visited` ends the recursion of recursive schemas. */
function addNames(
  names: Map<string, readonly [name: string, schema: JsonSchema]>,
  schema: JsonSchema,
  deref: Deref,
  visited: Set<JsonSchema>,
): void {
  const resolved = schema.$ref ? deref(schema) : schema;
  if (visited.has(resolved)) return;
  visited.add(resolved);
  for (const [name, propertySchema] of Object.entries(resolved.properties ?? {})) {
    for (const spelling of [name, ...(propertySchema['x-alias'] ?? [])])
      for (const key of [spelling, spelling.toLowerCase()]) names.set(key, [name, propertySchema]);
  }
  for (const branch of [...(resolved.anyOf ?? []), ...(resolved.oneOf ?? []), ...(resolved.allOf ?? [])]) {
    addNames(names, branch, deref, visited);
  }
}

function findItemSchema(schema: JsonSchema, deref: Deref): JsonSchema | undefined {
  const resolved = schema.$ref ? deref(schema) : schema;
  return (
    resolved.items ??
    [...(resolved.anyOf ?? []), ...(resolved.oneOf ?? [])]
      .map((branch) => findItemSchema(branch, deref))
      .find(Boolean)
  );
}

/** Whether `null` is a value of the schema, which clears or names something then. */
function acceptsNull(schema: JsonSchema, deref: Deref): boolean {
  const { type, anyOf, oneOf, allOf } = schema.$ref ? deref(schema) : schema;
  const accepts = (branch: JsonSchema) => acceptsNull(branch, deref);
  return (
    (type === undefined || [type].flat().includes('null')) &&
    ([...(anyOf ?? []), ...(oneOf ?? [])].some(accepts) || (anyOf ?? oneOf) === undefined) &&
    (allOf ?? []).every(accepts)
  );
}

/** An object without prototype, in which `__proto__` is an ordinary (and unknown) name. */
function createBareObject(entries: readonly [string, unknown][]): Record<string, unknown> {
  const object = Object.create(null) as Record<string, unknown>;
  for (const [key, value] of entries) object[key] = value;
  return object;
}

/**
 * Renames properties to the contract's spelling: names are case-insensitive (shapes 1), so that `TwoFactorEnabled` and `Users` work
 * too. A property given twice in different spellings is an error. A property that is null is left out unless its schema accepts null:
 * it means the same as an absent one (shapes 1, null). Properties that the schema does not name stay as they are; the validation
 * decides about them. A list with more than `maxItems` is an error, and its items are not examined. Returns the same objects where
 * nothing had to be changed. Stops reporting after the first errors.
 */
export function normalizeNames(
  value: unknown,
  schema: JsonSchema,
  deref: Deref,
): { value: unknown; errors: FieldError[] } {
  const errors: FieldError[] = [];
  // Joined into a path only for an error: a body may have ten thousand values.
  const path: (string | number)[] = [];
  const addError = (message: string) => {
    if (!hasEnoughErrors(errors)) errors.push({ path: path.join('.') || 'body', message });
  };
  const visitChild = (key: string | number, child: unknown, childSchema: JsonSchema): unknown => {
    if (typeof child !== 'object' || child === null) return child;
    path.push(key);
    const normalized = visit(child, childSchema);
    path.pop();
    return normalized;
  };
  const visit = (node: object, nodeSchema: JsonSchema): unknown => {
    if (Array.isArray(node)) {
      const { maxItems = Infinity } = nodeSchema.$ref ? deref(nodeSchema) : nodeSchema;
      if (node.length > maxItems) {
        addError(`must have at most ${maxItems} items`);
        return node;
      }
      const itemSchema = findItemSchema(nodeSchema, deref);
      if (!itemSchema) return node;
      const items = node.map((item, index) => visitChild(index, item, itemSchema));
      return items.every((item, index) => item === node[index]) ? node : items;
    }
    const names = collectNames(nodeSchema, deref);
    return names.size === 0 ? node : renameProperties(node, names);
  };
  /** Copies the object only from the first difference on: most requests use the contract's spelling. */
  const renameProperties = (node: object, names: NameMap): unknown => {
    let copy: Record<string, unknown> | undefined;
    const properties = node as Readonly<Record<string, unknown>>;
    const keys = Object.keys(properties);
    for (const [index, key] of keys.entries()) {
      const child = properties[key];
      const found = names.get(key) ?? names.get(key.toLowerCase());
      const name = found ? found[0] : key;
      const isAbsent = child === null && found !== undefined && !acceptsNull(found[1], deref);
      const normalized: unknown = found ? visitChild(name, child, found[1]) : child;
      if (!copy && (isAbsent || name !== key || normalized !== child))
        copy = createBareObject(keys.slice(0, index).map((earlier) => [earlier, properties[earlier]]));
      if (isAbsent) continue;
      if (copy && Object.hasOwn(copy, name)) {
        path.push(name);
        addError('is given twice');
        path.pop();
      }
      if (copy) copy[name] = normalized;
    }
    return copy ?? node;
  };
  return { value: typeof value === 'object' && value !== null ? visit(value, schema) : value, errors };
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

/**
 * Converts `10` to a number and `true` or `True` to a boolean; `0x0A`, `1e1`, ` 10` and, for an integer, `5.0` stay text, which the
 * validation rejects.
 */
function parseParameter(text: unknown, type: JsonSchema['type']): unknown {
  if (typeof text !== 'string') return text;
  if (type === 'integer') return /^-?\d+$/.test(text) ? Number(text) : text;
  if (type === 'number') return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  if (type === 'boolean') return BOOLEANS.get(text.toLowerCase()) ?? text;
  return text;
}

/** Path and query parameters converted from text to the types of the schema; unconvertible ones are left to the validation. */
export function parseParameters(
  parameters: Readonly<Record<string, unknown>>,
  schema: JsonSchema,
  deref: Deref,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => {
      const { type, items } = deref(schema.properties?.[name] ?? {});
      if (type !== 'array') return [name, parseParameter(value, type)];
      const { type: itemType } = deref(items ?? {});
      return [name, [value].flat().map((item) => parseParameter(item, itemType))];
    }),
  );
}

/**
 * Errors for texts that PostgreSQL cannot store unchanged, in values and in the names of properties: with the character NUL or an
 * unpaired surrogate. Stops after the first errors.
 */
export function findUnstorableTexts(value: unknown): FieldError[] {
  const errors: FieldError[] = [];
  // Joined into a path only for an error: a body may have ten thousand values.
  const path: (string | number)[] = [];
  const checkText = (text: string, subject: string): void => {
    if (text.isWellFormed() && !text.includes('\0')) return;
    const names = path.map((name) => (typeof name === 'string' ? formatPathName(name) : name));
    errors.push({
      path: names.join('.') || 'body',
      message: `${subject}must not contain NUL or half a surrogate pair`,
    });
  };
  const visitChild = (key: string | number, child: unknown): void => {
    path.push(key);
    if (typeof key === 'string') checkText(key, 'The name ');
    visit(child);
    path.pop();
  };
  const visit = (node: unknown): void => {
    if (typeof node === 'string') checkText(node, '');
    if (typeof node !== 'object' || node === null || hasEnoughErrors(errors)) return;
    if (Array.isArray(node)) for (const [index, item] of node.entries()) visitChild(index, item);
    else for (const [key, child] of Object.entries(node)) visitChild(key, child);
  };
  visit(value);
  return errors;
}
