/** The scanner reads JSON5 as its parser does: otherwise its checks could be bypassed. */
import {
  type Arbitrary,
  array,
  assert,
  constantFrom,
  letrec,
  oneof,
  property,
  string,
  tuple,
  uniqueArray,
} from 'fast-check';
import parseJson5 from 'json5/lib/parse.js';
import { expect, test } from 'vitest';
import { scanJson } from './scan.ts';

const scan = (text: string, more: object = {}) =>
  scanJson(text, { rootPath: 'body', maxIssues: Infinity, parseText: parseJson5, ...more });

const LOSSY = '9007199254740993';
const characters = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code));
const isValid = (text: string) => {
  try {
    parseJson5(text);
    return true;
  } catch {
    return false;
  }
};

test('the same characters stand between tokens', () => {
  const separators = characters.filter((each) => isValid(`[1${each}]`) && !/[\d.,]/.test(each));
  expect(separators).toHaveLength(25);
  for (const each of separators) {
    expect(scan(`[${each}${LOSSY}${each}]`).issues).toHaveLength(1);
    expect(scan(`{a: 1,${each}a${each}: 2}`).issues).toEqual([{ path: 'a', message: 'is given twice' }]);
  }
});

test('the same characters end a comment', () => {
  const lineEnds = ['\n', '\r', '\u2028', '\u2029'];
  expect(characters.filter((each) => isValid(`// comment${each}1`))).toEqual(lineEnds);
  expect(characters.filter((each) => scan(`// comment${each}${LOSSY}`).issues.length > 0)).toEqual(lineEnds);
});

const inComment = string({ unit: constantFrom(...Array.from('ab:,/"\'[]{}\\\u00a09')) });
const lineComment = tuple(inComment, constantFrom('\n', '\r', '\u2028', '\u2029')).map(
  ([text, end]) => `//${text}${end}`,
);
const blockComment = tuple(inComment, constantFrom('', '\r', '*', '\u2029')).map(
  ([text, end]) => `/*${text}${end}*/`,
);
const space = constantFrom(
  ...Array.from('\t\v\f \n\r\u00a0\ufeff\u1680\u2003\u2028\u2029\u202f\u205f\u3000'),
);
const gap = array(oneof(space, lineComment, blockComment), { maxLength: 3 }).map((parts) => parts.join(''));

const escapeFirst = (name: string) =>
  `\\u${name.charCodeAt(0).toString(16).padStart(4, '0')}${name.slice(1)}`;
const notation = constantFrom<(name: string) => string>(
  (name) => name,
  escapeFirst,
  (name) => `'${name}'`,
  (name) => `"${escapeFirst(name)}"`,
  (name) => `'\\\n${name}'`,
);
const entry = <T>(value: Arbitrary<T>) =>
  tuple(constantFrom('a', 'b', '__proto__', 'Amount', '\u00e4\u200c', '$', '\u4e00'), notation, value).map(
    ([name, write, content]) => ({ name, token: write(name), content }),
  );
const scalar = constantFrom(
  LOSSY,
  `-${LOSSY}`,
  '0x20000000000001',
  '1e999',
  '+.5',
  '7.',
  '-0',
  '12',
  'NaN',
  'null',
  'true',
  '"{[\\""',
  "'//'",
  String.raw`'\'9007199254740993'`,
).map((token) => [token]);
const join = (items: readonly string[][]) =>
  items.flatMap((item, index) => [...(index ? [','] : []), ...item]);
/** The tokens of documents. */
const { value: tokens } = letrec<{ value: string[] }>((tie) => ({
  value: oneof(
    { maxDepth: 5 },
    scalar,
    array(tie('value'), { maxLength: 3 }).map((items) => ['[', ...join(items), ']']),
    uniqueArray(entry(tie('value')), { maxLength: 3, selector: ({ name }) => name }).map((items) => [
      '{',
      ...join(items.map(({ token, content }) => [token, ':', ...content])),
      '}',
    ]),
  ),
}));
const withGaps = (parts: readonly string[], gaps: readonly string[]) =>
  parts.map((part, index) => `${gaps[index % gaps.length] ?? ''}${part}`).join('');

/** Faults that a scan which forbids all names must find in a parsed document. */
function describeValue(value: unknown, path: readonly string[] = []) {
  const found = { issues: [] as string[], names: new Set<string>(), depth: 0, nodes: 0 };
  if (typeof value === 'number' && !Number.isNaN(value) && Math.abs(value) > Number.MAX_SAFE_INTEGER)
    found.issues.push(`${path.join('.') || 'body'}: number`);
  if (typeof value !== 'object' || value === null) return found;
  found.nodes = 1;
  for (const [name, content] of Object.entries(value)) {
    const inner = describeValue(content, [...path, name]);
    if (!Array.isArray(value)) {
      found.nodes += 1;
      found.names.add(name);
      found.issues.push(`${[...path, name].join('.')}: name`);
    }
    found.issues.push(...inner.issues);
    found.nodes += inner.nodes;
    found.depth = Math.max(found.depth, inner.depth);
    for (const each of inner.names) found.names.add(each);
  }
  found.depth += 1;
  return found;
}

test('names, numbers, depth and size are those of the parsed document', () => {
  assert(
    property(tokens, array(gap, { minLength: 1 }), inComment, (parts, gaps, ending) => {
      const text = `${withGaps(parts, gaps)}//${ending}`;
      const { issues, names, depth, nodes } = describeValue(parseJson5(text));
      const found = scan(text, {
        forbiddenNames: names,
        maxDepth: depth,
        maxNodes: nodes,
      });
      expect(found.exceeded).toBeUndefined();
      expect(
        found.issues.map(
          ({ path, message }) => `${path}: ${message === 'is not allowed as a name' ? 'name' : 'number'}`,
        ),
      ).toEqual(issues);
      // A text without objects and lists has neither depth nor size, so that no limit is exceeded.
      expect(scan(text, { maxDepth: depth - 1 }).exceeded).toBe(depth > 0 ? 'depth' : undefined);
      expect(scan(text, { maxNodes: nodes - 1 }).exceeded).toBe(nodes > 0 ? 'nodes' : undefined);
    }),
    { numRuns: 1_000 },
  );
});

test('a name is given twice when the parser keeps the last one only', () => {
  assert(
    property(array(entry(scalar)), array(gap, { minLength: 1 }), (items, gaps) => {
      const contents = items.map(({ token }) => [token, ':', '0']);
      const text = withGaps(['{', ...join(contents), '}'], gaps);
      const nameCount = Object.keys(parseJson5<object>(text)).length;
      expect(scan(text).issues).toHaveLength(items.length - nameCount);
    }),
    { numRuns: 1_000 },
  );
});
