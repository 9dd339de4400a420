/** Conversion of parameters and column values. Both databases exchange text through it, so that they behave alike. */
import { types } from 'pg';

type Decode = (text: string) => unknown;

const { INT8, DATE, BYTEA, TEXT } = types.builtins;
const INT8_ARRAY = 1016;
/** Accepts any type id; the declarations of pg name only some. */
const getPgDecoder: (typeId: number, format: 'text') => Decode = types.getTypeParser;

const keepText: Decode = (text) => text;
const decodeInt8Array = (text: string) => {
  const items: unknown = getPgDecoder(INT8_ARRAY, 'text')(text);
  return Array.isArray(items) ? items.map((item: unknown) => (item === null ? null : Number(item))) : items;
};

const decoders = new Map<number, Decode>([
  // The int8 columns of the schema and count(*) stay below 2^53; numeric stays text, as in pg.
  [INT8, Number],
  [INT8_ARRAY, decodeInt8Array],
  // A calendar day is not an instant: as a Date it would depend on the time zone of the process.
  [DATE, keepText],
  [BYTEA, (text) => Buffer.from(text.slice(2), 'hex')],
]);

/** The function that converts the text of a column of this type (PostgreSQL type OID). */
export function getDecoder(typeId: number): Decode {
  return decoders.get(typeId) ?? getPgDecoder(typeId, 'text');
}

const encoder = new TextEncoder();

const bytesDecoders = new Map<number, Decode>([[TEXT, (text) => encoder.encode(text)]]);

/** Like `getDecoder`, but texts become bytes in UTF-8 with memory of their own. */
export const getBytesDecoder = (typeId: number): Decode => bytesDecoders.get(typeId) ?? getDecoder(typeId);

const quoteItem = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`;

function toArrayLiteral(items: readonly unknown[]): string {
  const parts = items.map((item) => {
    if (Array.isArray(item)) return toArrayLiteral(item);
    const text = encodeParameter(item);
    return text === null ? 'NULL' : quoteItem(text);
  });
  return `{${parts.join(',')}}`;
}

/**
 * Text of a statement parameter: arrays become PostgreSQL arrays, other objects JSON. A JSON array must therefore be passed as
 * JSON.stringify(array), which the types of the jsonb columns require.
 */
export function encodeParameter(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return String(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  if (Array.isArray(value)) return toArrayLiteral(value);
  return JSON.stringify(value);
}
