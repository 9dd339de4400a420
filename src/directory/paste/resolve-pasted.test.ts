import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { toRow } from '../engine/row.ts';
import { createPeopleIndex } from '../people-index.ts';
import { PASTE_LIMIT } from './resolve-pasted.ts';

interface Person {
  id: number;
  first: string;
  last: string;
  email: string;
}

const PEOPLE: Person[] = [
  { id: 1041, first: 'Zoë', last: 'Ångström', email: 'zoe@x.example' },
  { id: 1042, first: 'Bjørn', last: 'Håkonsen', email: 'Bjorn.H@x.example' },
  { id: 1043, first: 'María del Carmen', last: 'García Olmedo', email: 'mdc+work@x.example' },
  { id: 1044, first: 'Siobhán', last: 'O’Hara', email: "o'hara@x.example" },
  { id: 1045, first: 'Jean-Baptiste', last: 'de La Rochefontaine', email: 'jb_rochefontaine@mail.x.example' },
  { id: 1046, first: '伟', last: '张', email: 'wei.zhang@x.example' },
  { id: 1047, first: 'Sammy', last: 'Davis Jr.', email: 'sammy@x.example' },
  { id: 7, first: 'Ada', last: 'Marsh', email: 'ada@x.example' },
  { id: 500, first: 'Anna', last: 'Smith', email: 'anna@x.example' },
  { id: 501, first: 'Anna', last: 'Smith', email: 'asmith@x.example' },
];

const index = createPeopleIndex();
index.upsert(
  PEOPLE.map(({ id, first, last, email }) =>
    toRow(
      {
        id,
        email,
        firstName: first,
        lastName: last,
        isActive: true,
        isLocked: false,
        groups: [],
        createdDate: '2025-01-01T00:00:00.000Z',
        modifiedDate: '2025-01-01T00:00:00.000Z',
        createdBy: null,
        modifiedBy: null,
        twoFactorEnabled: false,
        ipRestrictionsEnabled: false,
      },
      1,
    ),
  ),
);

const resolve = (text: string) => {
  const { matched, ambiguous, unknown } = index.resolvePastedText(text);
  return {
    ids: matched.flatMap(({ ids }) => ids).toSorted((a, b) => a - b),
    several: ambiguous.map(({ entry }) => entry),
    unknown,
  };
};
const found = (...ids: number[]) => ({ ids, several: [], unknown: [] });

test('finds users in a letter', () => {
  const text = `Dear all,

please add Zoë Ångström <zoe@x.example>, 1042 and María del Carmen García Olmedo to the group.
Also Sammy Davis Jr. (and o'hara@x.example). Thanks!

Best regards
Somebody`;
  expect(resolve(text)).toEqual(found(1041, 1042, 1043, 1044, 1047));
});

test('reads columns of names with the family name first, of addresses and of ids', () => {
  expect(resolve('Ångström, Zoë\nHåkonsen, Bjørn\n')).toEqual(found(1041, 1042));
  expect(resolve('zoe@x.example\r\nBJORN.h@X.example\r\n')).toEqual(found(1041, 1042));
  expect(resolve('1041\n1042\n1042\n')).toEqual(found(1041, 1042));
  expect(resolve('Ångström\tZoë\nHåkonsen\tBjørn')).toEqual(found(1041, 1042));
});

test('does not take names of other things for titles of columns', () => {
  expect(resolve('Ångström\nConstructor\nHåkonsen').unknown).toContain('Constructor');
});

test('reads only the identifying columns of a table with a header', () => {
  const csv = 'First name,Last name,E-mail,Seats\nZoë,Ångström,zoe@x.example,7\nX,Y,nobody@x.example,1042';
  expect(resolve(csv)).toEqual({ ids: [1041], several: [], unknown: ['nobody@x.example'] });
  expect(resolve('Name;Age\n"Ångström, Zoë";7\nAnna Smith;500')).toEqual({
    ids: [1041],
    several: ['Anna Smith'],
    unknown: [],
  });
});

test('reports a table row as ambiguous if its id and address are different users', () => {
  expect(resolve('id;email\n1041;zoe@x.example\n1042;ada@x.example')).toEqual({
    ids: [1041],
    several: ['ada@x.example'],
    unknown: [],
  });
});

test('ignores times, IP addresses, counts and words of a log', () => {
  const log = `2026-11-20T10:11:12.042Z [WARN] sign-in of user 1042 from 10.0.0.7 refused, status 500
2026-11-20 10:11:13,500\tINFO\tuserId=1044 users/1041 took 7 ms
{"time":"2026-11-20","user_id":7,"count":501,"email":"wei.zhang@x.example"}
Nov 20 10:11:14 host sshd[500]: connection closed, port 443`;
  expect(resolve(log)).toEqual(found(7, 1041, 1042, 1044, 1046));
});

test('reports unknown entries once', () => {
  const text =
    'nobody@x.example; 9999; Smith, John\nNOBODY@x.example\nMary Unknown\nnot a name\nLondon\n0042';
  expect(resolve(text)).toEqual({
    ids: [],
    several: [],
    unknown: ['nobody@x.example', '9999', 'Smith, John', 'Mary Unknown', '0042', 'London'],
  });
});

