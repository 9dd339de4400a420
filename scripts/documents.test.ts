/** Help texts (docs/help) and guides: complete, with live links, and naming buttons that exist. */
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Block, Document, Inline } from '../src/areas/help/model/document.ts';
import { findTopic } from '../src/areas/help/model/topics.ts';
import { GUIDES, parseDocument } from './documents.ts';

/** Characters of the parsed text. */
const MAX_HELP_LENGTH = 6_000;

const helpTexts = new Map(
  globSync('docs/help/*.md').map((file) => [file.slice('docs/help/'.length, -'.md'.length), load(file)]),
);
const guides = new Map(GUIDES.map((name) => [name, load(`docs/${name}.md`)]));
const documents = new Map([...guides, ...helpTexts]);

function load(file: string): Document {
  return parseDocument(readFileSync(file, 'utf8'));
}

const listInlines = (parts: readonly Inline[]): Inline[] =>
  parts.flatMap((part) => ('parts' in part ? [part, ...listInlines(part.parts)] : [part]));

const listBlocks = (blocks: readonly Block[]): Block[] =>
  blocks.flatMap((block) => (block.kind === 'list' ? [block, ...listBlocks(block.items.flat())] : [block]));

function listParts({ blocks }: Document): Inline[] {
  return listBlocks(blocks).flatMap((block) => {
    if ('parts' in block) return listInlines(block.parts);
    return block.kind === 'table' ? listInlines([block.header, ...block.rows].flat(2)) : [];
  });
}

const toPlainText = (parts: readonly Inline[]): string =>
  listInlines(parts)
    .map((part) => ('text' in part ? part.text : ''))
    .join('');

/** Paths of the pages with their parameters, such as `/entries/$type/schema`. */
const routes = globSync('src/routes/**/*.tsx').map((file) =>
  file
    .slice('src/routes'.length, -'.tsx'.length)
    .split('/')
    .filter((segment) => !/^(_.*|index|route)$/.test(segment))
    .join('/'),
);
const isPage = (path: string): boolean => {
  const segments = path.split('/').filter(Boolean);
  return routes.some((page) => {
    const expected = page.split('/').filter(Boolean);
    return (
      expected.length === segments.length &&
      expected.every((name, at) => name.startsWith('$') || name === segments[at])
    );
  });
};

test('every area of the console has a help text', () => {
  const areas = readdirSync('src/routes/_app', { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  expect(areas.length).toBeGreaterThan(15);
  const missing = areas.map(({ name }) => name).filter((name) => !helpTexts.has(name));
  expect(['home', ...missing].filter((name) => !helpTexts.has(name))).toEqual([]);
});

test('help texts explain what the page is and how to do its tasks, shortly', () => {
  for (const [name, { title, blocks }] of helpTexts) {
    const facts = {
      name,
      hasTitle: title !== '',
      beginsWith: blocks[0]?.kind,
      hasTask: blocks.some(({ kind }) => kind === 'heading'),
      isShort: JSON.stringify(blocks).length < MAX_HELP_LENGTH,
    };
    expect(facts).toEqual({ name, hasTitle: true, beginsWith: 'paragraph', hasTask: true, isShort: true });
  }
});

test('links of help texts and guides lead somewhere', () => {
  const dead = [...documents].flatMap(([name, document]) =>
    listParts(document).flatMap((part) => {
      if (part.kind !== 'link' || part.href.startsWith('https://')) return [];
      const [path = '', anchor] = part.href.split('#');
      const topic = /^\/help\/(.+)$/.exec(path)?.[1];
      const target = path === '' ? document : documents.get(topic ?? '');
      const isAlive = topic === undefined && path !== '' ? isPage(path) : target !== undefined;
      const hasAnchor =
        anchor === undefined ||
        target?.blocks.some((block) => block.kind === 'heading' && block.id === anchor) === true;
      return isAlive && hasAnchor ? [] : [`${name}: ${part.href}`];
    }),
  );
  expect(dead).toEqual([]);
});

test('labels that help texts print in bold are texts of the console', () => {
  const source = globSync('src/**/*.{ts,tsx}', { exclude: ['src/api/generated/**'] })
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  const unknown = [...helpTexts].flatMap(([name, document]) =>
    listParts(document).flatMap((part) => {
      const label = part.kind === 'strong' ? toPlainText(part.parts).replace(/…$/, '') : '';
      return source.includes(label) ? [] : [`${name}: ${label}`];
    }),
  );
  expect(unknown).toEqual([]);
});

test('the text of a route is that of the longest beginning of its path', () => {
  const topics = ['home', 'users', 'users-import', 'entries-schema'];
  const routeIds = ['/_app/', '/_app/users/_list/', '/_app/users/$userId/groups', '/_app/users/import'];
  expect(routeIds.map((id) => findTopic(id, topics))).toEqual(['home', 'users', 'users', 'users-import']);
  expect(findTopic('/_app/entries/$type/schema', topics)).toBe('entries-schema');
  expect(findTopic('/_app/elsewhere/', topics)).toBeUndefined();
});

test('parses markdown to data, and refuses HTML', () => {
  const { title, blocks } = parseDocument(
    '# A & B\n\nSee [users](/users) and `a < b`.\n\n1. **Do** it\n\n| x |\n| - |\n| *y* |\n',
  );
  expect(title).toBe('A & B');
  expect(blocks).toEqual([
    {
      kind: 'paragraph',
      parts: [
        { kind: 'text', text: 'See ' },
        { kind: 'link', href: '/users', parts: [{ kind: 'text', text: 'users' }] },
        { kind: 'text', text: ' and ' },
        { kind: 'code', text: 'a < b' },
        { kind: 'text', text: '.' },
      ],
    },
    {
      kind: 'list',
      isOrdered: true,
      items: [
        [
          {
            kind: 'paragraph',
            parts: [
              { kind: 'strong', parts: [{ kind: 'text', text: 'Do' }] },
              { kind: 'text', text: ' it' },
            ],
          },
        ],
      ],
    },
    {
      kind: 'table',
      header: [[{ kind: 'text', text: 'x' }]],
      rows: [[[{ kind: 'emphasis', parts: [{ kind: 'text', text: 'y' }] }]]],
    },
  ]);
  for (const html of ['<b>x</b>', 'text <img src=x onerror=alert(1)>'])
    expect(() => parseDocument(`# Title\n\n${html}`)).toThrow('Documents may not contain html');
  expect(parseDocument('# Title\n\n[x](javascript:alert(1))').blocks).toEqual([
    { kind: 'paragraph', parts: [{ kind: 'text', text: 'x' }] },
  ]);
});
