import { ApiError } from '../../../kernel/api-error.ts';

const [QUOTE, BACKSLASH, COMMA, LIST_START, LIST_END, OBJECT_START, OBJECT_END] = [
  0x22, 0x5c, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d,
];
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** Index of the next byte that is special within a text, or the length of the chunk. Most bytes of a list are those of texts. */
function findQuoteOrBackslash(chunk: Buffer, start: number): number {
  let at = start;
  while (at < chunk.length && chunk[at] !== QUOTE && chunk[at] !== BACKSLASH) at += 1;
  return at;
}

const invalid = (): ApiError =>
  new ApiError(400, 'The request cannot be read: its body is not a valid JSON list of objects');

/** Splits the bytes of a JSON list of objects. */
export interface ListSplitter {
  /** @throws ApiError 400 where the bytes cannot belong to a list of objects */
  write(chunk: Buffer): void;
  /** @throws ApiError 400 if the list is not complete */
  end(): void;
}

/**
 * Splits a JSON list into its objects while it arrives, so that a long list is never parsed as a whole. Only the boundaries are found
 * here: `onItem` gets the bytes of each object, which may still be invalid.
 */
export function createListSplitter(onItem: (bytes: Buffer, index: number) => void): ListSplitter {
  let state: 'start' | 'first' | 'item' | 'comma' | 'next' | 'end' = 'start';
  let depth = 0;
  let wasInString = false;
  let wasEscaped = false;
  let count = 0;
  /** Chunks of the current item before the current one. */
  let parts: Buffer[] = [];
  return {
    write(chunk) {
      let itemStart = 0;
      // Local variables: those of the function around take twice as long to read, once for each byte.
      let [inString, isEscaped] = [wasInString, wasEscaped];
      for (let at = 0; at < chunk.length; at += 1) {
        if (inString) {
          if (isEscaped) isEscaped = false;
          else {
            at = findQuoteOrBackslash(chunk, at);
            if (at === chunk.length) break;
            isEscaped = chunk[at] === BACKSLASH;
            inString = isEscaped;
          }
          continue;
        }
        const byte = chunk[at] ?? 0;
        if (state !== 'item') {
          if (isSpace(byte)) continue;
          if (state === 'start' && byte === LIST_START) state = 'first';
          else if ((state === 'first' || state === 'next') && byte === OBJECT_START) {
            state = 'item';
            depth = 1;
            itemStart = at;
          } else if ((state === 'first' || state === 'comma') && byte === LIST_END) state = 'end';
          else if (state === 'comma' && byte === COMMA) state = 'next';
          else throw invalid();
        } else if (byte === QUOTE) inString = true;
        else if (byte === OBJECT_START || byte === LIST_START) depth += 1;
        else if (byte === OBJECT_END || byte === LIST_END) {
          depth -= 1;
          if (depth > 0) continue;
          state = 'comma';
          const last = chunk.subarray(itemStart, at + 1);
          const bytes = parts.length > 0 ? Buffer.concat([...parts, last]) : last;
          parts = [];
          onItem(bytes, count);
          count += 1;
        }
      }
      [wasInString, wasEscaped] = [inString, isEscaped];
      if (state === 'item') parts.push(chunk.subarray(itemStart));
    },
    end() {
      if (state !== 'end') throw invalid();
    },
  };
}
