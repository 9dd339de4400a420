import { isUtf8 } from 'node:buffer';
import { parse } from 'secure-json-parse';
import { scanJson } from '../../../contract/rules/json/scan.ts';
import { ApiError, type FieldError, MAX_FIELD_ERRORS } from '../api-error.ts';

/** A body in the contract's spelling, and its validation errors; the value is not used if there are any. */
export interface CheckedBody {
  value: unknown;
  errors: FieldError[];
}

/** Limits of every JSON body, checked on the text before parsing: JSON.parse accepts any depth. */
const MAX_DEPTH = 32;
/** Above what the largest write has: 10,000 items of 10 properties with lists as values. */
const MAX_NODES = 250_000;

/**
 * Reads the bytes of a JSON body: limits, syntax, names given twice and numbers that would change (shapes 1), then the contract. The only
 * way by which both API surfaces and the forms with files read JSON. Takes time linear in the number of bytes.
 * @throws ApiError 400 for invalid JSON or UTF-8 and for excessive depth, 413 for too many objects, lists and properties
 */
export function readJsonBody(bytes: Buffer, validateBody: (body: unknown) => CheckedBody): CheckedBody {
  // Decoding invalid UTF-8 would store other characters than were sent (spec 4.4: texts are stored exactly).
  if (!isUtf8(bytes)) throw new ApiError(400, 'The body is not encoded in UTF-8');
  const text = bytes.toString('utf8');
  const { exceeded, issues } = scanJson(text, {
    rootPath: 'body',
    maxDepth: MAX_DEPTH,
    maxNodes: MAX_NODES,
    maxIssues: MAX_FIELD_ERRORS + 1,
    parseText: JSON.parse,
  });
  if (exceeded === 'depth') throw new ApiError(400, `The body is nested more than ${MAX_DEPTH} levels deep`);
  if (exceeded === 'nodes')
    throw new ApiError(413, `The body has more than ${MAX_NODES} objects, lists and properties`);
  const value = parseText(text);
  return issues.length > 0 ? { value, errors: issues } : validateBody(value);
}

/** Parses JSON. The parser rejects the names `__proto__` and `constructor` where they could change a prototype. */
function parseText(text: string): unknown {
  try {
    return parse(text, { protoAction: 'error', constructorAction: 'error' });
  } catch {
    throw new ApiError(400, 'The request cannot be read: its body is not valid JSON');
  }
}
