import { expect, test } from 'vitest';
import { createReport, formatReport } from './report.ts';

const manifest: Parameters<typeof createReport>[0] = {
  format: 'steward-backup',
  formatVersion: 2,
  serviceVersion: '0.1.0',
  createdDate: '2026-11-20T12:00:00.000Z',
  schemaVersion: 3,
  site: { slug: 'northlight', name: 'Northlight' },
  isWholeSite: true,
  entryTypes: ['Company', 'get'],
  includesFiles: true,
  notIncluded: [],
  members: [],
};

test('names restored entry types that programs cannot address by name', () => {
  const report = createReport(
    manifest,
    { slug: 'northlight', name: 'Northlight', isNew: true, signsInElsewhere: false },
    false,
  );
  report.entries = { Company: 2, get: 1 };
  expect(formatReport(report)).toContain('The entry type get has the name of a path');
  expect(formatReport(report)).not.toContain('The entry type Company');
});
