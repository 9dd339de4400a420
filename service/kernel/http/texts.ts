import type { FieldError } from './errors.ts';
import type { Schema } from './names.ts';

type Deref = (node: Schema | { $ref: string }) => Schema;

/** A number or truth value as a path or query spells it: `10`, never `0x0A`, `1e1` or ` 10`. Anything else stays text. */
function read(text: unknown, type: Schema['type']): unknown {
  if (typeof text !== 'string') return text;
  if (type === 'integer' || type === 'number') return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  return text;
}

/** Path and query parameters, which come as texts, as the values of their types; what is none is left to validation. */
export function readParameters(
  parameters: Readonly<Record<string, unknown>>,
  schema: Schema,
  deref: Deref,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => {
      const plain = deref(schema.properties?.[name] ?? {});
      if (plain.type !== 'array') return [name, read(value, plain.type)];
      const { type } = deref(plain.items ?? {});
      return [name, [value].flat().map((item) => read(item, type))];
    }),
  );
}

/** Texts that no database keeps as they are: with the character NUL, or with half of a surrogate pair. */
export function unstorableTexts(value: unknown): FieldError[] {
  const faults: FieldError[] = [];
  // Where it is is written down only when something is wrong: bodies have ten thousand places.
  const trail: string[] = [];
  const walk = (node: unknown): void => {
    if (typeof node === 'string') {
      if (node.isWellFormed() && !node.includes('\0')) return;
      const path = trail.join('.') || 'body';
      faults.push({ path, message: 'must not contain NUL or half a surrogate pair' });
    } else if (typeof node === 'object' && node !== null) {
      for (const [key, item] of Object.entries(node)) {
        trail.push(key);
        walk(item);
        trail.pop();
      }
    }
  };
  walk(value);
  return faults;
}
