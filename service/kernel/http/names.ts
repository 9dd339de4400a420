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

/** Lower-cased name → the contract's spelling and schema, of every object that `schema` may describe. */
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
    for (const spelling of [name, ...(sub['x-alias'] ?? [])]) names.set(spelling.toLowerCase(), [name, sub]);
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
  const walk = (node: unknown, at: Schema, path: string): unknown => {
    if (Array.isArray(node)) {
      const { maxItems = Infinity } = at.$ref ? deref(at) : at;
      if (node.length > maxItems) {
        faults.push({ path: path || 'body', message: `must have at most ${maxItems} items` });
        return node;
      }
      const items = itemsOf(at, deref);
      return items
        ? node.map((item, index) => walk(item, items, path ? `${path}.${index}` : String(index)))
        : node;
    }
    if (typeof node !== 'object' || node === null) return node;
    const names = spellings(at, deref, seen);
    if (names.size === 0) return node;
    // Without a prototype: the name `__proto__` in a query is a name like any other, and unknown.
    const renamed = Object.create(null) as Record<string, unknown>;
    for (const [key, item] of Object.entries(node)) {
      const [name, sub] = names.get(key.toLowerCase()) ?? [key, undefined];
      const here = path ? `${path}.${name}` : name;
      if (Object.hasOwn(renamed, name)) faults.push({ path: here, message: 'is given twice' });
      renamed[name] = sub ? walk(item, sub, here) : item;
    }
    return renamed;
  };
  return { value: walk(value, schema, ''), faults };
}
