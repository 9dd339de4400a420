import { RefusedFile } from '../../areas/backups/index.ts';

/** A line of a sheet: null is nothing between two commas, an empty text two quotes. */
export type Cells = (string | null)[];

const QUOTE = 34;
const COMMA = 44;
const NEWLINE = 10;

const malformed = (name: string) => new RefusedFile(`The file is damaged: ${name} is no CSV`);

/** A line that begins at `at`, and where the next one does; undefined: it is not complete yet. */
function readLine(text: string, at: number, name: string): { cells: Cells; next: number } | undefined {
  const cells: Cells = [];
  for (let from = at; ;) {
    let end: number;
    if (text.charCodeAt(from) === QUOTE) {
      end = text.indexOf('"', from + 1);
      let isDoubled = false;
      while (end !== -1 && text.charCodeAt(end + 1) === QUOTE) {
        isDoubled = true;
        end = text.indexOf('"', end + 2);
      }
      if (end === -1 || end + 1 >= text.length) return undefined;
      const value = text.slice(from + 1, end);
      cells.push(isDoubled ? value.replaceAll('""', '"') : value);
      end += 1;
    } else {
      end = from;
      for (let sign = text.charCodeAt(end); sign !== COMMA && sign !== NEWLINE; sign = text.charCodeAt(end)) {
        if (Number.isNaN(sign)) return undefined;
        if (sign === QUOTE) throw malformed(name);
        end += 1;
      }
      cells.push(end === from ? null : text.slice(from, end));
    }
    const sign = text.charCodeAt(end);
    if (sign === NEWLINE) return { cells, next: end + 1 };
    if (sign !== COMMA) throw malformed(name);
    from = end + 1;
  }
}

/** All complete lines of a text from its beginning, and where they end. */
function readLines(
  text: string,
  name: string,
  columns: number | undefined,
): { lines: Cells[]; next: number } {
  const lines: Cells[] = [];
  let next = 0;
  for (let line = readLine(text, next, name); line; line = readLine(text, next, name)) {
    if (line.cells.length !== (columns ?? lines[0]?.length ?? line.cells.length)) throw malformed(name);
    lines.push(line.cells);
    next = line.next;
  }
  return { lines, next };
}

/**
 * The lines of a sheet, some at a time, all as long as the first.
 * @throws RefusedFile for what is no CSV as backups have it
 */
export async function* linesOf(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<Cells[]> {
  // A text may begin with U+FEFF, which is no mark of the encoding here.
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let rest = '';
  let enough = 0;
  let columns: number | undefined;
  for await (const chunk of chunks) {
    rest += decode(decoder, chunk, name);
    // A line of many megabytes is not read again with each piece of it that comes.
    if (rest.length < enough) continue;
    const { lines, next } = readLines(rest, name, columns);
    rest = rest.slice(next);
    enough = lines.length === 0 ? rest.length * 2 : 0;
    columns ??= lines[0]?.length;
    if (lines.length > 0) yield lines;
  }
  const { lines, next } = readLines(rest, name, columns);
  if (next !== rest.length) throw malformed(name);
  if (lines.length > 0) yield lines;
}

function decode(decoder: TextDecoder, chunk: Buffer, name: string): string {
  try {
    return decoder.decode(chunk, { stream: true });
  } catch {
    throw malformed(name);
  }
}
