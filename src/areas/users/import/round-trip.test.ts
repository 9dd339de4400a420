import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { cellsOf, exportColumns } from '../../export/columns.ts';
import { csvHead, csvRows } from '../../../files/write-csv.ts';
import { checkWishes } from './check.ts';
import { decode } from '../../../files/decode.ts';
import { emailKey } from '../../../files/email-key.ts';
import { guessMapping } from './fields.ts';
import { parse } from '../../../files/parse.ts';
import type { Checking, Known } from './plan.ts';
import { groupBook } from './values.ts';
import { readWish } from './wish.ts';

const nasty = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }),
  fc.string({
    unit: fc.constantFrom(...Array.from(`'"=+-@\t\r\n,;|＝＋－＠ 0a`)),
    minLength: 1,
    maxLength: 12,
  }),
  fc.constantFrom(
    '007',
    '=1+1',
    "'=1",
    "''",
    '“Ann”',
    '🧑‍🚀',
    'שלום',
    '‏مرحبا',
    ' a ',
    '\uFEFFx',
    '1e5',
    '-5',
    'TRUE',
  ),
);
// The service keeps no name of spaces alone, and none with spaces around it.
const name = nasty.map((text) => text.trim()).filter((text) => text !== '' && text.length <= 100);
const groupNames = fc.uniqueArray(name, {
  selector: (text) => text.toLowerCase(),
  minLength: 1,
  maxLength: 6,
});

const people = groupNames.chain((names) =>
  fc.record({
    groups: fc.constant(names.map((text, at) => ({ id: at + 1, name: text }))),
    rows: fc.uniqueArray(
      fc.record({
        id: fc.integer({ min: 1, max: 0x7fffffff }),
        firstName: name,
        lastName: name,
        isActive: fc.boolean(),
        licenseTypeId: fc.constantFrom(1, 2, 3, 4),
        groups: fc.uniqueArray(fc.integer({ min: 1, max: names.length })),
        twoFactor: fc.boolean(),
        approvedAddresses: fc.boolean(),
        federationId: fc.oneof(fc.constant(''), name),
      }),
      { selector: ({ id }) => id, maxLength: 8 },
    ),
  }),
);

const moment = '2026-01-05T07:30:00.000Z';
const free = {
  create: undefined,
  update: undefined,
  license: undefined,
  assign: undefined,
  unassign: undefined,
};

function checking(known: readonly Known[], groups: readonly { id: number; name: string }[]): Checking {
  return {
    people: {
      byId: new Map(known.map((one) => [one.id, one])),
      byEmail: new Map(known.map((one) => [emailKey(one.email), one])),
    },
    book: groupBook(groups),
    choices: { groups: 'exact' },
    may: free,
    barred: new Map(),
    me: 0,
  };
}

test('an import of an export changes nothing, whatever people and groups are called', () => {
  fc.assert(
    fc.property(people, fc.boolean(), ({ groups, rows }, federation) => {
      const known = rows.map((row) => ({ ...row, email: `p${row.id}@people.example` }));
      const names = new Map(groups.map(({ id, name: text }) => [id, text]));
      const exported = known.map((one) => ({ ...one, created: moment, modified: moment }));
      const cells = exported.map((one) => cellsOf(one, names, federation));
      const file = csvHead(exportColumns(federation)) + csvRows(cells);
      const parsed = parse(decode(new TextEncoder().encode(file)).text);
      const mapping = guessMapping(parsed.headings);
      const against = checking(known, groups);
      const wishes = parsed.rows.map((row) => readWish(row, mapping, against.book));
      expect(wishes.map(({ firstName, lastName }) => [firstName, lastName])).toEqual(
        known.map(({ firstName, lastName }) => [firstName, lastName]),
      );
      const planned = checkWishes(wishes, against);
      expect(planned.map(({ outcome, faults, changes }) => ({ outcome, faults, changes }))).toEqual(
        known.map(() => ({ outcome: 'skip', faults: [], changes: [] })),
      );
    }),
    { numRuns: 400 },
  );
});
