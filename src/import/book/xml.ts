// A cell has at most 32,767 characters and a formula 8,192: what has no end for longer is no sheet.
const LONGEST = 16 * 1024 * 1024;

interface XmlEvents {
  /** `attributes` as they stand in the file. */
  open: (name: string, attributes: string) => void;
  close: (name: string) => void;
  text: (text: string) => void;
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** Ends of lines are one sign each, however the file has them (XML 1.0, 2.11). */
const oneSign = (text: string): string => (text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text);

/** A text of XML with its references undone. */
const plainText = (text: string): string =>
  text.includes('&')
    ? text.replaceAll(
        /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi,
        (all, hex?: string, digits?: string, name = '') => {
          if (hex === undefined && digits === undefined) return ENTITIES[name] ?? all;
          const code = hex === undefined ? Number(digits) : Number.parseInt(hex, 16);
          return code <= 0x10ffff ? String.fromCodePoint(code) : all;
        },
      )
    : text;

/** Attributes by their names, without the prefixes of these. */
export function attributesOf(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, name = '', double, single = ''] of text.matchAll(
    /(?:[\w.-]+:)?([\w.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g,
  ))
    found.set(name, plainText(double ?? single));
  return found;
}

const QUOTES = [0x22, 0x27];
const GREATER = 0x3e;

/** Where a tag ends: a `>` may stand in its attributes. */
function endOfTag(text: string, from: number): number {
  let quote = 0;
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (quote !== 0) quote = code === quote ? 0 : quote;
    else if (code === GREATER) return at;
    else if (QUOTES.includes(code)) quote = code;
  }
  return -1;
}

const OPENINGS = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
] as const;

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

/**
 * Reads XML as it comes, as far as files of workbooks need it: elements without their prefixes, their attributes, texts
 * with the references undone. Declarations of types and entities are passed over (there is nothing to expand).
 */
export function createXmlReader({ open, close, text }: XmlEvents) {
  let rest = '';

  function tag(from: number, to: number): void {
    if (rest.charCodeAt(from + 1) === 0x2f) return close(localName(rest.slice(from + 2, to).trimEnd()));
    const isEmpty = rest.charCodeAt(to - 1) === 0x2f;
    const inside = rest.slice(from + 1, isEmpty ? to - 1 : to);
    const space = inside.search(/\s/);
    const name = localName(space < 0 ? inside : inside.slice(0, space));
    open(name, space < 0 ? '' : inside.slice(space));
    if (isEmpty) close(name);
    return undefined;
  }

  /** Reads what begins at a `<`; where it ends, or -1 while that has not come. */
  function mark(at: number): number {
    const next = rest.charCodeAt(at + 1);
    if (next === 0x21 || next === 0x3f) {
      const special = OPENINGS.find(([opening]) => rest.startsWith(opening, at));
      if (special) {
        const [opening, closing] = special;
        const end = rest.indexOf(closing, at + opening.length);
        if (end >= 0 && closing === ']]>') text(oneSign(rest.slice(at + opening.length, end)));
        return end < 0 ? -1 : end + closing.length;
      }
      if (rest.length - at < 9) return -1;
      return rest.indexOf('>', at) + 1 || -1;
    }
    const end = endOfTag(rest, at + 1);
    if (end < 0) return -1;
    tag(at, end);
    return end + 1;
  }

  return {
    write(chunk: string): void {
      rest += chunk;
      let at = 0;
      for (;;) {
        const next = rest.indexOf('<', at);
        if (next < 0) break;
        if (next > at) text(plainText(oneSign(rest.slice(at, next))));
        const end = mark(next);
        at = end < 0 ? next : end;
        if (end < 0) break;
      }
      rest = rest.slice(at);
      if (rest.length > LONGEST) throw new Error('It is no sheet');
    },
  };
}
