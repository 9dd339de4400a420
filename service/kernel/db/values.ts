/**
 * One conversion of values for both databases. PGlite's own is switched off, so that a statement cannot behave
 * differently there: both send text and read text through this file.
 */
import { types } from 'pg';

type Decode = (text: string) => unknown;

const { INT8, DATE, BYTEA } = types.builtins;
const INT8_ARRAY = 1016;
/** pg knows more types than its declarations name. */
const decoderOfPg: (typeId: number, format: 'text') => Decode = types.getTypeParser;

const asText: Decode = (text) => text;
const decodeInt8Array = (text: string) => {
  const items: unknown = decoderOfPg(INT8_ARRAY, 'text')(text);
  return Array.isArray(items) ? items.map((item: unknown) => (item === null ? null : Number(item))) : items;
};

const ours = new Map<number, Decode>([
  // Our int8 columns and count(*) stay below 2^53; numeric stays text, as in pg.
  [INT8, Number],
  [INT8_ARRAY, decodeInt8Array],
  // A calendar day is no instant: as a Date it would shift with the zone of the process.
  [DATE, asText],
  [BYTEA, (text) => Buffer.from(text.slice(2), 'hex')],
]);

/** The reader of one column type's text. */
export function decoderOf(typeId: number): Decode {
  return ours.get(typeId) ?? decoderOfPg(typeId, 'text');
}

const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`;

function arrayLiteral(items: readonly unknown[]): string {
  const parts = items.map((item) => {
    if (Array.isArray(item)) return arrayLiteral(item);
    const text = encode(item);
    return text === null ? 'NULL' : quoted(text);
  });
  return `{${parts.join(',')}}`;
}

/**
 * The text of one parameter: arrays become PostgreSQL arrays, other objects become JSON. A JSON array must
 * therefore be given as JSON.stringify(array), which the types of the jsonb columns ask for.
 */
export function encode(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return String(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  if (Array.isArray(value)) return arrayLiteral(value);
  return JSON.stringify(value);
}
