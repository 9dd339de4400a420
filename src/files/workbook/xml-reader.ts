import { SaxesParser } from 'saxes';

/** Attributes by qualified name. */
export type Attributes = Readonly<Record<string, string>>;

interface XmlEvents {
  open: (name: string, attributes: Attributes) => void;
  close: (name: string) => void;
  text: (text: string) => void;
}

// A cell has at most 32,767 characters and a formula 8,192: a longer unfinished token is not a sheet.
const MAX_PENDING_LENGTH = 16 * 1024 * 1024;
const MAX_DEPTH = 1000;

/** Returns a name without its prefix, which differs between programs. */
export const getLocalName = (name: string): string => name.slice(name.indexOf(':') + 1);

/** Creates a streaming XML reader that reports local element names; document types and entities are ignored. */
export function createXmlReader({ open, close, text }: XmlEvents) {
  const parser = new SaxesParser({ xmlns: false, position: false } as const);
  // The parser buffers unfinished tokens and open elements without a limit of its own.
  let [pendingLength, depth] = [0, 0];
  parser.on('opentag', ({ name, attributes }) => {
    [pendingLength, depth] = [0, depth + 1];
    if (depth > MAX_DEPTH) throw new Error('Elements are nested too deeply');
    open(getLocalName(name), attributes);
  });
  parser.on('closetag', ({ name }) => {
    [pendingLength, depth] = [0, depth - 1];
    close(getLocalName(name));
  });
  parser.on('text', text);
  parser.on('cdata', text);
  return {
    write(chunk: string): void {
      pendingLength += chunk.length;
      parser.write(chunk);
      if (pendingLength > MAX_PENDING_LENGTH) throw new Error('Token is too long');
    },
    end: (): void => void parser.close(),
  };
}
