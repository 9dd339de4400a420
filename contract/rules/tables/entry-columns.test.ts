import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatZonedIso, fromWallTime, toWallTime } from '../dates/wall-time.ts';
import { FIELD } from '../schema/fields.ts';
import { toSheetDate } from './cells.ts';
import { buildExportColumns, type ExportField } from './entry-columns.ts';

const field: ExportField = {
  id: 1,
  apiName: 'Seen',
  name: 'Seen',
  fieldType: FIELD.date,
  isMultiSelect: false,
  isDateOnly: false,
  isMoney: false,
};

const zone = fc.constantFrom(
  'UTC',
  'Europe/Berlin',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'America/St_Johns',
);

test('dates with a time are those that formatting each moment gives, also where clocks change', () => {
  const transitions = [
    '2026-10-25T00:30:00Z',
    '2026-03-29T01:00:00Z',
    '2026-04-04T15:00:00Z',
    '1986-01-01T00:00:00Z',
  ];
  const moment = fc.oneof(
    fc.date({ min: new Date('1800-01-01'), max: new Date('2200-01-01'), noInvalidDate: true }),
    fc
      .tuple(fc.constantFrom(...transitions), fc.integer({ min: -7_200_000, max: 7_200_000 }))
      .map(([at, offset]) => new Date(Date.parse(at) + offset)),
  );
  fc.assert(
    fc.property(moment, zone, (at, timeZone) => {
      const [, column] = buildExportColumns({ fields: [field], columns: [field], zone: timeZone });
      const timestamp = at.getTime();
      const text = formatZonedIso(timestamp, timeZone);
      const wall = toWallTime(timestamp, timeZone);
      const expected = fromWallTime(wall, timeZone) === timestamp ? toSheetDate(text, wall, false) : text;
      expect(column?.cell({ EntryId: 1, Seen: at.toISOString() })).toEqual(expected);
    }),
    {
      examples: [
        [new Date('2026-10-25T00:30:00Z'), 'Europe/Berlin'],
        [new Date('2026-10-25T01:30:00Z'), 'Europe/Berlin'],
        [new Date('2026-04-04T15:10:00.500Z'), 'Australia/Lord_Howe'],
      ],
    },
  );
});

test('a choice that was renamed has its present name', () => {
  const stage = { ...field, fieldType: FIELD.choice, choiceValues: [{ id: 5, name: 'New' }] };
  const [, column] = buildExportColumns({ fields: [stage], columns: [stage], zone: 'UTC' });
  const format = (name: string) => column?.cell({ EntryId: 1, Seen: { id: 5, name, entryListId: -6 } });
  expect([format('New'), format('Old'), format('New')]).toEqual(['New', '#5', 'New']);
});
