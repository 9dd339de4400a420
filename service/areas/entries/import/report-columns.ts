import type { EntryImportRow, JobCellValue, RowVm } from '../../../../contract/generated/types.gen.ts';
import { holdsMoney, isFileField, isIdField } from '../../../../contract/rules/schema/fields.ts';
import { buildExportColumns, type ExportField } from '../../../../contract/rules/tables/entry-columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import type { ReportColumn } from '../../../kernel/jobs/job-kind.ts';
import { loadSchema, type SchemaField } from '../../schema/index.ts';
import type { EntryImportParameters, ImportedRow } from './import-file.ts';

const toExportField = (field: SchemaField): ExportField => ({
  ...field,
  choiceValues: [...field.choices.values()].filter(({ isRemoved }) => !isRemoved),
});

/**
 * Columns of the report of an import: the row of the file, the entry, and the requested values in the columns of an export, so that
 * rows of the report can be corrected and imported again. Entries and users are named by their ids.
 */
export async function loadReportColumns(
  { db, siteId }: { db: Db; siteId: number },
  { typeId }: EntryImportParameters,
): Promise<readonly ReportColumn<EntryImportRow>[]> {
  const fields = (await loadSchema(db, siteId)).typesById.get(typeId)?.fields ?? [];
  const written = fields.filter(
    ({ isStoreRequestSupported, fieldType }) => isStoreRequestSupported && !isFileField(fieldType),
  );
  const columns = buildExportColumns({
    fields: fields.map(toExportField),
    columns: written.map(toExportField),
    zone: 'UTC',
  });
  const [entryColumn, ...valueColumns] = columns;
  return [
    { heading: 'Row', getValue: ({ input }) => input.row },
    {
      heading: entryColumn?.heading ?? '',
      getValue: ({ input, before }) => input.entryId ?? (before as ImportedRow | null)?.entryId,
    },
    ...valueColumns.map(({ heading, cell }) => ({
      heading,
      getValue: ({ input, before }: { input: Partial<EntryImportRow>; before: object | null }) =>
        cell(toRow(written, input, before as ImportedRow | null)),
    })),
  ];
}

/** The requested values in the form of a row of a response. */
function toRow(
  fields: readonly SchemaField[],
  { values = [] }: Partial<EntryImportRow>,
  before: ImportedRow | null,
): RowVm {
  const row: RowVm = { EntryId: 0 };
  for (const field of fields) {
    const hasField = ({ fieldId }: JobCellValue): boolean => fieldId === field.id;
    const cell = before?.references?.find(hasField) ?? values.find(hasField);
    if (cell) Object.assign(row, { [field.apiName]: toResponseValue(field, cell) });
  }
  return row;
}

function toResponseValue(field: SchemaField, { value, currencyCode }: JobCellValue): unknown {
  if (isIdField(field.fieldType))
    return [value]
      .flat()
      .flatMap((id) => (typeof id === 'number' ? { id, name: field.choices.get(id)?.name ?? '' } : []));
  return holdsMoney(field) && value !== null ? { value, currencyCode: currencyCode ?? '' } : value;
}
