import type { FieldError } from './errors.ts';

/** The parts of a JSON Schema that name matching looks at. */
export interface Schema {
  type?: string | string[];
  $ref?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  maxItems?: number;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  required?: string[];
  additionalProperties?: boolean | Schema;
  /** Other names under which a request may send this property. */
  'x-alias'?: string[];
}

type Deref = (node: Schema | { $ref: string }) => Schema;

/** Name, as it is spelled and lower-cased → the contract's spelling and schema, of every object that `schema` may describe. */
function spellings(
  schema: Schema,
  deref: Deref,
  seen: Map<Schema, Map<string, [string, Schema]>>,
): Map<string, [string, Schema]> {
  const plain = schema.$ref ? deref(schema) : schema;
  const known = seen.get(plain);
  if (known) return known;
  const names = new Map<string, [string, Schema]>();
  seen.set(plain, names);
  for (const [name, sub] of Object.entries(plain.properties ?? {})) {
    for (const spelling of [name, ...(sub['x-alias'] ?? [])])
      for (const each of [spelling, spelling.toLowerCase()]) names.set(each, [name, sub]);
  }
  for (const branch of [...(plain.anyOf ?? []), ...(plain.oneOf ?? []), ...(plain.allOf ?? [])]) {
    for (const [lower, found] of spellings(branch, deref, seen)) names.set(lower, found);
  }
  return names;
}

function itemsOf(schema: Schema, deref: Deref): Schema | undefined {
  const plain = schema.$ref ? deref(schema) : schema;
  return (
    plain.items ??
    [...(plain.anyOf ?? []), ...(plain.oneOf ?? [])].map((branch) => itemsOf(branch, deref)).find(Boolean)
  );
}

/** Without a prototype: the name `__proto__` in a query is a name like any other, and unknown. */
function bare(entries: readonly [string, unknown][]): Record<string, unknown> {
  const made = Object.create(null) as Record<string, unknown>;
  for (const [key, value] of entries) made[key] = value;
  return made;
}

/**
 * Gives every property the contract's spelling: names match without regard to case (shapes 1), so that
 * `TwoFactorEnabled` and `Users` work too. A name given twice in two spellings is a fault, never a silent choice.
 * Keys that the schema does not name stay as they are; the schema decides about them. A list that is longer than it
 * may be is a fault of its own: nobody wants to hear about each of its items.
 */
export function matchNames(
  value: unknown,
  schema: Schema,
  deref: Deref,
): { value: unknown; faults: FieldError[] } {
  const faults: FieldError[] = [];
  const seen = new Map<Schema, Map<string, [string, Schema]>>();
  // Where a value is is written down only when something is wrong: bodies have ten thousand places.
  const trail: (string | number)[] = [];
  const fault = (message: string) => faults.push({ path: trail.join('.') || 'body', message });
  const walkTo = (step: string | number, node: unknown, at: Schema): unknown => {
    if (typeof node !== 'object' || node === null) return node;
    trail.push(step);
    const walked = walk(node, at);
    trail.pop();
    return walked;
  };
  const walk = (node: object, at: Schema): unknown => {
    if (Array.isArray(node)) {
      const { maxItems = Infinity } = at.$ref ? deref(at) : at;
      if (node.length > maxItems) {
        fault(`must have at most ${maxItems} items`);
        return node;
      }
      const items = itemsOf(at, deref);
      const walked = items ? node.map((item, index) => walkTo(index, item, items)) : node;
      return walked.every((item, index) => item === node[index]) ? node : walked;
    }
    const names = spellings(at, deref, seen);
    return names.size === 0 ? node : renamedOf(node, names);
  };
  /** A copy from the first difference on: most requests spell every name as the contract does. */
  const renamedOf = (node: object, names: ReadonlyMap<string, [string, Schema]>): unknown => {
    let renamed: Record<string, unknown> | undefined;
    const entries = Object.entries(node);
    for (const [index, [key, item]] of entries.entries()) {
      const [name, sub] = names.get(key) ?? names.get(key.toLowerCase()) ?? [key, undefined];
      const walked: unknown = sub ? walkTo(name, item, sub) : item;
      if (!renamed && (name !== key || walked !== item)) renamed = bare(entries.slice(0, index));
      if (renamed && Object.hasOwn(renamed, name)) {
        trail.push(name);
        fault('is given twice');
        trail.pop();
      }
      if (renamed) renamed[name] = walked;
    }
    return renamed ?? node;
  };
  return { value: typeof value === 'object' && value !== null ? walk(value, schema) : value, faults };
}
