import { SaxesParser } from 'saxes';

/** By their names as they stand in the file. */
export type Attributes = Readonly<Record<string, string>>;

interface XmlEvents {
  open: (name: string, attributes: Attributes) => void;
  close: (name: string) => void;
  text: (text: string) => void;
}

// A cell has at most 32,767 characters and a formula 8,192: what has no end for longer is no sheet.
const LONGEST = 16 * 1024 * 1024;
const DEEPEST = 1000;

/** A name without its prefix: files of workbooks may have any. */
export const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

/** Reads XML as it comes, elements without their prefixes. What it declares as types and entities is not looked at. */
export function createXmlReader({ open, close, text }: XmlEvents) {
  const parser = new SaxesParser({ xmlns: false, position: false } as const);
  // The parser keeps what has not ended yet, however long or deep it becomes.
  let [kept, depth] = [0, 0];
  parser.on('opentag', ({ name, attributes }) => {
    [kept, depth] = [0, depth + 1];
    if (depth > DEEPEST) throw new Error('It is no sheet');
    open(localName(name), attributes);
  });
  parser.on('closetag', ({ name }) => {
    [kept, depth] = [0, depth - 1];
    close(localName(name));
  });
  parser.on('text', text);
  parser.on('cdata', text);
  return {
    write(chunk: string): void {
      kept += chunk.length;
      parser.write(chunk);
      if (kept > LONGEST) throw new Error('It is no sheet');
    },
    end: (): void => void parser.close(),
  };
}
