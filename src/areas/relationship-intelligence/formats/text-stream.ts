/** Reading a text file piece by piece, so that its size does not matter. */
import { type OnBytes, readChunks } from '../../../files/read-chunks.ts';

/** Longest line that is read as a whole; the rest of a longer one is dropped. */
const MAX_LINE_CHARS = 64 * 1024 * 1024;

/** The encoding that the byte order mark of a UTF-16 file says; undefined for other files. */
export function detectUtf16(head: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  return head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : undefined;
}

const isAscii = (bytes: Uint8Array): boolean => bytes.every((byte) => byte < 0x80);

/** Decodes UTF-16 with a byte order mark, and UTF-8; a file whose first letters beyond ASCII are not UTF-8 is Windows-1252, as older programs write. */
function createDecoder() {
  let decoder: TextDecoder | undefined;
  let isUndecided = true;
  return (chunk?: Uint8Array): string => {
    decoder ??= new TextDecoder((chunk && detectUtf16(chunk)) ?? 'utf-8');
    if (isUndecided && chunk && decoder.encoding === 'utf-8' && !isAscii(chunk)) {
      isUndecided = false;
      try {
        // The chunk may end within a character.
        new TextDecoder('utf-8', { fatal: true }).decode(chunk, { stream: true });
      } catch {
        decoder = new TextDecoder('windows-1252');
      }
    }
    return decoder.decode(chunk, { stream: chunk !== undefined });
  };
}

/** Yields the text of a file in blocks that end at a line end, except the last. */
export async function* readLineBlocks(file: Blob, onBytes: OnBytes): AsyncGenerator<string> {
  const decode = createDecoder();
  let rest = '';
  for await (const chunk of readChunks(file, onBytes)) {
    const text = rest + decode(chunk);
    const end = text.lastIndexOf('\n') + 1;
    if (end > 0) yield text.slice(0, end);
    rest = text.slice(end, end + MAX_LINE_CHARS);
  }
  rest += decode();
  if (rest !== '') yield rest;
}

/** Yields the lines of a file without their ends. */
export async function* readLines(file: Blob, onBytes: OnBytes): AsyncGenerator<string> {
  for await (const block of readLineBlocks(file, onBytes)) {
    const lines = block.split(/\r\n|\n|\r/);
    if (lines.at(-1) === '') lines.pop();
    yield* lines;
  }
}
