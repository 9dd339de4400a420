/**
 * Parses the help texts and guides of `docs` when the console is built: they become data of the bundle, which React
 * renders as elements. No HTML is generated or passed on.
 */
import { marked, type Token, type Tokens } from 'marked';
import type { Plugin } from 'vite';
import type { Block, Document, Inline } from '../src/areas/help/model/document.ts';

/** Guides that the console ships; links to other documents become text. */
export const GUIDES = [
  'agents',
  'glossary',
  'operating',
  'publications',
  'relationship-intelligence',
  'reports',
];

/** Id of a heading, as repositories on the web form it: `## Sign in` has the id `sign-in`. */
const toId = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .replaceAll(/\s+/g, '-');

/** Reference of a link in the console; undefined for files that the console does not ship. */
function resolveLink(href: string): string | undefined {
  if (/^(https:\/|\/|#)/.test(href)) return href;
  const [, name, anchor = ''] = /^(?:\.{1,2}\/|docs\/)*(?:help\/)?([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
  if (name === undefined) return undefined;
  const isHelp = href.includes('help/') || !GUIDES.includes(name);
  return isHelp && !href.includes('help/') ? undefined : `/help/${name}${anchor}`;
}

const unsupported = (token: Token): Error =>
  new Error(`Documents may not contain ${token.type}: ${token.raw}`);

function parseInline(tokens: readonly Token[] = []): Inline[] {
  return tokens.flatMap((token): Inline[] => {
    switch (token.type) {
      case 'text':
      case 'escape':
        return 'tokens' in token && token.tokens ? parseInline(token.tokens) : [toText(token)];
      case 'codespan':
        return [{ kind: 'code', text: (token as Tokens.Codespan).text }];
      case 'strong':
        return [{ kind: 'strong', parts: parseInline(token.tokens) }];
      case 'em':
        return [{ kind: 'emphasis', parts: parseInline(token.tokens) }];
      case 'br':
        return [{ kind: 'text', text: ' ' }];
      case 'link': {
        const href = resolveLink((token as Tokens.Link).href);
        const parts = parseInline(token.tokens);
        return href === undefined ? parts : [{ kind: 'link', href, parts }];
      }
      default:
        throw unsupported(token);
    }
  });
}

const toText = (token: Token): Inline => ({
  kind: 'text',
  text: (token as Tokens.Text).text.replaceAll('\n', ' '),
});

function parseBlocks(tokens: readonly Token[] = []): Block[] {
  return tokens.flatMap((token): Block[] => {
    switch (token.type) {
      case 'space':
      case 'hr':
        return [];
      case 'heading': {
        const { depth, text } = token as Tokens.Heading;
        return [{ kind: 'heading', level: depth, id: toId(text), parts: parseInline(token.tokens) }];
      }
      case 'paragraph':
      case 'text':
        return [{ kind: 'paragraph', parts: parseInline(token.tokens ?? [token]) }];
      case 'list': {
        const { ordered, items } = token as Tokens.List;
        return [{ kind: 'list', isOrdered: ordered, items: items.map((item) => parseBlocks(item.tokens)) }];
      }
      case 'code':
        return [{ kind: 'code', text: (token as Tokens.Code).text }];
      case 'table': {
        const { header, rows } = token as Tokens.Table;
        const parseCells = (cells: Tokens.TableCell[]) => cells.map((cell) => parseInline(cell.tokens));
        return [{ kind: 'table', header: parseCells(header), rows: rows.map(parseCells) }];
      }
      default:
        throw unsupported(token);
    }
  });
}

/**
 * Parses a document; its first heading is the title.
 * @throws Error where it has no title, or contains HTML, images or quotes
 */
export function parseDocument(markdown: string): Document {
  const [title, ...blocks] = parseBlocks(marked.lexer(markdown));
  if (title?.kind !== 'heading' || title.level !== 1)
    throw new Error('A document begins with its title: "# Users"');
  return { title: title.parts.map((part) => ('text' in part ? part.text : '')).join(''), blocks };
}

/** Makes `docs/*.md` and `docs/help/*.md` modules with the parsed document as default export. */
export const parseDocuments = (): Plugin => ({
  name: 'parse-documents',
  enforce: 'pre',
  transform(code, id) {
    if (!/\/docs\/(?:help\/)?[\w-]+\.md$/.test(id)) return undefined;
    return { code: `export default ${JSON.stringify(parseDocument(code))};`, map: null };
  },
});
