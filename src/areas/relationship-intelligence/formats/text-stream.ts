/** Reading a text file piece by piece, so that its size does not matter. */
import { type OnBytes, readChunks } from '../../../files/read-chunks.ts';

/** Longest line that is read as a whole; the rest of a longer one is dropped. */
const MAX_LINE_CHARS = 64 * 1024 * 1024;

/** Yields the text of a UTF-8 file in blocks that end at a line end, except the last. */
export async function* readLineBlocks(file: Blob, onBytes: OnBytes): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8');
  let rest = '';
  for await (const chunk of readChunks(file, onBytes)) {
    const text = rest + decoder.decode(chunk, { stream: true });
    const end = text.lastIndexOf('\n') + 1;
    if (end > 0) yield text.slice(0, end);
    rest = text.slice(end, end + MAX_LINE_CHARS);
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}

/** Yields the lines of a UTF-8 file without their ends. */
export async function* readLines(file: Blob, onBytes: OnBytes): AsyncGenerator<string> {
  for await (const block of readLineBlocks(file, onBytes)) {
    const lines = block.split(/\r\n|\n|\r/);
    if (lines.at(-1) === '') lines.pop();
    yield* lines;
  }
}
