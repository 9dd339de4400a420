import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatCsvHeading, formatCsvRows } from '../../../../contract/rules/tables/csv.ts';
import { getUserColumns } from '../../../../contract/rules/tables/user-columns.ts';
import { parseCsv } from '../../../files/csv/parse-csv.ts';
import { decodeText } from '../../../files/table/decode-text.ts';
import { toEmailKey } from '../../../lib/text/email-key.ts';
import { checkRows } from './check.ts';
import { guessMapping } from './fields.ts';
import { createGroupLookup, parseRow } from './parse-row.ts';
import type { CheckContext, KnownUser } from './plan.ts';

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
// The service stores no blank names and trims spaces.
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
        timeZone: fc.constantFrom(null, 'Europe/Kyiv', 'America/St_Johns', 'UTC', 'Etc/GMT+5'),
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

function checking(user: readonly KnownUser[], groups: readonly { id: number; name: string }[]): CheckContext {
  return {
    people: {
      byId: new Map(user.map((one) => [one.id, one])),
      byEmail: new Map(user.map((one) => [toEmailKey(one.email), one])),
    },
    groupLookup: createGroupLookup(groups),
    options: { groups: 'exact' },
    missingCapabilities: free,
    ungrantableGroups: new Map(),
    ownUserId: 0,
  };
}

test('changes nothing when importing an export, whatever the names', () => {
  fc.assert(
    fc.property(people, fc.boolean(), ({ groups, rows }, federation) => {
      const user = rows.map((row) => ({ ...row, email: `p${row.id}@people.example` }));
      const names = new Map(groups.map(({ id, name: text }) => [id, text]));
      const columns = getUserColumns(federation);
      const cells = user.map((one) => {
        const row = {
          ...one,
          twoFactorEnabled: one.twoFactor,
          ipRestrictionsEnabled: one.approvedAddresses,
          createdDate: moment,
          modifiedDate: moment,
        };
        return columns.map(({ cell }) => cell(row, names));
      });
      const file = formatCsvHeading(columns) + formatCsvRows(cells);
      const parsed = parseCsv(decodeText(new TextEncoder().encode(file)).text);
      const mapping = guessMapping(parsed.headings);
      const against = checking(user, groups);
      const targets = parsed.rows.map((row) => parseRow(row, mapping, against.groupLookup));
      expect(targets.map(({ firstName, lastName }) => [firstName, lastName])).toEqual(
        user.map(({ firstName, lastName }) => [firstName, lastName]),
      );
      const planned = checkRows(targets, against);
      expect(planned.map(({ outcome, errors, changes }) => ({ outcome, errors, changes }))).toEqual(
        user.map(() => ({ outcome: 'skip', errors: [], changes: [] })),
      );
    }),
    { numRuns: 400 },
  );
});
