import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { parse } from 'secure-json-parse';
import { scanJson } from '../../../../contract/rules/json/scan.ts';
import { ApiError, type FieldError, MAX_FIELD_ERRORS } from '../../api-error.ts';

/** A body in the contract's spelling, and its validation errors; the value is not used if there are any. */
export interface CheckedBody {
  value: unknown;
  errors: FieldError[];
  /** The bytes of a body that the handler reads (`readItems`). */
  bytes?: Buffer;
  /** The body as it arrives, for a handler that reads it (`bodyStream`). */
  stream?: Readable;
}

/** Limits of every JSON body, checked on the text before parsing: JSON.parse accepts any depth. */
const MAX_DEPTH = 32;
/** Above what the largest write has: 10,000 items of 10 properties with lists as values. */
const MAX_NODES = 250_000;
/** Above what a list of items of 8 MiB has. */
const MAX_ITEM_NODES = 2_000_000;

/**
 * Reads the bytes of a JSON body: limits, syntax, names given twice and numbers that would change (shapes 1), then the contract. The only
 * way by which both API surfaces and the forms with files read JSON. Takes time linear in the number of bytes.
 * @throws ApiError 400 for invalid JSON or UTF-8 and for excessive depth, 413 for too many objects, lists and properties
 */
export function readJsonBody(
  bytes: Buffer,
  validateBody: (body: unknown, isStorable: boolean) => CheckedBody,
  maxNodes = MAX_NODES,
): CheckedBody {
  // Decoding invalid UTF-8 would store other characters than were sent (spec 4.4: texts are stored exactly).
  if (!isUtf8(bytes)) throw new ApiError(400, 'The body is not encoded in UTF-8');
  const text = bytes.toString('utf8');
  const { exceeded, issues } = scanJson(text, {
    rootPath: 'body',
    maxDepth: MAX_DEPTH,
    maxNodes,
    maxIssues: MAX_FIELD_ERRORS + 1,
    parseText: JSON.parse,
  });
  if (exceeded === 'depth') throw new ApiError(400, `The body is nested more than ${MAX_DEPTH} levels deep`);
  if (exceeded === 'nodes')
    throw new ApiError(413, `The body has more than ${maxNodes} objects, lists and properties`);
  const hasEscapes = text.includes(String.raw`\u`);
  const value = parseText(text, hasEscapes);
  // NUL and half a surrogate pair can only come from escapes: the bytes are UTF-8, and JSON has no control characters in texts.
  return issues.length > 0 ? { value, errors: issues } : validateBody(value, !hasEscapes);
}

/** Items of an uploaded list, or its validation errors. */
export interface ReadItems {
  /** Number of items. */
  count: number;
  /** Length of the body in bytes. */
  bytes: number;
  /** The items as texts of JSON lists that one statement of the database takes, with the defaults of the contract. */
  lists: { json: string; count: number }[];
  errors: FieldError[];
}

const MAX_LIST_TEXT_ITEMS = 20_000;

/**
 * Reads a body `{items: [...]}` whose items have a schema of the contract. Returns text, which costs other threads less than objects.
 * @param sha256 the hash in hexadecimal digits that the bytes must have
 * @throws ApiError 400 or 413 as `readJsonBody`
 */
export function readJsonItems(
  bytes: Buffer,
  sha256: string,
  validateItems: Parameters<typeof readJsonBody>[1],
): ReadItems {
  const refuse = (errors: FieldError[]): ReadItems => ({ count: 0, bytes: bytes.length, lists: [], errors });
  const actual = createHash('sha256').update(bytes).digest('hex');
  if (actual !== sha256)
    return refuse([{ path: 'sha256', message: `is not the hash of the request body, which is ${actual}` }]);
  const { value, errors } = readJsonBody(bytes, validateItems, MAX_ITEM_NODES);
  if (errors.length > 0) return refuse(errors);
  const { items } = value as { items: unknown[] };
  const lists: ReadItems['lists'] = [];
  for (let offset = 0; offset < items.length; offset += MAX_LIST_TEXT_ITEMS) {
    const list = items.slice(offset, offset + MAX_LIST_TEXT_ITEMS);
    lists.push({ json: JSON.stringify(list), count: list.length });
  }
  return { count: items.length, bytes: bytes.length, lists, errors };
}

/**
 * Parses JSON. Rejects the names `__proto__` and `constructor` where they could change a prototype.
 * @param hasEscapes whether names may be written with escapes
 */
function parseText(text: string, hasEscapes: boolean): unknown {
  // The parser that rejects names searches every text for them twice.
  const mayNamePrototype = hasEscapes || text.includes('__proto__') || text.includes('constructor');
  try {
    return mayNamePrototype
      ? parse(text, { protoAction: 'error', constructorAction: 'error' })
      : JSON.parse(text);
  } catch {
    throw new ApiError(400, 'The request cannot be read: its body is not valid JSON');
  }
}