test('resolves a given or family name alone, in a list and by itself', () => {
  expect(resolve('María')).toEqual(found(1043));
  expect(resolve('1. Zoe\n2. Håkonsen\n3. García Olmedo')).toEqual(found(1041, 1042, 1043));
  expect(resolve('Zoë, Siobhán')).toEqual(found(1041, 1044));
  expect(resolve('Anna')).toEqual({ ids: [], several: ['Anna'], unknown: [] });
  expect(resolve('Smith; Ada')).toEqual({ ids: [7], several: ['Smith'], unknown: [] });
});

test('reports a single unknown word in a list and by itself, and ignores it in a letter', () => {
  expect(resolve('Maurice')).toEqual({ ids: [], several: [], unknown: ['Maurice'] });
  expect(resolve('Name\nMaurice\n\nZoë\nIda')).toEqual({
    ids: [1041],
    several: [],
    unknown: ['Maurice', 'Ida'],
  });
  expect(resolve('Could you add user 1042 to the list?\nThanks\nMaurice')).toEqual(found(1042));
  expect(resolve('Please add them today, Zoë, as we said')).toEqual(found());
});

test('reports an ambiguous name unless an address beside it resolves it', () => {
  expect(resolve('Anna Smith')).toEqual({ ids: [], several: ['Anna Smith'], unknown: [] });
  expect(resolve('Smith, Anna')).toEqual({ ids: [], several: ['Smith, Anna'], unknown: [] });
  expect(resolve('Anna Smith, asmith@x.example')).toEqual(found(501));
  expect(resolve('Anna Smith <asmith@x.example>')).toEqual(found(501));
});

test('does not resolve an unknown address by the name beside it', () => {
  expect(resolve('Zoë Ångström <zoe@old.example>')).toEqual({
    ids: [],
    several: [],
    unknown: ['zoe@old.example'],
  });
});

// The ways in which a user is written.
const written = ({ id, first, last, email }: Person) =>
  fc.constantFrom(
    String(id),
    email,
    email.toUpperCase(),
    `<${email}>`,
    `mailto:${email}`,
    `${first} ${last}`,
    `${first}  ${last}`.toLowerCase(),
    `${first} ${last}`.normalize('NFD'),
    `"${last}, ${first}"`,
    `${first} ${last} <${email}>`,
    `${first} ${last} (${email})`,
  );
// A stop after a number would make it a list number.
const quoted = (text: string) =>
  fc.constantFrom(
    text,
    ...(text.includes('"') ? [] : [`"${text}"`, `'${text}'`, `(${text})`, `“${text}”`]),
    ...(/^\d+$/.test(text) ? [] : [`${text}.`]),
  );
const listed = (text: string) =>
  fc.constantFrom(text, `- ${text}`, `• ${text}`, `* ${text}`, `12. ${text}`, `3) ${text}`);
const separator = fc.constantFrom('\n', '\r\n', '\n\n', '\t', ';', '; ', ', ', ' | ', ' and ', ',');

const pasted = fc
  .subarray(PEOPLE.slice(0, 8), { minLength: 1 })
  .chain((people) => fc.shuffledSubarray(people, { minLength: people.length }))
  .chain((people) =>
    fc.record({
      ids: fc.constant(people.map(({ id }) => id).toSorted((a, b) => a - b)),
      entries: fc.tuple(
        ...people.map((person) =>
          fc
            .tuple(written(person).chain(quoted), separator)
            .chain(([text, after]) => fc.tuple(listed(text), fc.constant(text), fc.constant(after))),
        ),
      ),
    }),
  )
  .map(({ ids, entries }) => {
    let text = '';
    let isStart = true;
    for (const [bulleted, plain, after] of entries) {
      // A quoted cell has no bullet before it.
      text += (isStart && !plain.startsWith('"') ? bulleted : plain) + after;
      isStart = after.includes('\n');
    }
    return { ids, text };
  });

test('resolves the same users in any layout', () => {
  fc.assert(
    fc.property(pasted, ({ ids, text }) => {
      expect(resolve(text)).toEqual(found(...ids));
    }),
    { numRuns: 1500 },
  );
});

test('never fails', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
      expect(index.resolvePastedText(text).cut).toBe(false);
    }),
  );
});

test('reads long texts in linear time and cuts them at an entry', () => {
  const hostile = [
    'a',
    '"',
    '@',
    ' ',
    ',',
    '(',
    'a@',
    'id: ',
    'user ',
    '1 ',
    'Anna Smith ',
    '"a""',
    '1:',
    '-',
  ];
  const slow = hostile.filter((piece) => {
    const started = performance.now();
    index.resolvePastedText(piece.repeat(50_000 / piece.length));
    return performance.now() - started > 1000;
  });
  expect(slow).toEqual([]);
  const long = `${'1042\n'.repeat(PASTE_LIMIT / 5 - 1)}999\n1041\n1041\n`;
  const { cut, matched, unknown } = index.resolvePastedText(long);
  expect({ cut, matched, unknown }).toEqual({
    cut: true,
    matched: [{ entry: '1042', ids: [1042] }],
    unknown: ['999'],
  });
});
