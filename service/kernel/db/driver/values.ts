/** Conversion of parameters and column values. Both databases exchange text through it, so that they behave alike. */
import { types } from 'pg';

type Decode = (text: string) => unknown;

const { INT8, DATE, BYTEA, TEXT, TIMESTAMPTZ } = types.builtins;
const INT4_ARRAY = 1007;
const INT8_ARRAY = 1016;
/** Accepts any type id; the declarations of pg name only some. */
const getPgDecoder: (typeId: number, format: 'text') => Decode = types.getTypeParser;

const keepText: Decode = (text) => text;
const decodeInt8Array = (text: string) => {
  const items: unknown = getPgDecoder(INT8_ARRAY, 'text')(text);
  return Array.isArray(items) ? items.map((item: unknown) => (item === null ? null : Number(item))) : items;
};

/** `2026-11-28 12:44:34.123+00`: sessions are in UTC. */
const UTC_TIMESTAMP = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,3})?\+00$/;
const decodeOtherTimestamp = getPgDecoder(TIMESTAMPTZ, 'text');
/** The parser of pg takes several times as long; it remains for what is not an ordinary time in UTC, such as `infinity`. */
const decodeTimestamp: Decode = (text) =>
  UTC_TIMESTAMP.test(text)
    ? new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`)
    : decodeOtherTimestamp(text);

/** An array of numbers without null is a list in braces. */
const decodeInt4Array: Decode = (text) =>
  text === '{}'
    ? []
    : /^\{[\d,-]+\}$/.test(text)
      ? text.slice(1, -1).split(',').map(Number)
      : decodeOtherInt4Array(text);
const decodeOtherInt4Array = getPgDecoder(INT4_ARRAY, 'text');

const decoders = new Map<number, Decode>([
  // The int8 columns of the schema and count(*) stay below 2^53; numeric stays text, as in pg.
  [INT8, Number],
  [INT4_ARRAY, decodeInt4Array],
  [INT8_ARRAY, decodeInt8Array],
  [TIMESTAMPTZ, decodeTimestamp],
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
